/*
 * STEM with ROOT (MICRO 2025): divides each kernel's durations in two as long as that makes the
 * samples cheaper; one optimisation over all clusters gives the sample sizes.
 */
#include <math.h>
#include <stdlib.h>

#include "sampling/launch/launch_leaf.h"
#include "sampling/launch/launch_table.h"
#include "sampling/launch/stem/stem_merge.h"
#include "sampling/math/allocate.h"
#include "sampling/math/quantile.h"
#include "sampling/math/stable_sum.h"
#include "sim/core/alloc.h"

enum { DERIVED, PAPER, ARTIFACT };
static const param_choice_t variants[] = {
    {"derived", NULL}, {"paper", NULL}, {"artifact", NULL}, {NULL, NULL}};

#define STEM_OPTIONS(P, E, T)                                                                      \
    P(F64, epsilon, "0.05", 1e-6, 1, "", "relative error of the total")                            \
    P(F64, confidence, "0.95", 0.5, 0.999999, "", "probability of meeting epsilon")                \
    P(BOOL, root, "true", 0, 1, "", "divide kernels by duration (ROOT)")                           \
    P(BOOL, merge, "true", 0, 1, "",                                                               \
      "derived: undo divisions that the joint optimum does not need")                              \
    E(key, group_key_choices, "name", "what the launches of a kernel share")                       \
    E(variant, variants, "derived",                                                                \
      "derived: joint optimum, finite population; paper: Eq. 6 as printed; artifact: as "          \
      "published")

PARAM_STRUCT(stem_options_t, STEM_OPTIONS);
#define PARAM_SPEC_ stem_options_t
static const param_t stem_rows[] = {PARAM_ROWS(STEM_OPTIONS)};
#undef PARAM_SPEC_
static const param_group_t stem_group =
    PARAM_GROUP("stem", "STEM with ROOT", stem_options_t, stem_rows);

typedef struct {
    const stem_options_t *o;
    double z;
    const double *x; /* sorted durations */
    double total;
} stem_t;

/* In place of the index of a half: the cluster was merged into a larger one. */
#define MERGED UINT32_MAX

/* Samples of one cluster alone: Eq. 3. The artifact has no limits while it divides. */
static uint64_t samples_alone(const stem_t *s, const spread_t *times, uint64_t size)
{
    double m = s->o->variant == DERIVED
                   ? samples_needed_finite(times->mean, times->sample, s->o->epsilon, s->z, size)
                   : samples_needed(times->mean, times->sd, s->o->epsilon, s->z);
    m = fmin(ceil(m), 1e15);
    if (s->o->variant == ARTIFACT)
        return (uint64_t)m;
    if (s->o->variant == DERIVED && m > (double)size)
        return size;
    return m < 1 ? 1 : (uint64_t)m;
}

static stratum_t stratum_of(const stem_t *s, const leaf_t *leaf)
{
    return (stratum_t){.size = leaf->end - leaf->begin,
                       .cost = leaf->times.mean,
                       .sd = s->o->variant == DERIVED ? leaf->times.sample : leaf->times.sd,
                       .least = 1};
}

/* Samples of several clusters that share the error budget of their total time. */
static void samples_together(const stem_t *s, leaf_t *leaves, size_t n)
{
    stratum_t *strata = rb_calloc(n, sizeof(*strata));
    uint64_t *m = rb_calloc(n, sizeof(*m));
    stable_sum_t total = {0};
    for (size_t i = 0; i < n; i++) {
        strata[i] = stratum_of(s, &leaves[i]);
        sum_add(&total, (double)strata[i].size * strata[i].cost);
    }
    /* Relative to the total, so that squares of very short or long times stay in range. */
    double scale = sum_value(&total) > 0 ? sum_value(&total) : 1;
    for (size_t i = 0; i < n; i++) {
        strata[i].cost /= scale;
        strata[i].sd /= scale;
    }
    double error = s->o->epsilon / s->z;
    if (s->o->variant == PAPER)
        allocate_printed(strata, n, error * error, m);
    else if (s->o->variant == ARTIFACT)
        allocate_unlimited(strata, n, error * error, m);
    else
        allocate(strata, n, error * error, true, m);
    for (size_t i = 0; i < n; i++)
        leaves[i].m = m[i];
    free(strata);
    free(m);
}

