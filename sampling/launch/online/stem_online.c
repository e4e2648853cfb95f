#include "sampling/launch/online/stem_online.h"

#include <math.h>
#include <stdlib.h>

#include "sampling/launch/online/online_explain.h"
#include "sampling/launch/online/online_next.h"
#include "sampling/launch/online/online_size.h"
#include "sampling/launch/online/online_steps.h"
#include "sampling/launch/online/online_stretch.h"
#include "sampling/launch/stem/stem_strata.h"
#include "sampling/math/quantile.h"
#include "sampling/math/rng.h"
#include "sampling/math/stable_sum.h"
#include "sampling/math/two_means.h"
#include "sampling/plan/plan_check.h"
#include "sampling/plan/plan_untold.h"
#include "sim/core/alloc.h"

#define ONLINE_OPTIONS(P, E, T)                                                                    \
    P(F64, epsilon, "0.05", 1e-6, 1, "", "relative error of the total")                            \
    P(F64, confidence, "0.95", 0.5, 0.999999, "", "probability of meeting epsilon")                \
    P(U32, rounds, "5", 1, 5, "", "maximum number of rounds; they share the error probability")    \
    P(U64, pilot, "2", 2, 1e6, "launches", "minimum per group in the first round")                 \
    P(U64, pilot_total, "460", 2, 1e8, "launches",                                                 \
      "total of the first round; at most a twentieth of all launches, or 30")                      \
    P(U64, small, "10", 1, 1e6, "launches", "groups with fewer are merged with similar ones")      \
    P(F64, similar, "0.5", 0, 100, "", "largest relative difference of merged groups")             \
    P(BOOL, firsts, "true", 0, 1, "",                                                              \
      "first launches are strata of their own where that is cheap")                                \
    P(F64, slow, "0", 0, 1e6, "",                                                                  \
      "slow launches that no sample met, for which the interval allows: their length, in means; "  \
      "0: what the chip and the index allow")                                                      \
    P(F64, rare, "0.01", 0, 1, "", "... and their share of all launches, at most")

PARAM_STRUCT(online_options_t, ONLINE_OPTIONS);
#define PARAM_SPEC_ online_options_t
static const param_t online_rows[] = {PARAM_ROWS(ONLINE_OPTIONS)};
#undef PARAM_SPEC_
const param_group_t stem_online_group =
    PARAM_GROUP("stem_online", "sequential STEM", online_options_t, online_rows);

/* One stratum: its first m rows, in random order, were taken. */
typedef struct {
    uint32_t *rows;    /* borrowed from the strata; shuffled as rows are taken */
    double *cycles;    /* owned: of the rows taken */
    double *adjusted;  /* owned: these, as online_size.h says */
    double *within;    /* owned: variances of these */
    uint64_t *swapped; /* owned: the row with which each row taken was swapped */
    uint64_t n, m;
    size_t cap, adjusted_cap, within_cap, swapped_cap;
    uint64_t known; /* number of results so far; m between rounds */
    rng_t rng;
} part_t;

/* A bound that takes more than this share of the launches is given up, and an interval that is this many
 * times as wide says nothing. */
#define GIVE_UP      0.5
#define SAYS_NOTHING 4.0

/*
 * Samples that cost more than this share of the program save nothing: launches between samples are walked, again in
 * every round, for a twentieth of the time that it takes to simulate them or more, and a first round that large is
 * rarely the last one (3 of 8 drawn programs). Everything is simulated then.
 */
#define PAYS 0.7

/* In place of a part: the launch is not a sample, but one of the stretch. */
#define NO_PART UINT32_MAX

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
    online_steps_t steps; /* as of the last look */
    part_t *part;
    asked_t *asked;
    uint64_t *ids;
    uint64_t n_asked;
    size_t asked_cap, ids_cap;
    stratum_sample_t *sample; /* owned: per stratum, for online_state() */
    online_stratum_t *plan;   /* owned: per stratum, as of `now` */
    const uint32_t **rows;    /* owned: per stratum, those of its samples */
    online_size_t size;
    double *extra; /* owned: per group, the mean of population_t.extra; NULL: unknown */
    online_stretch_t stretch;
    online_state_t now; /* what the results of all rounds so far say */
    unsigned rounds;
    bool met;
    double
        too_dear; /* share of the cost that sampling would have had, so all are taken; 0: it pays */
    char note[512];
};

