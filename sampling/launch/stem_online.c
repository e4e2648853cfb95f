#include "sampling/launch/stem_online.h"

#include <math.h>
#include <stdlib.h>

#include "sampling/launch/launch_online.h"
#include "sampling/launch/launch_table.h"
#include "sampling/launch/plan_check.h"
#include "sampling/launch/stem_strata.h"
#include "sampling/math/allocate.h"
#include "sampling/math/quantile.h"
#include "sampling/math/rng.h"
#include "sampling/math/stable_sum.h"
#include "sampling/math/two_means.h"
#include "sim/core/alloc.h"
#include "sim/core/log.h"

#define ONLINE_OPTIONS(P, E, T)                                                                    \
    P(F64, epsilon, "0.05", 1e-6, 1, "", "relative error of the total")                            \
    P(F64, confidence, "0.95", 0.5, 0.999999, "", "probability of meeting epsilon")                \
    P(U32, rounds, "5", 1, 5, "", "maximum number of rounds; they share the error probability")    \
    P(U64, pilot, "2", 2, 1e6, "launches", "minimum per stratum in the first round")               \
    P(U64, pilot_total, "300", 2, 1e8, "launches",                                                 \
      "total of the first round, distributed by work; at most 5 % of all launches")                \
    P(U64, small, "10", 1, 1e6, "launches", "strata with fewer are merged with neighbours")

PARAM_STRUCT(online_options_t, ONLINE_OPTIONS);
#define PARAM_SPEC_ online_options_t
static const param_t online_rows[] = {PARAM_ROWS(ONLINE_OPTIONS)};
#undef PARAM_SPEC_
static const param_group_t online_group =
    PARAM_GROUP("stem_online", "sequential STEM", online_options_t, online_rows);

/* Weight of the pooled variance of all strata against that of a stratum, in degrees of freedom: a
 * few launches that happen to be equal do not prove that the rest are. */
#define PRIOR_DF 10.0

/* Limit of pilot_total as a share of the launches, and the minimum of that limit. */
#define PILOT_SHARE 0.05
#define PILOT_LEAST 30.0

/* One stratum: its first m rows, in random order, were taken. */
typedef struct {
    uint32_t *rows;    /* borrowed from the strata; shuffled as rows are taken */
    double *cycles;    /* owned: of the rows taken */
    uint64_t *swapped; /* owned: the row with which each row taken was swapped */
    uint64_t n, m;
    size_t cap, swapped_cap;
    uint64_t known; /* number of results so far; m between rounds */
    rng_t rng;
} part_t;

/* A launch of the round. */
typedef struct {
    uint32_t row, part;
    uint64_t at; /* index in the part's rows */
} asked_t;

struct stem_online {
    online_options_t o;
    const population_t *pop;
    uint64_t seed;
    stem_strata_t strata;
    part_t *part;
    asked_t *asked;
    uint64_t *ids;
    uint64_t n_asked;
    size_t asked_cap, ids_cap;
    unsigned rounds;
    bool met;
};

stem_online_t *stem_online_create(const void *options, const population_t *pop, uint64_t seed,
                                  rb_err_t *err)
{
    population_t untimed = *pop;
    untimed.time = NULL; /* not used */
    if (population_check(&untimed, err) != RB_OK)
        return NULL;
    stem_online_t *s = rb_calloc(1, sizeof(*s));
    s->o = *(const online_options_t *)options;
    s->pop = pop;
    stem_strata_make(&s->strata, pop, s->o.small);
    s->part = rb_calloc(s->strata.n, sizeof(*s->part));
    for (uint32_t h = 0; h < s->strata.n; h++) {
        uint64_t from = s->strata.begin[h];
        s->part[h] = (part_t){.rows = s->strata.rows + from, .n = s->strata.begin[h + 1] - from};
    }
    stem_online_restart(s, seed);
    return s;
}