/* Second samples are added while all samples cost less than this share of all launches, or the
 * second ones less than this share of the others. */
#define SECOND_OF_ALL     0.01
#define SECOND_OF_SAMPLES 0.1

static int cheapest_first(const void *a, const void *b)
{
    const leaf_t *x = *(leaf_t *const *)a, *y = *(leaf_t *const *)b;
    if (x->times.mean < y->times.mean || y->times.mean < x->times.mean)
        return x->times.mean < y->times.mean ? -1 : 1;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

/* One sample shows no spread: the interval of the simulated cycles would rest on the profile. So
 * clusters get a second one where that is cheap. */
static void second_samples(const stem_t *s, leaf_list_t *leaves)
{
    leaf_t **order = rb_calloc(leaves->n, sizeof(*order));
    double cost = 0;
    size_t n = 0;
    for (size_t i = 0; i < leaves->n; i++) {
        leaf_t *leaf = &leaves->leaf[i];
        cost += (double)leaf->m * leaf->times.mean;
        if (leaf->m == 1 && leaf->end - leaf->begin > 1)
            order[n++] = leaf;
    }
    qsort(order, n, sizeof(*order), cheapest_first);
    double room = fmax(SECOND_OF_ALL * s->total - cost, SECOND_OF_SAMPLES * cost);
    for (size_t i = 0; i < n && order[i]->times.mean <= room; i++) {
        room -= order[i]->times.mean;
        order[i]->m = 2;
    }
    free(order);
}

/* Divides a cluster in two if that makes the samples cheaper. */
static bool divide(const stem_t *s, const leaf_t *leaf, leaf_t half[2])
{
    uint64_t size = leaf->end - leaf->begin;
    double cost = (double)leaf->m * leaf->times.mean;
    uint64_t low = cost > 0 ? two_means(s->x + leaf->begin, size) : 0;
    if (low == 0)
        return false;
    uint64_t cut[] = {leaf->begin, leaf->begin + low, leaf->end};
    for (int i = 0; i < 2; i++) {
        half[i] = (leaf_t){.begin = cut[i], .end = cut[i + 1], .name = leaf->name};
        half[i].times = spread_of(s->x + cut[i], cut[i + 1] - cut[i]);
    }
    samples_together(s, half, 2);
    double divided =
        (double)half[0].m * half[0].times.mean + (double)half[1].m * half[1].times.mean;
    if (s->o->variant == ARTIFACT)
        /* Each half keeps its share of this allocation. Values that differ only by rounding are
         * equal. */
        return divided <= cost * (1 + 1e-12);
    if (!(divided < cost))
        return false;
    for (int i = 0; i < 2; i++)
        half[i].m = samples_alone(s, &half[i].times, half[i].end - half[i].begin);
    return true;
}

/* The artifact applies its limits when it draws: a single launch is taken, no cluster gives more
 * samples than it has launches, and a cluster without samples stays without. */
static void limit_published(leaf_list_t *leaves)
{
    for (size_t i = 0; i < leaves->n; i++) {
        leaf_t *leaf = &leaves->leaf[i];
        uint64_t size = leaf->end - leaf->begin;
        if (size == 1 || leaf->m > size)
            leaf->m = size;
    }
}

/* Warns about clusters that the published code silently leaves out of its total. */
static rb_code_t check_dropped(const leaf_list_t *leaves, plan_build_t *b, rb_err_t *err)
{
    unsigned long long dropped = 0, launches = 0;
    stable_sum_t time = {0}, total = {0};
    for (size_t i = 0; i < leaves->n; i++) {
        const leaf_t *leaf = &leaves->leaf[i];
        double size = (double)(leaf->end - leaf->begin), all = size * leaf->times.mean;
        sum_add(&total, all);
        if (leaf->m > 0)
            continue;
        dropped++;
        launches += leaf->end - leaf->begin;
        sum_add(&time, all);
    }
    if (dropped == leaves->n)
        return rb_fail(err, RB_USAGE,
                       "stem:variant=artifact draws no samples here: the published code needs none "
                       "if all durations of a kernel are equal; use variant=derived");
    if (dropped > 0)
        build_warning(b,
                      "%llu of %zu clusters (%llu launches, %.3g %% of the time) get no sample and "
                      "are left out of the total, as in the published code",
                      dropped, leaves->n, launches, 100 * sum_value(&time) / sum_value(&total));
    return RB_OK;
}

/* All clusters that ROOT makes, parents before their halves. half: per cluster, the index of its
 * lower half, which the upper half follows; 0: it is a leaf. */
typedef struct {
    leaf_list_t all;
    uint32_t *half; /* owned */
    size_t half_cap;
} root_tree_t;

static void tree_add(root_tree_t *t, leaf_t leaf)
{
    leaf_add(&t->all, leaf);
    rb_grow(&t->half, &t->half_cap, t->all.n, sizeof(*t->half));
    t->half[t->all.n - 1] = 0;
}

static void divide_kernel(const stem_t *s, leaf_t kernel, root_tree_t *t)
{
    size_t first = t->all.n;
    tree_add(t, kernel);
    for (size_t i = first; s->o->root && i < t->all.n; i++) {
        leaf_t leaf = t->all.leaf[i], half[2];
        if (!divide(s, &leaf, half))
            continue;
        t->half[i] = (uint32_t)t->all.n;
        tree_add(t, half[0]);
        tree_add(t, half[1]);
    }
}

/* Marks the divisions that the joint optimum does not need. */
static void merge(const stem_t *s, root_tree_t *t)
{
    uint32_t n = (uint32_t)t->all.n;
    root_node_t *nodes = rb_calloc(n, sizeof(*nodes));
    double error = s->o->epsilon / s->z;
    for (uint32_t i = 0; i < n; i++) {
        nodes[i].stratum = stratum_of(s, &t->all.leaf[i]);
        nodes[i].stratum.cost /= s->total;
        nodes[i].stratum.sd /= s->total;
        nodes[i].half[0] = t->half[i];
        nodes[i].half[1] = t->half[i] == 0 ? 0 : t->half[i] + 1;
    }
    stem_merge(nodes, n, error * error);
    for (uint32_t i = 0; i < n; i++) {
        if (nodes[i].kept)
            t->half[i] = 0;
        else if (t->half[i] == 0)
            t->half[i] = MERGED;
    }
    free(nodes);
}

static rb_code_t plan_stem(const void *options, plan_build_t *b, rb_err_t *err)
{
    const stem_options_t *o = options;
    stem_t s = {.o = o, .z = interval_factor(o->confidence, INFINITY)};
    launch_groups_t groups;
    leaf_list_t leaves = {0};
    root_tree_t tree = {0};
    groups_make(&groups, b, (group_key_t)o->key);
    double *x = groups_sort(&groups, b->pop->time);
    s.x = x;
    for (uint32_t g = 0; g < groups.n; g++) {
        leaf_t kernel = {.begin = groups.begin[g], .end = groups.begin[g + 1]};
        kernel.name = groups.name[g];
        kernel.times = spread_of(x + kernel.begin, kernel.end - kernel.begin);
        kernel.m = samples_alone(&s, &kernel.times, kernel.end - kernel.begin);
        s.total += (double)(kernel.end - kernel.begin) * kernel.times.mean;
        divide_kernel(&s, kernel, &tree);
    }
    if (o->merge && o->variant == DERIVED)
        merge(&s, &tree);
    for (size_t i = 0; i < tree.all.n; i++) {
        if (tree.half[i] == 0)
            leaf_add(&leaves, tree.all.leaf[i]);
    }
    if (o->variant != ARTIFACT)
        samples_together(&s, leaves.leaf, leaves.n);
    else
        limit_published(&leaves);
    if (o->merge && o->variant == DERIVED)
        second_samples(&s, &leaves);
    rb_code_t rc = check_dropped(&leaves, b, err);
    if (rc == RB_OK)
        rc = leaves_draw(&leaves, groups.rows, o->variant == PAPER, b, err);
    b->plan->confidence = o->confidence;
    leaf_list_free(&leaves);
    leaf_list_free(&tree.all);
    free(tree.half);
    free(x);
    groups_free(&groups);
    return rc;
}

const launch_method_t launch_stem = {
    .name = "stem",
    .help = "STEM with ROOT: the fewest samples that meet an error bound on the total time",
    .options = &stem_group,
    .needs = LAUNCH_NEEDS_TIME,
    .plan = plan_stem,
};