static void find_extra(stem_online_t *s)
{
    const stem_strata_t *st = &s->steps.view;
    free(s->extra);
    s->extra = NULL;
    if (s->pop->extra == NULL)
        return;
    s->extra = rb_calloc(st->n_groups, sizeof(*s->extra));
    for (uint32_t g = 0; g < st->n_groups; g++) {
        const uint64_t from = st->begin[st->of_group[g]], to = st->begin[st->of_group[g + 1]];
        for (uint64_t i = from; i < to; i++)
            s->extra[g] += s->pop->extra[st->rows[i]] / (double)(to - from);
    }
}

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
    strata_options_t o = {.small = s->o.small,
                          .similar = s->o.similar,
                          .pilot = s->o.pilot,
                          .pilot_total = s->o.pilot_total,
                          .firsts = s->o.firsts};
    stem_strata_make(&s->strata, pop, &o);
    s->part = rb_calloc(s->strata.n, sizeof(*s->part));
    s->sample = rb_calloc(s->strata.n, sizeof(*s->sample));
    s->plan = rb_calloc(s->strata.n, sizeof(*s->plan));
    s->rows = rb_calloc(s->strata.n, sizeof(*s->rows));
    for (uint32_t h = 0; h < s->strata.n; h++) {
        uint64_t from = s->strata.begin[h];
        s->part[h] = (part_t){.rows = s->strata.rows + from, .n = s->strata.begin[h + 1] - from};
        s->rows[h] = s->part[h].rows;
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
    s->too_dear = 0;
    stretch_choose(&s->stretch, s->pop, &s->strata, seed);
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
        free(s->part[h].adjusted);
        free(s->part[h].within);
        free(s->part[h].swapped);
    }
    stem_strata_free(&s->strata);
    stretch_free(&s->stretch);
    free(s->part);
    free(s->sample);
    free(s->plan);
    free(s->rows);
    free(s->extra);
    online_size_free(&s->size);
    online_steps_free(&s->steps);
    free(s->asked);
    free(s->ids);
    free(s);
}

static void ask(stem_online_t *s, asked_t launch)
{
    rb_grow(&s->asked, &s->asked_cap, s->n_asked + 1, sizeof(*s->asked));
    s->asked[s->n_asked++] = launch;
}

/* Takes the result of a launch that was simulated in the stretch; false: it was not. */
static bool reuse(stem_online_t *s, part_t *p, uint32_t row)
{
    const online_stretch_t *t = &s->stretch;
    if (!stretch_has(t, row) || isnan(t->cycles[row - t->begin]))
        return false;
    p->cycles[p->m] = t->cycles[row - t->begin];
    p->within[p->m] = t->within[row - t->begin];
    p->known++;
    return true;
}

/* Takes rows of a part until it has m, each by one step of the Fisher-Yates shuffle. */
static void take(stem_online_t *s, uint32_t h, uint64_t m)
{
    part_t *p = &s->part[h];
    if (m > p->n)
        m = p->n;
    rb_grow(&p->cycles, &p->cap, m, sizeof(*p->cycles));
    rb_grow(&p->adjusted, &p->adjusted_cap, m, sizeof(*p->adjusted));
    rb_grow(&p->within, &p->within_cap, m, sizeof(*p->within));
    rb_grow(&p->swapped, &p->swapped_cap, m, sizeof(*p->swapped));
    for (; p->m < m; p->m++) {
        uint64_t other = p->m + rng_below(&p->rng, p->n - p->m);
        uint32_t row = p->rows[other];
        p->rows[other] = p->rows[p->m];
        p->rows[p->m] = row;
        p->swapped[p->m] = other;
        if (!reuse(s, p, row))
            ask(s, (asked_t){.row = row, .part = h, .at = p->m});
    }
}