/* Restores the original order of the rows of a part. */
static void untake(part_t *p)
{
    while (p->m > 0) {
        uint64_t other = p->swapped[--p->m];
        uint32_t row = p->rows[other];
        p->rows[other] = p->rows[p->m];
        p->rows[p->m] = row;
    }
    p->known = 0;
}

void stem_online_restart(stem_online_t *s, uint64_t seed)
{
    s->seed = seed;
    s->n_asked = 0;
    s->rounds = 0;
    s->met = false;
    for (uint32_t h = 0; h < s->strata.n; h++) {
        untake(&s->part[h]);
        s->part[h].rng = rng_make(seed, h);
    }
}

void stem_online_free(stem_online_t *s)
{
    if (s == NULL)
        return;
    for (uint32_t h = 0; h < s->strata.n; h++) {
        free(s->part[h].cycles);
        free(s->part[h].swapped);
    }
    stem_strata_free(&s->strata);
    free(s->part);
    free(s->asked);
    free(s->ids);
    free(s);
}

/* Takes rows of a part until it has m, each by one step of the Fisher-Yates shuffle. */
static void take(stem_online_t *s, uint32_t h, uint64_t m)
{
    part_t *p = &s->part[h];
    if (m > p->n)
        m = p->n;
    rb_grow(&p->cycles, &p->cap, m, sizeof(*p->cycles));
    rb_grow(&p->swapped, &p->swapped_cap, m, sizeof(*p->swapped));
    for (; p->m < m; p->m++) {
        uint64_t other = p->m + rng_below(&p->rng, p->n - p->m);
        uint32_t row = p->rows[other];
        p->rows[other] = p->rows[p->m];
        p->rows[p->m] = row;
        p->swapped[p->m] = other;
        rb_grow(&s->asked, &s->asked_cap, s->n_asked + 1, sizeof(*s->asked));
        s->asked[s->n_asked++] = (asked_t){.row = row, .part = h, .at = p->m};
    }
}

static void pilot(stem_online_t *s)
{
    double work = 0, all = fmax(PILOT_LEAST, PILOT_SHARE * (double)s->pop->n);
    all = fmin(all, (double)s->o.pilot_total);
    for (uint32_t h = 0; h < s->strata.n; h++)
        work += s->strata.work[h] * (double)s->part[h].n;
    for (uint32_t h = 0; h < s->strata.n; h++) {
        double share = s->strata.work[h] * (double)s->part[h].n / work;
        uint64_t m = (uint64_t)ceil(share * all);
        take(s, h, m > s->o.pilot ? m : s->o.pilot);
    }
}

/* Squared coefficient of variation pooled over all strata, weighted by degrees of freedom. */
static double pooled_spread(const stem_online_t *s)
{
    double sum = 0, df = 0;
    for (uint32_t h = 0; h < s->strata.n; h++) {
        const part_t *p = &s->part[h];
        spread_t c = spread_of(p->cycles, p->m);
        double own = (double)(p->m - 1), cov = c.mean > 0 ? c.sample / c.mean : 0;
        sum += own * cov * cov;
        df += own;
    }
    return df > 0 ? sum / df : 0;
}

/* Mean and spread of a stratum. The spread is that of its own launches, or, if larger, the one
 * expected from them and the pooled spread. */
static spread_t part_spread(const part_t *p, double pooled)
{
    spread_t c = spread_of(p->cycles, p->m);
    double own = (double)(p->m - 1), prior = pooled * c.mean * c.mean;
    double both = (PRIOR_DF * prior + own * c.sample * c.sample) / (PRIOR_DF + own);
    if (p->m < p->n && both > c.sample * c.sample)
        c.sample = sqrt(both);
    return c;
}

/* The estimate of the total so far. */
typedef struct {
    double total, variance, df;
} state_t;

