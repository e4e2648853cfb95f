/*
 * Allegro (MLArchSys 2024): divides the launches of a kernel in two by duration, recursively, until
 * a few samples estimate the mean of each cluster.
 */
#include <math.h>
#include <stdlib.h>

#include "sampling/launch/launch_leaf.h"
#include "sampling/launch/launch_table.h"
#include "sampling/math/quantile.h"
#include "sim/core/alloc.h"

enum { DERIVED, PAPER, ARTIFACT };
static const param_choice_t variants[] = {
    {"derived", NULL}, {"paper", NULL}, {"artifact", NULL}, {NULL, NULL}};

#define ALLEGRO_OPTIONS(P, E, T)                                                                   \
    P(F64, epsilon, "0.05", 1e-6, 1, "", "relative error of each cluster's mean")                  \
    P(F64, confidence, "0.95", 0.5, 0.999999, "", "probability of meeting it")                     \
    P(U64, m_th, "50", 1, 1e6, "launches", "a cluster that needs more samples is divided")         \
    P(U64, floor, "30", 1, 1e6, "launches", "minimum samples of a cluster")                        \
    E(key, group_key_choices, "shape", "what the launches of a kernel share")                      \
    E(variant, variants, "derived",                                                                \
      "derived: without replacement, finite population; paper, artifact: as published")

PARAM_STRUCT(allegro_options_t, ALLEGRO_OPTIONS);
#define PARAM_SPEC_ allegro_options_t
static const param_t allegro_rows[] = {PARAM_ROWS(ALLEGRO_OPTIONS)};
#undef PARAM_SPEC_
static const param_group_t allegro_group =
    PARAM_GROUP("allegro", "recursive division of durations", allegro_options_t, allegro_rows);

/* Samples that a cluster needs, without the floor. */
static double needs(const allegro_options_t *o, double z, const spread_t *s, uint64_t size)
{
    if (o->variant == DERIVED)
        return ceil(samples_needed_finite(s->mean, s->sample, o->epsilon, z, size));
    if (o->variant == PAPER)
        return fmax(ceil(samples_needed(s->mean, s->sd, o->epsilon, z)), (double)o->floor);
    return samples_needed(s->mean, s->sample, o->epsilon, z);
}

static bool is_leaf(const allegro_options_t *o, double need)
{
    return o->variant == ARTIFACT ? need < (double)o->m_th : need <= (double)o->m_th;
}

typedef struct {
    uint64_t begin, end;
} range_t;

/* Divides one kernel's launches. A cluster of equal durations, or of one launch, is a leaf. */
static void divide(const allegro_options_t *o, double z, const double *x, range_t whole,
                   uint32_t name, leaf_list_t *leaves)
{
    range_t *stack = NULL;
    size_t cap = 0, n = 0;
    rb_grow(&stack, &cap, 1, sizeof(*stack));
    stack[n++] = whole;
    while (n > 0) {
        range_t r = stack[--n];
        uint64_t size = r.end - r.begin;
        spread_t s = spread_of(x + r.begin, size);
        double need = needs(o, z, &s, size);
        uint64_t low = is_leaf(o, need) ? 0 : two_means(x + r.begin, size);
        if (low == 0) {
            double m = fmax(ceil(need), (double)o->floor);
            if (o->variant == DERIVED)
                m = fmin(s.sd > 0 ? m : 1, (double)size);
            leaf_add(leaves,
                     (leaf_t){r.begin, r.end, name, s, m < 1e15 ? (uint64_t)m : UINT64_MAX});
            continue;
        }
        rb_grow(&stack, &cap, n + 2, sizeof(*stack));
        stack[n++] = (range_t){r.begin + low, r.end};
        stack[n++] = (range_t){r.begin, r.begin + low};
    }
    free(stack);
}

static rb_code_t plan_allegro(const void *options, plan_build_t *b, rb_err_t *err)
{
    const allegro_options_t *o = options;
    double z = interval_factor(o->confidence, INFINITY);
    launch_groups_t groups;
    leaf_list_t leaves = {0};
    groups_make(&groups, b, (group_key_t)o->key);
    double *x = groups_sort(&groups, b->pop->time);
    for (uint32_t g = 0; g < groups.n; g++)
        divide(o, z, x, (range_t){groups.begin[g], groups.begin[g + 1]}, groups.name[g], &leaves);
    rb_code_t rc = leaves_draw(&leaves, groups.rows, o->variant != DERIVED, b, err);
    b->plan->confidence = o->confidence;
    leaf_list_free(&leaves);
    free(x);
    groups_free(&groups);
    return rc;
}

const launch_method_t launch_allegro = {
    .name = "allegro",
    .help = "Allegro: divides each kernel's durations until few samples give every mean",
    .options = &allegro_group,
    .needs = LAUNCH_NEEDS_TIME,
    .plan = plan_allegro,
};