/* Takes m launches of each stratum; all of them if that does not pay. */
static void take_if_it_pays(stem_online_t *s, const uint64_t *m)
{
    double cost = 0, all = 0;
    for (uint32_t h = 0; h < s->strata.n; h++) {
        const double n = (double)s->part[h].n;
        cost += s->strata.cost[h] * fmin((double)m[h], n);
        all += s->strata.cost[h] * n;
    }
    const bool dear = cost > PAYS * all;
    if (dear && cost < all)
        s->too_dear = cost / all;
    for (uint32_t h = 0; h < s->strata.n; h++)
        take(s, h, dear ? s->part[h].n : m[h]);
}

/* The first round: the samples of the pilot. */
static void take_first(stem_online_t *s)
{
    take_if_it_pays(s, s->strata.pilot);
    /* The stretch, without the launches that are samples anyway. */
    const online_stretch_t *t = &s->stretch;
    bool *is_sample = rb_calloc(t->end - t->begin + 1, sizeof(*is_sample));
    for (uint64_t i = 0; i < s->n_asked; i++) {
        if (stretch_has(t, s->asked[i].row))
            is_sample[s->asked[i].row - t->begin] = true;
    }
    for (uint64_t row = t->begin; row < t->end; row++) {
        if (!is_sample[row - t->begin])
            ask(s, (asked_t){.row = (uint32_t)row, .part = NO_PART});
    }
    free(is_sample);
}

static uint64_t id_of(const stem_online_t *s, uint32_t row)
{
    return s->pop->id == NULL ? row + 1ull : s->pop->id[row];
}

/* Confidence of one look. */
static double look_confidence(const stem_online_t *s)
{
    return 1 - (1 - s->o.confidence) / s->o.rounds;
}

/* Finds groups, and what the cycles of their samples would be without chance in sizes. */
static void regroup(stem_online_t *s)
{
    online_steps_free(&s->steps);
    online_size_free(&s->size);
    online_steps_find(&s->steps, &s->strata, s->sample, s->rows);
    online_size_init(&s->size, s->pop, &s->steps);
    find_extra(s);
    online_size_fit(&s->size, &s->steps.view, s->sample, s->rows);
    for (uint32_t g = 0; g < s->steps.view.n_groups; g++) {
        for (uint32_t h = s->steps.view.of_group[g]; h < s->steps.view.of_group[g + 1]; h++) {
            part_t *p = &s->part[h];
            for (uint64_t i = 0; i < p->m; i++)
                p->adjusted[i] = online_size_adjusted(&s->size, g, p->rows[i], p->cycles[i]);
            s->sample[h].cycles = p->adjusted;
        }
    }
}

static void look(stem_online_t *s)
{
    for (uint32_t h = 0; h < s->strata.n; h++) {
        const part_t *p = &s->part[h];
        s->sample[h] = (stratum_sample_t){p->n, p->m, p->cycles, p->within};
    }
    regroup(s);
    const online_assume_t assume = {
        .slow = s->o.slow, .extra = s->extra, .rare = s->o.rare, .confidence = look_confidence(s)};
    s->now = online_state(&s->steps.view, s->sample, &assume, s->plan);
}

/* Samples without which slow launches that none of them met may alone be more than the bound; 0: they
 * are not. */
static double looks_for_bound(const stem_online_t *s)
{
    const double bound = s->o.epsilon * s->now.total;
    return s->now.unseen > bound ? online_looks_for(&s->now, look_confidence(s), bound) : 0;
}

static bool gives_up(const stem_online_t *s)
{
    return looks_for_bound(s) > GIVE_UP * s->now.hidden;
}

