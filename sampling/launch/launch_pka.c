/*
 * Principal kernel selection of PKA (MICRO 2021): launches are vectors of counters, which are
 * standardised, reduced to principal components and clustered by k-means, with the smallest k whose
 * representatives predict the measured total.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sampling/launch/launch_limit.h"
#include "sampling/launch/launch_table.h"
#include "sampling/launch/launch_vectors.h"
#include "sampling/math/kmeans.h"
#include "sampling/math/pca.h"
#include "sampling/plan/plan_build.h"
#include "sim/core/alloc.h"

enum { STEM_ARTIFACT = 2 };
static const param_choice_t variants[] = {
    {"paper", NULL}, {"artifact", NULL}, {"stem", NULL}, {NULL, NULL}};

#define PKA_OPTIONS(P, E, T)                                                                       \
    P(U32, k, "20", 1, 1000, "", "maximum number of clusters")                                     \
    P(F64, error, "0.05", 1e-9, 1, "",                                                             \
      "paper, artifact: chooses the smallest k with an error below this")                          \
    P(F64, variance, "0.9995", 0.01, 1, "",                                                        \
      "share of the variance that the principal components keep")                                  \
    P(U32, starts, "10", 1, 1000, "", "random starts of k-means")                                  \
    E(representative, representative_choices, "first", "how a cluster's representative is chosen") \
    E(variant, variants, "paper",                                                                  \
      "paper; artifact: the published code; stem: PKA as in STEM's artifact (unscaled, least "     \
      "error)")

#define PKA_ALL(P, E, T) PKA_OPTIONS(P, E, T) LIMIT_OPTIONS(P)
PARAM_STRUCT(pka_options_t, PKA_ALL);
#define PARAM_SPEC_ pka_options_t
static const param_t pka_rows[] = {PARAM_ROWS(PKA_ALL)};
#undef PARAM_SPEC_
static const param_preset_t pka_presets[] = {
    {"artifact", "k", "19", "PKA.py: range(1, 20)"},
    {"stem", "representative", "random", "STEM's artifact: a random member"},
    {0}};
static const param_group_t pka_group =
    PARAM_GROUP_VARIANTS("pka", "principal kernel selection", pka_options_t, pka_rows, pka_presets);

/* Seconds per value of a vector and distance: an estimate, only for the limit. */
#define SECONDS_PER_TERM 1.5e-9

enum { TYPICAL_ITERATIONS = 20 };

/* Counters that are columns as they are; two more columns are derived. */
static const pop_counter_t columns[] = {
    POP_WARP_INSTS,      POP_GLOBAL_LD_SECTORS, POP_GLOBAL_ST_SECTORS, POP_LOCAL_LD_SECTORS,
    POP_GLOBAL_LD_INSTS, POP_GLOBAL_ST_INSTS,   POP_LOCAL_LD_INSTS,    POP_SHARED_LD_INSTS,
    POP_SHARED_ST_INSTS, POP_GLOBAL_ATOMICS};
enum { COLUMNS = sizeof(columns) / sizeof(columns[0]), ALL_COLUMNS = COLUMNS + 2 };

/* The vectors of all launches, n rows; *d: number of known counters. */
static double *features(plan_build_t *b, size_t *d)
{
    const population_t *pop = b->pop;
    const double *threads = pop->counter[POP_THREAD_INSTS], *insts = pop->counter[POP_WARP_INSTS];
    size_t width = 0;
    double *x = rb_calloc(pop->n * ALL_COLUMNS, sizeof(*x));
    for (uint64_t i = 0; i < pop->n; i++) {
        double *row = x + i * width;
        size_t j = 0;
        for (size_t c = 0; c < COLUMNS; c++) {
            if (pop->counter[columns[c]] != NULL)
                row[j++] = pop->counter[columns[c]][i];
        }
        if (threads != NULL)
            row[j++] = insts[i] > 0 ? threads[i] / insts[i] : 0;
        if (pop->grid != NULL)
            row[j++] = (double)pop->grid[i][0] * pop->grid[i][1] * pop->grid[i][2];
        width = j;
    }
    if (width < ALL_COLUMNS)
        build_warning(b, "only %zu of the %d counters of PKA are known: it clusters by those",
                      width, ALL_COLUMNS);
    *d = width;
    return x;
}

static rb_code_t check_features(const population_t *pop, const double *x, size_t d, rb_err_t *err)
{
    for (uint64_t i = 0; i < pop->n * d; i++) {
        if (!isfinite(x[i]))
            return rb_fail(err, RB_TRACE, "launch %llu (%.200s): a counter is not a number",
                           (unsigned long long)(pop->id == NULL ? i / d + 1 : pop->id[i / d]),
                           build_row_name(pop, i / d));
    }
    return RB_OK;
}

/* A clustering, and how well its representatives predict the total. */
typedef struct {
    uint32_t *cluster; /* owned: of each vector */
    uint64_t *row;     /* owned: representative of each cluster */
    size_t k;
    double error;
} division_t;

