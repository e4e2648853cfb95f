/*
 * Sieve (ISPASS 2023): stratifies the launches of a kernel by their instruction counts; one launch
 * represents a stratum, by instructions. Total = sum over the strata of instructions times the
 * representative's cycles per instruction; the published weighted harmonic means of the IPC are
 * equivalent.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sampling/launch/launch_group.h"
#include "sampling/launch/launch_table.h"
#include "sampling/launch/stem/stem_groups.h"
#include "sampling/math/kde.h"
#include "sampling/math/pair_sort.h"
#include "sampling/math/rng.h"
#include "sampling/math/stable_sum.h"
#include "sampling/math/two_means.h"
#include "sim/core/alloc.h"

enum { ORIGINAL, ARTIFACT };
static const param_choice_t variants[] = {{"original", NULL}, {"artifact", NULL}, {NULL, NULL}};
enum { PUBLISHED, ALL };
static const param_choice_t feature_choices[] = {
    {"published", "instructions, as in the paper"},
    {"all", "every count that is known, blocks too: similar launches are a stratum"},
    {NULL, NULL}};
enum { FIRST, RANDOM };
static const param_choice_t representatives[] = {{"first", NULL}, {"random", NULL}, {NULL, NULL}};

#define SIEVE_OPTIONS(P, E, T)                                                                     \
    P(F64, theta, "0.4", 0, 1e6, "",                                                               \
      "published: coefficient of variation of the instruction counts below which a kernel is "     \
      "one stratum")                                                                               \
    P(BOOL, density, "true", 0, 1, "",                                                             \
      "published: divide the other kernels at the minima of the density of their counts")          \
    P(F64, part_spread, "0.5", 0, 1e6, "",                                                         \
      "published: a part with a larger coefficient of variation is divided once more")             \
    P(F64, bandwidth, "1", 1e-9, 1e15, "instructions",                                             \
      "published: bandwidth of the kernel density estimate")                                       \
    P(U32, points, "50", 3, 1e6, "",                                                               \
      "published: number of points at which the density is evaluated")                             \
    E(features, feature_choices, "published", "by which launches are compared")                    \
    P(F64, similar, "0.1", 0, 100, "",                                                             \
      "all: largest relative difference from the first launch of a stratum")                       \
    E(representative, representatives, "first",                                                    \
      "which of the launches with the stratum's count represents it")                              \
    E(variant, variants, "original",                                                               \
      "original: gpubench/sieve; artifact: as in STEM's artifact, weights by launches")

PARAM_STRUCT(sieve_options_t, SIEVE_OPTIONS);
#define PARAM_SPEC_ sieve_options_t
static const param_t sieve_rows[] = {PARAM_ROWS(SIEVE_OPTIONS)};
#undef PARAM_SPEC_
static const param_group_t sieve_group =
    PARAM_GROUP("sieve", "strata of instruction counts", sieve_options_t, sieve_rows);

/* The launches of one kernel, by instruction count. */
typedef struct {
    const sieve_options_t *o;
    plan_build_t *b;
    uint32_t name;
    const double *x;      /* sorted counts */
    const uint32_t *rows; /* ascending for equal counts */
    uint64_t n;
    double *value, *count; /* distinct counts, and how many launches have each */
    uint64_t *start;       /* first position of each distinct count; n_values + 1 */
    uint64_t n_values;
} kernel_t;

/* Threads of a launch; 1 for all if grid and block are not known. */
static double threads_of(const population_t *pop, uint32_t row)
{
    double threads = 1;
    for (int i = 0; i < 3 && pop->grid != NULL && pop->block != NULL; i++)
        threads *= (double)pop->grid[row][i] * pop->block[row][i];
    return threads;
}

/* Makes positions [from, to) a stratum, represented by position rep. */
static void add_stratum(const kernel_t *k, uint64_t from, uint64_t to, uint64_t rep)
{
    uint32_t cluster = build_cluster(k->b, k->name, to - from, NAN, NAN);
    stable_sum_t insts = {0};
    for (uint64_t i = from; i < to; i++) {
        k->b->cluster_of[k->rows[i]] = cluster;
        sum_add(&insts, k->x[i]);
    }
    bool by_insts = k->o->variant == ORIGINAL && k->x[rep] > 0;
    double weight = by_insts ? sum_value(&insts) / k->x[rep] : (double)(to - from);
    build_sample(k->b, cluster, k->rows[rep], weight, 1);
}

/* The first or a random one of n positions. */
static uint64_t choose(const kernel_t *k, uint64_t from, uint64_t n)
{
    if (k->o->representative == FIRST)
        return from; /* rows ascend for equal counts */
    rng_t rng = rng_make(k->b->seed, k->rows[from]);
    return from + rng_below(&rng, n);
}