/* Takes the samples that the bound requires according to the current means and variances. */
static void next_samples(stem_online_t *s)
{
    uint64_t *m = rb_calloc(s->strata.n, sizeof(*m));
    online_next_t in = {.strata = &s->steps.view,
                        .samples = s->sample,
                        .plan = s->plan,
                        .now = &s->now,
                        .epsilon = s->o.epsilon,
                        .confidence = look_confidence(s),
                        .gives_up = gives_up(s)};
    online_next(&in, m);
    take_if_it_pays(s, m);
    free(m);
}

static int by_row(const void *a, const void *b)
{
    const asked_t *x = a, *y = b;
    return (x->row > y->row) - (x->row < y->row);
}

/* Whether chance in the choice of launches has the part of the bound that it may have if slow launches
 * that were not met have the rest. */
static bool is_precise(const stem_online_t *s)
{
    online_state_t met = s->now;
    met.unseen = 0;
    return online_farther(online_half(&met, look_confidence(s), true)) <=
           sqrt(0.5) * s->o.epsilon * met.total;
}

/* Looks at the results; false: the sampler is done. */
static bool goes_on(stem_online_t *s)
{
    look(s);
    double half = online_farther(online_half(&s->now, look_confidence(s), true));
    bool heavy = s->now.heavy && !s->now.exact;
    s->met = !heavy && half <= s->o.epsilon * s->now.total;
    return !s->met && !s->now.exact && !s->now.hopeless && s->rounds < s->o.rounds &&
           !(gives_up(s) && is_precise(s));
}

uint64_t stem_online_round(stem_online_t *s, const uint64_t **ids)
{
    for (uint32_t h = 0; h < s->strata.n; h++)
        RB_INVARIANT(s->part[h].known == s->part[h].m, "a round of stem_online lacks results");
    s->n_asked = 0;
    *ids = s->ids;
    if (s->rounds == 0)
        take_first(s);
    /* All launches of a round may be known from the stretch. */
    for (; s->n_asked == 0; s->rounds += s->n_asked == 0) {
        if (!goes_on(s))
            return 0;
        next_samples(s);
    }
    s->rounds++;
    qsort(s->asked, s->n_asked, sizeof(*s->asked), by_row);
    rb_grow(&s->ids, &s->ids_cap, s->n_asked, sizeof(*s->ids));
    for (uint64_t i = 0; i < s->n_asked; i++)
        s->ids[i] = id_of(s, s->asked[i].row);
    *ids = s->ids;
    return s->n_asked;
}

void stem_online_result(stem_online_t *s, uint64_t i, double cycles, double variance)
{
    RB_INVARIANT(i < s->n_asked && cycles >= 0 && isfinite(cycles),
                 "stem_online was given %g cycles for launch %llu of a round of %llu", cycles,
                 (unsigned long long)i, (unsigned long long)s->n_asked);
    const asked_t *a = &s->asked[i];
    if (stretch_has(&s->stretch, a->row)) {
        s->stretch.cycles[a->row - s->stretch.begin] = cycles;
        s->stretch.within[a->row - s->stretch.begin] = variance;
    }
    if (a->part == NO_PART)
        return;
    part_t *p = &s->part[a->part];
    p->cycles[a->at] = cycles;
    p->within[a->at] = variance;
    p->known++;
}

