/*
 * TBPoint's inter-launch sampling (IPDPS 2014): launches are vectors of four instruction features,
 * clustered by complete linkage. Total = sum over the clusters of instructions times the
 * representative's cycles per instruction.
 */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "sampling/launch/launch_group.h"
#include "sampling/launch/launch_limit.h"
#include "sampling/launch/launch_table.h"
#include "sampling/launch/launch_vectors.h"
#include "sampling/math/linkage.h"
#include "sampling/math/stable_sum.h"
#include "sim/core/alloc.h"

enum { SCOPE_NAME, SCOPE_APPLICATION };
static const param_choice_t scopes[] = {
    {"name", "launches with the same kernel name"}, {"application", "all launches"}, {NULL, NULL}};
enum { PUBLISHED, ALL };
static const param_choice_t feature_choices[] = {
    {"published", "the four of the paper"},
    {"all", "also blocks, threads per block, and sectors"},
    {NULL, NULL}};
static const param_choice_t linkages[] = {/* names of linkage_t */
                                          {"complete",
                                           "distance of the two members farthest apart"},
                                          {"ward", "increase of the sum of squares"},
                                          {NULL, NULL}};

#define TBPOINT_OPTIONS(P, E, T)                                                                   \
    P(F64, threshold, "0.1", 0, 1e6, "", "clusters are merged up to this distance")                \
    E(features, feature_choices, "published", "by which launches are compared")                    \
    E(linkage, linkages, "complete", "how the distance of clusters is defined")                    \
    E(scope, scopes, "name", "which launches are clustered together")                              \
    E(representative, representative_choices, "centre",                                            \
      "how a cluster's representative is chosen")                                                  \
    LIMIT_OPTIONS(P)

PARAM_STRUCT(tbpoint_options_t, TBPOINT_OPTIONS);
#define PARAM_SPEC_ tbpoint_options_t
static const param_t tbpoint_rows[] = {PARAM_ROWS(TBPOINT_OPTIONS)};
#undef PARAM_SPEC_
static const param_group_t tbpoint_group =
    PARAM_GROUP("tbpoint", "TBPoint between launches", tbpoint_options_t, tbpoint_rows);

enum { COLUMNS = 4, FEATURES = 7 };
static const pop_counter_t columns[COLUMNS] = {POP_THREAD_INSTS, POP_WARP_INSTS, POP_REQUESTS,
                                               POP_BLOCK_COV};

/* A feature before it is divided by its average. */
static double feature(const population_t *pop, uint32_t row, size_t j)
{
    const double *global = pop->fact[POP_GLOBAL_SECTORS], *local = pop->fact[POP_LOCAL_SECTORS];
    const uint32_t(*size)[3] = j == COLUMNS ? pop->grid : pop->block;
    if (j < COLUMNS)
        return pop->counter[columns[j]] == NULL ? 0 : pop->counter[columns[j]][row];
    if (j < FEATURES - 1)
        return size == NULL ? 0 : (double)size[row][0] * size[row][1] * size[row][2];
    return (global == NULL ? 0 : global[row]) + (local == NULL ? 0 : local[row]);
}

/* d features of n launches: counts divided by their average, and the spread of the blocks as it is. */
static double *features(const population_t *pop, const uint32_t *rows, uint64_t n, size_t d)
{
    double *x = rb_calloc(n * d, sizeof(*x));
    for (size_t j = 0; j < d; j++) {
        stable_sum_t sum = {0};
        for (uint64_t i = 0; i < n; i++) {
            x[i * d + j] = feature(pop, rows[i], j);
            sum_add(&sum, x[i * d + j]);
        }
        double average = sum_value(&sum) / (double)n;
        bool divide = average > 0 && !(j < COLUMNS && columns[j] == POP_BLOCK_COV);
        for (uint64_t i = 0; divide && i < n; i++)
            x[i * d + j] /= average;
    }
    return x;
}

/* How many features are used. */
static size_t dimensions(const tbpoint_options_t *o)
{
    return o->features == ALL ? FEATURES : COLUMNS;
}