/* The most frequent number of threads of a kernel's launches; the lowest if several are. */
static double usual_threads(const kernel_t *k)
{
    uint64_t *key = rb_calloc(2 * k->n, sizeof(*key));
    uint32_t *row = rb_calloc(2 * k->n, sizeof(*row));
    uint64_t best = 0;
    double threads = 1;
    for (uint64_t i = 0; i < k->n; i++)
        key[i] = sort_key(threads_of(k->b->pop, k->rows[i]));
    pair_sort(key, row, k->n, key + k->n, row + k->n);
    for (uint64_t i = 0, run = 0; i < k->n; i++) {
        run = i > 0 && key[i] == key[i - 1] ? run + 1 : 1;
        if (run > best) {
            best = run;
            threads = sort_value(key[i]);
        }
    }
    free(key);
    free(row);
    return threads;
}

/* Makes the kernel one stratum, represented by the first launch with the most frequent count among
 * those with the most frequent number of threads. */
static void whole_kernel(const kernel_t *k)
{
    double threads = usual_threads(k);
    uint64_t most = 0, rep = 0;
    for (uint64_t v = 0; v < k->n_values; v++) {
        uint64_t frequent = 0, first = 0;
        for (uint64_t i = k->start[v]; i < k->start[v + 1]; i++) {
            if (threads_of(k->b->pop, k->rows[i]) < threads ||
                threads_of(k->b->pop, k->rows[i]) > threads)
                continue;
            if (frequent++ == 0)
                first = i;
        }
        if (frequent > most) {
            most = frequent;
            rep = first;
        }
    }
    if (k->o->representative == RANDOM) {
        uint64_t v = 0;
        while (k->start[v + 1] <= rep)
            v++;
        rep = choose(k, k->start[v], k->start[v + 1] - k->start[v]);
    }
    add_stratum(k, 0, k->n, rep);
}

/* Makes the distinct counts [from, to) a stratum; their upper median represents it. */
static void add_part(const kernel_t *k, uint64_t from, uint64_t to)
{
    uint64_t middle = from + (to - from) / 2;
    add_stratum(k, k->start[from], k->start[to],
                choose(k, k->start[middle], k->start[middle + 1] - k->start[middle]));
}

/* Divides distinct counts [from, to) at the minima of their density. again: divide wide parts once
 * more. */
static void divide(const kernel_t *k, uint64_t from, uint64_t to, bool again)
{
    uint32_t points = k->o->points;
    const double *x = k->value + from;
    uint64_t n = to - from, at = from;
    double *density = rb_calloc(points, sizeof(*density));
    double step = (x[n - 1] - x[0]) / (points - 1);
    for (uint32_t i = 0; n > 1 && i < points; i++)
        density[i] = kde_log(x, NULL, n, k->o->bandwidth, x[0] + step * i);
    for (uint32_t i = 0; n > 1 && i <= points; i++) {
        /* At the ends the only neighbour decides, as in SciPy's argrelextrema(less_equal). */
        bool minimum = i == points || ((i == 0 || density[i] <= density[i - 1]) &&
                                       (i == points - 1 || density[i] <= density[i + 1]));
        if (!minimum)
            continue;
        uint64_t end = at;
        while (end < to && (i == points || k->value[end] < x[0] + step * i))
            end++;
        if (end == at)
            continue;
        spread_t s = spread_of(k->value + at, end - at);
        if (again && s.sd > k->o->part_spread * s.mean)
            divide(k, at, end, false);
        else
            add_part(k, at, end);
        at = end;
    }
    if (n == 1)
        add_part(k, from, to);
    free(density);
}

/* The artifact's division: at every launch whose density is not above that of its neighbours. */
static void divide_at_launches(const kernel_t *k)
{
    double *density = rb_calloc(k->n_values, sizeof(*density));
    for (uint64_t v = 0; v < k->n_values; v++)
        density[v] = kde_log(k->value, k->count, k->n_values, k->o->bandwidth, k->value[v]);
    uint64_t from = 0;
    for (uint64_t v = 0; v < k->n_values; v++) {
        bool left = v == 0 || density[v] <= density[v - 1];
        bool right = v + 1 == k->n_values || density[v] <= density[v + 1];
        for (uint64_t i = k->start[v]; i < k->start[v + 1]; i++) {
            /* Launches with the same count are on a plateau, so each is a minimum. */
            bool minimum = (left || i > k->start[v]) && (right || i + 1 < k->start[v + 1]);
            if (minimum && i > from) {
                add_stratum(k, from, i, from);
                from = i;
            }
        }
    }
    add_stratum(k, from, k->n, from);
    free(density);
}