double stem_online_too_dear(const stem_online_t *s)
{
    return s->too_dear;
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

/* The launches that were simulated are the least that the total can be. */
static double simulated_cycles(const stem_online_t *s)
{
    stable_sum_t sum = {0};
    for (uint32_t h = 0; h < s->strata.n; h++) {
        for (uint64_t i = 0; i < s->part[h].m; i++)
            sum_add(&sum, s->part[h].cycles[i]);
    }
    return sum_value(&sum);
}

/* The difference that skipping launches makes, if it is known well enough to say something about the
 * bound. */
static bool bias_of(const stem_online_t *s, stretch_bias_t *bias)
{
    *bias = stretch_bias(&s->stretch, &s->steps.view, s->sample, s->rows, &s->size, s->plan);
    return 2 * bias->error < s->o.epsilon;
}

static void add_bias(const stem_online_t *s, online_half_t *half)
{
    stretch_bias_t bias;
    if (!bias_of(s, &bias))
        return;
    double error = interval_factor(look_confidence(s), INFINITY) * bias.error * s->now.total;
    half->below = hypot(half->below, error) + fmax(0, -bias.value) * s->now.total;
    half->above = hypot(half->above, error) + fmax(0, bias.value) * s->now.total;
}

/* Whether slow launches that no sample met could be most of the program. */
static bool says_nothing(const stem_online_t *s)
{
    return s->now.unseen > SAYS_NOTHING * s->o.epsilon * s->now.total;
}

estimate_t stem_online_estimate(const stem_online_t *s)
{
    const online_state_t *now = &s->now;
    estimate_t e = {.value = now->total, .confidence = s->o.confidence, .df = now->df};
    online_half_t half = {0};
    const bool none = !now->exact && (now->heavy || now->unbounded || says_nothing(s));
    e.method = now->exact ? "exact" : none ? "none" : "sequential stratified t";
    if (!now->exact) {
        half = online_half(now, look_confidence(s), false);
        add_bias(s, &half);
    }
    e.unmet = now->exact ? 0 : now->unseen;
    e.low = fmax(now->total - half.below, simulated_cycles(s));
    e.high = now->total + half.above;
    if (none)
        e.low = e.high = NAN;
    return e;
}

/* The group whose longest launch decides. */
static void tell_tail(const stem_online_t *s, online_explain_t *e)
{
    const stem_strata_t *st = &s->steps.view;
    const uint32_t g = s->now.tail_group;
    for (uint32_t h = st->of_group[g]; h < st->of_group[g + 1]; h++) {
        e->tail_launches += s->part[h].n;
        e->tail_samples += s->part[h].m;
    }
    e->tail_name = build_row_name(s->pop, st->rows[st->begin[st->of_group[g]]]);
}

const char *stem_online_note(stem_online_t *s)
{
    online_explain_t e = {.now = &s->now,
                          .confidence = look_confidence(s),
                          .rare = s->o.rare,
                          .by_chip = s->extra != NULL && s->o.slow <= 0,
                          .says_nothing = says_nothing(s),
                          .needed = looks_for_bound(s),
                          .in_sequence = s->stretch.end - s->stretch.begin};
    if (s->now.exact)
        return NULL;
    tell_tail(s, &e);
    e.knows_bias = bias_of(s, &e.bias);
    online_explain(s->note, sizeof(s->note), &e);
    return s->note;
}

void stem_online_plan(const stem_online_t *s, const launch_method_t *method, plan_t *plan)
{
    launch_choice_t choice = {.method = method, .options = (void *)&s->o};
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
    uint64_t *first =
        rb_calloc(s->pop->n, sizeof(*first)); /* the samples of a part are its first rows */
    for (uint64_t i = 0; i < s->pop->n; i++)
        first[i] = i;
    for (uint32_t g = 0; g < s->steps.view.n_groups; g++) {
        for (uint32_t h = s->steps.view.of_group[g]; h < s->steps.view.of_group[g + 1]; h++) {
            const part_t *p = &s->part[h];
            spread_t c = spread_of(p->cycles, p->m);
            uint32_t name = s->pop->name == NULL ? 0 : s->pop->name[p->rows[0]];
            uint32_t cluster = build_cluster(&build, name, p->n, c.mean, c.sd);
            plan->clusters[cluster].untold = plan_untold(s->pop, p->rows, p->n, first, p->m);
            for (uint64_t i = 0; i < p->m; i++)
                build_sample(&build, cluster, p->rows[i], (double)p->n / (double)p->m, 1);
        }
    }
    plan_sort_samples(plan);
    free(first);
    free(build.name_in_plan);
}