static state_t state_now(const stem_online_t *s)
{
    stable_sum_t total = {0}, variance = {0}, per_df = {0};
    double pooled = pooled_spread(s);
    for (uint32_t h = 0; h < s->strata.n; h++) {
        const part_t *p = &s->part[h];
        double n = (double)p->n, m = (double)p->m;
        spread_t c = part_spread(p, pooled);
        sum_add(&total, n * c.mean);
        if (p->m == p->n)
            continue;
        double v = n * n * (1 - m / n) * c.sample * c.sample / m;
        sum_add(&variance, v);
        sum_add(&per_df, v * v / (m - 1));
    }
    double v = sum_value(&variance), d = sum_value(&per_df);
    return (state_t){.total = sum_value(&total), .variance = v, .df = d > 0 ? v * v / d : INFINITY};
}

/* Half width of the interval at one look, in standard errors. */
static double look_factor(const stem_online_t *s, double df)
{
    return interval_factor(1 - (1 - s->o.confidence) / s->o.rounds, df);
}

/* Takes the samples that the bound requires according to the current means and variances. */
static void next_samples(stem_online_t *s, const state_t *now)
{
    stratum_t *strata = rb_calloc(s->strata.n, sizeof(*strata));
    uint64_t *m = rb_calloc(s->strata.n, sizeof(*m)), before = 0, taken = 0;
    double pooled = pooled_spread(s);
    for (uint32_t h = 0; h < s->strata.n; h++) {
        const part_t *p = &s->part[h];
        spread_t c = part_spread(p, pooled);
        strata[h] = (stratum_t){.size = p->n, .cost = c.mean, .sd = c.sample, .least = p->m};
        before += p->m;
    }
    double error = s->o.epsilon * now->total / look_factor(s, now->df);
    allocate(strata, s->strata.n, error * error, true, m);
    for (uint32_t h = 0; h < s->strata.n; h++) {
        take(s, h, m[h]);
        taken += s->part[h].m;
    }
    /* With few degrees of freedom this may be too optimistic, so every round adds at least a
     * tenth. */
    for (uint32_t h = 0; h < s->strata.n && taken - before < before / 10 + 1; h++) {
        uint64_t had = s->part[h].m;
        take(s, h, had + had / 10 + 1);
        taken += s->part[h].m - had;
    }
    free(strata);
    free(m);
}

static int by_row(const void *a, const void *b)
{
    const asked_t *x = a, *y = b;
    return (x->row > y->row) - (x->row < y->row);
}

uint64_t stem_online_round(stem_online_t *s, const uint64_t **ids)
{
    for (uint32_t h = 0; h < s->strata.n; h++)
        RB_INVARIANT(s->part[h].known == s->part[h].m, "a round of stem_online lacks results");
    s->n_asked = 0;
    *ids = s->ids;
    if (s->rounds == 0) {
        pilot(s);
    } else {
        state_t now = state_now(s);
        double half = look_factor(s, now.df) * sqrt(now.variance);
        s->met = half <= s->o.epsilon * now.total;
        if (s->met || s->rounds == s->o.rounds)
            return 0;
        next_samples(s, &now);
    }
    s->rounds++;
    qsort(s->asked, s->n_asked, sizeof(*s->asked), by_row);
    rb_grow(&s->ids, &s->ids_cap, s->n_asked, sizeof(*s->ids));
    for (uint64_t i = 0; i < s->n_asked; i++) {
        uint32_t row = s->asked[i].row;
        s->ids[i] = s->pop->id == NULL ? row + 1ull : s->pop->id[row];
    }
    *ids = s->ids;
    return s->n_asked;
}

void stem_online_result(stem_online_t *s, uint64_t i, double cycles)
{
    RB_INVARIANT(i < s->n_asked && cycles >= 0 && isfinite(cycles),
                 "stem_online was given %g cycles for launch %llu of a round of %llu", cycles,
                 (unsigned long long)i, (unsigned long long)s->n_asked);
    part_t *p = &s->part[s->asked[i].part];
    p->cycles[s->asked[i].at] = cycles;
    p->known++;
}