static void sieve_kernel(kernel_t *k)
{
    spread_t s = spread_of(k->x, k->n);
    k->n_values = 0;
    for (uint64_t i = 0; i < k->n; i++) {
        if (i == 0 || k->x[i] > k->x[i - 1]) {
            k->value[k->n_values] = k->x[i];
            k->count[k->n_values] = 0;
            k->start[k->n_values++] = i;
        }
        k->count[k->n_values - 1]++;
    }
    k->start[k->n_values] = k->n;
    if (k->n_values == 1)
        add_stratum(k, 0, k->n, choose(k, 0, k->n));
    else if (s.sd < k->o->theta * s.mean || !k->o->density)
        whole_kernel(k);
    else if (k->o->variant == ARTIFACT)
        divide_at_launches(k);
    else
        divide(k, 0, k->n_values, true);
}

/* Counts must be finite and not negative. */
static rb_code_t check_counts(const population_t *pop, rb_err_t *err)
{
    for (uint64_t i = 0; i < pop->n; i++) {
        double count = pop->counter[POP_WARP_INSTS][i];
        if (!(count >= 0) || isinf(count))
            return rb_fail(err, RB_TRACE, "launch %llu (%.200s): %g warp instructions",
                           (unsigned long long)(pop->id == NULL ? i + 1 : pop->id[i]),
                           build_row_name(pop, i), count);
    }
    return RB_OK;
}

/* Of similar launches [from, to), that with the instructions nearest to their mean; the first of
 * several. */
static uint32_t middle_row(const stem_groups_t *g, const double *insts, uint64_t from, uint64_t to,
                           double mean)
{
    uint32_t best = g->rows[from];
    for (uint64_t i = from; i < to; i++) {
        if (fabs(insts[g->rows[i]] - mean) < fabs(insts[best] - mean))
            best = g->rows[i];
    }
    return best;
}

/* Strata of launches that are similar in everything that is known: launches with equal instructions in
 * a quarter of the blocks can take several times as long. */
static void plan_all_features(const sieve_options_t *o, plan_build_t *b)
{
    const population_t *pop = b->pop;
    const double *insts = pop->counter[POP_WARP_INSTS];
    stem_groups_t g;
    stem_groups_make(&g, pop, UINT64_MAX, o->similar);
    for (uint32_t i = 0; i < g.n; i++) {
        uint64_t from = g.begin[i], to = g.begin[i + 1];
        uint32_t name = pop->name == NULL ? 0 : pop->name[g.rows[from]];
        uint32_t cluster = build_cluster(b, name, to - from, NAN, NAN);
        stable_sum_t sum = {0};
        for (uint64_t k = from; k < to; k++) {
            b->cluster_of[g.rows[k]] = cluster;
            sum_add(&sum, insts[g.rows[k]]);
        }
        double size = (double)(to - from);
        uint32_t row = middle_row(&g, insts, from, to, sum_value(&sum) / size);
        if (o->representative == RANDOM) {
            rng_t rng = rng_make(b->seed, i);
            row = g.rows[from + rng_below(&rng, to - from)];
        }
        bool by_insts = o->variant == ORIGINAL && insts[row] > 0;
        build_sample(b, cluster, row, by_insts ? sum_value(&sum) / insts[row] : size, 1);
    }
    stem_groups_free(&g);
    build_spreads(b);
}

static rb_code_t plan_sieve(const void *options, plan_build_t *b, rb_err_t *err)
{
    const population_t *pop = b->pop;
    launch_groups_t g;
    uint64_t largest = 0;
    RB_TRY(check_counts(pop, err));
    if (((const sieve_options_t *)options)->features == ALL) {
        plan_all_features(options, b);
        return RB_OK;
    }
    groups_make(&g, b, GROUP_BY_NAME);
    double *x = groups_sort(&g, pop->counter[POP_WARP_INSTS]);
    for (uint32_t i = 0; i < g.n; i++)
        largest = g.begin[i + 1] - g.begin[i] > largest ? g.begin[i + 1] - g.begin[i] : largest;
    kernel_t k = {.o = options, .b = b};
    k.value = rb_calloc(largest, sizeof(*k.value));
    k.count = rb_calloc(largest, sizeof(*k.count));
    k.start = rb_calloc(largest + 1, sizeof(*k.start));
    if (pop->grid == NULL || pop->block == NULL)
        build_warning(
            b, "grid and block sizes are not known: all launches are assumed to have the same "
               "number of threads");
    for (uint32_t i = 0; i < g.n; i++) {
        k.name = g.name[i];
        k.x = x + g.begin[i];
        k.rows = g.rows + g.begin[i];
        k.n = g.begin[i + 1] - g.begin[i];
        sieve_kernel(&k);
    }
    free(k.value);
    free(k.count);
    free(k.start);
    free(x);
    groups_free(&g);
    build_spreads(b);
    return RB_OK;
}

const launch_method_t launch_sieve = {
    .name = "sieve",
    .help = "Sieve: strata of instruction counts, one launch per stratum",
    .options = &sieve_group,
    .needs = LAUNCH_NEEDS_WARP_INSTS,
    .plan = plan_sieve,
};