/* Renumbers the clusters without the empty ones. Returns how many remain. */
static size_t compact(uint32_t *cluster, size_t n, size_t k)
{
    uint32_t *label = rb_calloc(k, sizeof(*label)), used = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t *l = &label[cluster[i]];
        if (*l == 0)
            *l = ++used;
        cluster[i] = *l - 1;
    }
    free(label);
    return used;
}

static void try_division(const launch_vectors_t *v, const points_t *p, size_t k,
                         const pka_options_t *o, representative_t how, const plan_build_t *b,
                         division_t *out)
{
    const population_t *pop = b->pop;
    double *centre = rb_calloc(k * p->d, sizeof(*centre)), total = 0, predicted = 0;
    double *size = rb_calloc(k, sizeof(*size));
    rng_t rng = rng_make(b->seed, k);
    out->cluster = rb_calloc(v->n, sizeof(*out->cluster));
    out->row = rb_calloc(k, sizeof(*out->row));
    out->k = compact(out->cluster, v->n, kmeans(p, k, o->starts, &rng, out->cluster, centre));
    launch_vectors_t reduced = *v; /* representatives are chosen in the space of the clustered
                                    * points */
    reduced.x = (double *)p->x;
    reduced.d = p->d;
    vectors_representatives(&reduced, pop->n, out->cluster, out->k, how, b->seed, k + 1000,
                            out->row);
    for (size_t i = 0; i < v->n; i++)
        size[out->cluster[i]] += v->weight[i];
    for (size_t c = 0; c < out->k; c++)
        predicted += size[c] * pop->time[out->row[c]];
    for (uint64_t i = 0; i < pop->n; i++)
        total += pop->time[i];
    out->error = fabs(predicted - total) / total;
    free(centre);
    free(size);
}

static void division_free(division_t *d)
{
    free(d->cluster);
    free(d->row);
    *d = (division_t){0};
}

static division_t best_division(const launch_vectors_t *v, const points_t *p,
                                const pka_options_t *o, const plan_build_t *b)
{
    division_t best = {0};
    bool least = o->variant == STEM_ARTIFACT;
    size_t most = o->k;
    if (least && most > p->d)
        most = p->d;
    if (most > v->n)
        most = v->n;
    for (size_t k = 1; k <= most; k++) {
        division_t trial;
        try_division(v, p, k, o, (representative_t)o->representative, b, &trial);
        bool enough = !least && trial.error < o->error;
        if (best.k > 0 && !(trial.error < best.error)) {
            division_free(&trial);
        } else {
            division_free(&best);
            best = trial;
        }
        if (enough)
            break;
    }
    return best;
}

static void add_clusters(plan_build_t *b, const launch_vectors_t *v, const division_t *best)
{
    uint64_t *size = rb_calloc(best->k, sizeof(*size));
    for (uint64_t i = 0; i < b->pop->n; i++) {
        b->cluster_of[i] = best->cluster[v->of[i]];
        size[b->cluster_of[i]]++;
    }
    for (size_t c = 0; c < best->k; c++) {
        uint32_t row = (uint32_t)best->row[c];
        uint32_t name = b->pop->name == NULL ? 0 : b->pop->name[row];
        uint32_t cluster = build_cluster(b, name, size[c], NAN, NAN);
        build_sample(b, cluster, row, (double)size[c], 1);
    }
    free(size);
    build_spreads(b);
}

static rb_code_t plan_pka(const void *options, plan_build_t *b, rb_err_t *err)
{
    const pka_options_t *o = options;
    size_t d;
    double *x = features(b, &d);
    rb_code_t rc = check_features(b->pop, x, d, err);
    if (rc != RB_OK) {
        free(x);
        return rc;
    }
    launch_vectors_t v;
    vectors_merge(&v, x, b->pop->n, d);
    double terms = (double)v.n * (double)d * o->k * (o->k + 1) / 2;
    rc = launch_limit("pka", (double)v.n, terms * TYPICAL_ITERATIONS * o->starts * SECONDS_PER_TERM,
                      (double)v.n * (double)d * sizeof(*x), o->max_seconds, o->max_gib, err);
    if (rc == RB_OK) {
        standardise(v.x, v.weight, v.n, d, o->variant != STEM_ARTIFACT);
        points_t p = {.x = v.x, .weight = v.weight, .n = v.n};
        p.d = pca_project(v.x, v.weight, v.n, d, o->variance);
        division_t best = best_division(&v, &p, o, b);
        add_clusters(b, &v, &best);
        division_free(&best);
    }
    vectors_free(&v);
    return rc;
}

const launch_method_t launch_pka = {
    .name = "pka",
    .help = "PKA: clusters of counters; chooses their number by the measured times",
    .options = &pka_group,
    .needs = LAUNCH_NEEDS_TIME | LAUNCH_NEEDS_WARP_INSTS,
    .plan = plan_pka,
};