/* Adds the clusters of one scope, whose merged vectors are v. */
static void add_clusters(plan_build_t *b, const tbpoint_options_t *o, const uint32_t *rows,
                         uint64_t n, const launch_vectors_t *v)
{
    const double *insts = b->pop->counter[POP_WARP_INSTS];
    uint32_t *cluster = rb_calloc(v->n, sizeof(*cluster));
    size_t k = linkage_cluster(v->x, v->weight, v->n, dimensions(o), (linkage_t)o->linkage,
                               o->threshold, cluster);
    uint64_t *rep = rb_calloc(k, sizeof(*rep)), *size = rb_calloc(k, sizeof(*size));
    stable_sum_t *sum = rb_calloc(k, sizeof(*sum));
    uint32_t *index = rb_calloc(k, sizeof(*index));
    vectors_representatives(v, n, cluster, k, (representative_t)o->representative, b->seed,
                            b->plan->n_clusters, rep);
    for (uint64_t i = 0; i < n; i++) {
        uint32_t c = cluster[v->of[i]];
        size[c]++;
        sum_add(&sum[c], insts[rows[i]]);
    }
    for (size_t c = 0; c < k; c++) {
        uint32_t row = rows[rep[c]];
        double own = insts[row];
        index[c] =
            build_cluster(b, b->pop->name == NULL ? 0 : b->pop->name[row], size[c], NAN, NAN);
        build_sample(b, index[c], row, own > 0 ? sum_value(&sum[c]) / own : (double)size[c], 1);
    }
    for (uint64_t i = 0; i < n; i++)
        b->cluster_of[rows[i]] = index[cluster[v->of[i]]];
    free(cluster);
    free(rep);
    free(size);
    free(sum);
    free(index);
}

static rb_code_t check_features(const population_t *pop, rb_err_t *err)
{
    for (size_t j = 0; j < COLUMNS; j++) {
        const double *column = pop->counter[columns[j]];
        for (uint64_t i = 0; column != NULL && i < pop->n; i++) {
            if (!(column[i] >= 0) || isinf(column[i]))
                return rb_fail(err, RB_TRACE, "launch %llu (%.200s): a counter is %g",
                               (unsigned long long)(pop->id == NULL ? i + 1 : pop->id[i]),
                               build_row_name(pop, i), column[i]);
        }
    }
    return RB_OK;
}

static rb_code_t plan_tbpoint(const void *options, plan_build_t *b, rb_err_t *err)
{
    const tbpoint_options_t *o = options;
    const population_t *pop = b->pop;
    launch_groups_t g;
    RB_TRY(check_features(pop, err));
    groups_make(&g, b, GROUP_BY_NAME);
    if (o->scope == SCOPE_APPLICATION) {
        for (uint64_t i = 0; i < pop->n; i++)
            g.rows[i] = (uint32_t)i;
        g.begin[1] = pop->n;
        g.n = 1;
    }
    if (pop->counter[POP_BLOCK_COV] == NULL)
        build_warning(b, "the spread of thread instructions over blocks is not known: launches are "
                         "compared without it");
    launch_vectors_t *v = rb_calloc(g.n, sizeof(*v));
    double seconds = 0, bytes = 0, vectors = 0;
    for (uint32_t i = 0; i < g.n; i++) {
        uint64_t n = g.begin[i + 1] - g.begin[i];
        vectors_merge(&v[i], features(pop, g.rows + g.begin[i], n, dimensions(o)), n,
                      dimensions(o));
        double count = (double)v[i].n;
        vectors += count;
        seconds += linkage_seconds(count);
        bytes = fmax(bytes, linkage_bytes(count));
    }
    rb_code_t rc =
        launch_limit("tbpoint", vectors, seconds, bytes, o->max_seconds, o->max_gib, err);
    for (uint32_t i = 0; i < g.n; i++) {
        if (rc == RB_OK)
            add_clusters(b, o, g.rows + g.begin[i], g.begin[i + 1] - g.begin[i], &v[i]);
        vectors_free(&v[i]);
    }
    free(v);
    groups_free(&g);
    if (rc == RB_OK)
        build_spreads(b);
    return rc;
}

const launch_method_t launch_tbpoint = {
    .name = "tbpoint",
    .help = "TBPoint between launches: clusters of instruction features, one launch per cluster",
    .options = &tbpoint_group,
    .needs = LAUNCH_NEEDS_WARP_INSTS | LAUNCH_NEEDS_COUNTERS,
    .plan = plan_tbpoint,
};
