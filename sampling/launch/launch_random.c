/*
 * random: draws launches from the whole program with equal probability: a number, a share, or as
 * many as cost the same as another method. dominant: all launches of the kernels that take most of
 * the time.
 */
#include <math.h>
#include <stdlib.h>

#include "sampling/launch/launch_table.h"
#include "sampling/math/two_means.h"
#include "sampling/plan/plan_build.h"
#include "sim/core/alloc.h"

#define RANDOM_OPTIONS(P, E, T)                                                                    \
    P(U64, count, "0", 0, 1e8, "launches", "how many; 0: given by fraction or like")               \
    P(F64, fraction, "0.001", 1e-12, 1, "", "share of the launches (at least one is drawn)")       \
    T(like, "",                                                                                    \
      "draw as many as cost the same as this method (name and options, separated by ';')")         \
    P(BOOL, replacement, "false", 0, 1, "", "draw with replacement")

PARAM_STRUCT(random_options_t, RANDOM_OPTIONS);
#define PARAM_SPEC_ random_options_t
static const param_t random_rows[] = {PARAM_ROWS(RANDOM_OPTIONS)};
#undef PARAM_SPEC_
static const param_group_t random_group =
    PARAM_GROUP("random", "simple random sampling", random_options_t, random_rows);

static const char *random_like(const void *options)
{
    const random_options_t *o = options;
    return o->count == 0 && o->like[0] != '\0' ? o->like : NULL;
}

/* The number of draws with the same expected cost as the plan of another method. */
static uint64_t draws_like(const plan_t *other, uint64_t n)
{
    double cost = other->profile_total / other->predicted_speedup;
    double mean = other->profile_total / (double)n;
    return isnan(cost) ? 1 : (uint64_t)llround(cost / mean);
}

static rb_code_t plan_random(const void *options, plan_build_t *b, rb_err_t *err)
{
    const random_options_t *o = options;
    const population_t *pop = b->pop;
    uint64_t m = o->count > 0 ? o->count : (uint64_t)llround(o->fraction * (double)pop->n);
    (void)err;
    if (random_like(o) != NULL)
        m = draws_like(b->other, pop->n);
    if (m == 0)
        m = 1;
    if (m > pop->n && !o->replacement)
        m = pop->n;
    uint32_t *rows = rb_calloc(pop->n, sizeof(*rows));
    for (uint64_t i = 0; i < pop->n; i++)
        rows[i] = (uint32_t)i;
    b->plan->random = true;
    b->plan->replacement = o->replacement;
    uint32_t cluster = build_cluster_named(b, "all launches", pop->n);
    build_draw(b, cluster, rows, pop->n, m, o->replacement);
    build_spreads(b);
    free(rows);
    return RB_OK;
}

const launch_method_t launch_random = {
    .name = "random",
    .help = "draws launches at random with equal probability",
    .options = &random_group,
    .plan = plan_random,
    .like = random_like,
};

#define DOMINANT_OPTIONS(P, E, T)                                                                  \
    P(F64, share, "0.9", 1e-9, 1, "", "minimum share of the total time to keep")

PARAM_STRUCT(dominant_options_t, DOMINANT_OPTIONS);
#define PARAM_SPEC_ dominant_options_t
static const param_t dominant_rows[] = {PARAM_ROWS(DOMINANT_OPTIONS)};
#undef PARAM_SPEC_
static const param_group_t dominant_group =
    PARAM_GROUP("dominant", "kernels with most of the time", dominant_options_t, dominant_rows);

typedef struct {
    double time;
    uint64_t launches;
    uint32_t name;
} kernel_time_t;

static int longest_first(const void *a, const void *b)
{
    const kernel_time_t *x = a, *y = b;
    if (x->time < y->time || y->time < x->time)
        return x->time > y->time ? -1 : 1;
    return (x->name > y->name) - (x->name < y->name);
}

static rb_code_t plan_dominant(const void *options, plan_build_t *b, rb_err_t *err)
{
    const dominant_options_t *o = options;
    const population_t *pop = b->pop;
    uint32_t n = pop->name == NULL ? 1 : pop->n_names;
    kernel_time_t *kernels = rb_calloc(n, sizeof(*kernels));
    uint32_t *cluster = rb_calloc(n, sizeof(*cluster)); /* name -> cluster + 1 */
    double total = 0, kept = 0;
    (void)err;
    for (uint32_t i = 0; i < n; i++)
        kernels[i].name = i;
    for (uint64_t i = 0; i < pop->n; i++) {
        kernel_time_t *k = &kernels[pop->name == NULL ? 0 : pop->name[i]];
        k->time += pop->time[i];
        k->launches++;
        total += pop->time[i];
    }
    qsort(kernels, n, sizeof(*kernels), longest_first);
    uint64_t left = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (kernels[i].launches == 0)
            continue;
        if (kept < o->share * total) {
            cluster[kernels[i].name] =
                build_cluster(b, kernels[i].name, kernels[i].launches, NAN, NAN) + 1;
            kept += kernels[i].time;
        } else {
            left += kernels[i].launches;
        }
    }
    /* The kernels left out are assumed to change like those kept. */
    for (uint64_t i = 0; i < pop->n; i++) {
        uint32_t c = cluster[pop->name == NULL ? 0 : pop->name[i]];
        if (c > 0)
            build_sample(b, c - 1, (uint32_t)i, total / kept, 1);
    }
    if (left > 0) {
        uint32_t rest = build_cluster_named(b, "kernels left out", left);
        for (uint32_t i = 0; i < n; i++)
            cluster[i] = cluster[i] == 0 ? rest + 1 : cluster[i];
    }
    for (uint64_t i = 0; i < pop->n; i++)
        b->cluster_of[i] = cluster[pop->name == NULL ? 0 : pop->name[i]] - 1;
    build_spreads(b);
    free(cluster);
    free(kernels);
    return RB_OK;
}

const launch_method_t launch_dominant = {
    .name = "dominant",
    .help = "all launches of the kernels that make up a share of the time",
    .options = &dominant_group,
    .needs = LAUNCH_NEEDS_TIME,
    .plan = plan_dominant,
};