bool stem_online_met(const stem_online_t *s)
{
    return s->met;
}

unsigned stem_online_rounds(const stem_online_t *s)
{
    return s->rounds;
}

uint32_t stem_online_strata(const stem_online_t *s)
{
    return s->strata.n;
}

estimate_t stem_online_estimate(const stem_online_t *s)
{
    state_t now = state_now(s);
    bool exact = true;
    for (uint32_t h = 0; h < s->strata.n; h++)
        exact = exact && s->part[h].m == s->part[h].n;
    double half = exact ? 0 : look_factor(s, now.df) * sqrt(now.variance);
    return (estimate_t){.value = now.total,
                        .low = now.total - half,
                        .high = now.total + half,
                        .confidence = s->o.confidence,
                        .method = exact ? "exact" : "sequential stratified t",
                        .df = now.df};
}

void stem_online_plan(const stem_online_t *s, plan_t *plan)
{
    launch_choice_t choice = {.method = &launch_stem_online, .options = (void *)&s->o};
    *plan = (plan_t){.method = launch_choice_text(&choice),
                     .seed = s->seed,
                     .n_launches = s->pop->n,
                     .random = true,
                     .profile_total = NAN,
                     .predicted_total = NAN,
                     .predicted_speedup = NAN,
                     .error_bound = NAN,
                     .confidence = s->o.confidence};
    plan_build_t build = {.plan = plan, .pop = s->pop, .seed = s->seed};
    for (uint32_t h = 0; h < s->strata.n; h++) {
        const part_t *p = &s->part[h];
        spread_t c = spread_of(p->cycles, p->m);
        uint32_t name = s->pop->name == NULL ? 0 : s->pop->name[p->rows[0]];
        uint32_t cluster = build_cluster(&build, name, p->n, c.mean, c.sd);
        for (uint64_t i = 0; i < p->m; i++)
            build_sample(&build, cluster, p->rows[i], (double)p->n / (double)p->m, 1);
    }
    plan_sort_samples(plan);
    free(build.name_in_plan);
}

/* Adapters to launch_online.h. */

static void *create_online(const launch_choice_t *choice, const population_t *pop, uint64_t seed,
                           rb_err_t *err)
{
    return stem_online_create(choice->options, pop, seed, err);
}

static void destroy_online(void *state)
{
    stem_online_free(state);
}

static void restart_online(void *state, uint64_t seed)
{
    stem_online_restart(state, seed);
}

static rb_code_t round_online(void *state, const uint64_t **ids, uint64_t *n, rb_err_t *err)
{
    (void)err;
    *n = stem_online_round(state, ids);
    return RB_OK;
}

static void take_result(void *state, uint64_t i, double cycles)
{
    stem_online_result(state, i, cycles);
}

static rb_code_t finish_online(void *state, plan_t *plan, estimate_t *cycles, rb_err_t *err)
{
    (void)err;
    stem_online_plan(state, plan);
    *cycles = stem_online_estimate(state);
    return RB_OK;
}

static void report_online(const void *state, const char *name)
{
    const stem_online_t *s = state;
    if (!s->met)
        rb_warn("%s: the error bound is not met after %u rounds", name, s->rounds);
    rb_info("%s: %u round%s, %u strat%s", name, s->rounds, s->rounds == 1 ? "" : "s", s->strata.n,
            s->strata.n == 1 ? "um" : "a");
}

static const launch_online_ops_t online_ops = {
    .create = create_online,
    .destroy = destroy_online,
    .restart = restart_online,
    .round = round_online,
    .result = take_result,
    .finish = finish_online,
    .report = report_online,
};

const launch_method_t launch_stem_online = {
    .name = "stem_online",
    .help = "sequential STEM: sample sizes from simulated cycles, needs no profile",
    .options = &online_group,
    .online = &online_ops,
};
