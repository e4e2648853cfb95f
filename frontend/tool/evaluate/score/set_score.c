#include "frontend/tool/evaluate/score/set_score.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sampling/inside/inside_sampler.h"
#include "sim/core/alloc.h"
#include "sim/core/find_first.h"

void set_score_begin(set_score_t *s, const gpu_spec_t *spec, const run_result_t *full)
{
    *s = (set_score_t){.spec = spec, .full = full};
    statistics_read(s->read, &full->totals);
}

void set_score_fail(set_score_t *s, const char *reason)
{
    if (s->failed++ == 0)
        s->failure = rb_strdup(reason);
}

void set_score_free(set_score_t *s)
{
    for (size_t i = 0; i < s->n_totals; i++)
        coverage_free(&s->totals[i].coverage);
    for (size_t i = 0; i < s->n_launches; i++) {
        free(s->launches[i].name);
        for (size_t k = 0; k < STATISTICS_READ; k++)
            coverage_free(&s->launches[i].coverage[k]);
    }
    free(s->totals);
    free(s->launches);
    free(s->failure);
    *s = (set_score_t){0};
}

/* ---- the whole trace ---- */

/* Adds a statistic unless it is there. */
static void know_total(set_score_t *s, const statistic_t *what)
{
    for (size_t i = 0; i < s->n_totals; i++) {
        if (s->totals[i].what.index == what->index)
            return;
    }
    rb_grow(&s->totals, &s->cap_totals, s->n_totals + 1, sizeof(*s->totals));
    s->totals[s->n_totals++] = (scored_total_t){
        .what = *what,
        .full = statistic_value(what, s->spec, &s->full->totals, s->full->estimated),
        .coverage.share = what->share,
    };
}

/* An estimate and what the run says about its interval. Numbers that neither run could measure are
 * not counted. */
static void add_case(coverage_t *c, double truth, double value, bool estimated,
                     const printed_interval_t *interval)
{
    if (isnan(truth) && isnan(value))
        return;
    const bool has = interval != NULL;
    const estimate_case_t e = {.truth = truth,
                               .value = value,
                               .low = has ? interval->low : (double)NAN,
                               .high = has ? interval->high : (double)NAN,
                               .exact = !estimated,
                               .reason = has ? interval->note : NULL};
    coverage_add(c, &e);
}

static void add_totals(set_score_t *s, const run_result_t *sampled,
                       const printed_intervals_t *intervals)
{
    statistic_t what;
    for (size_t i = 0; i < STATISTICS_READ; i++)
        know_total(s, &s->read[i]);
    for (size_t i = 0; i < intervals->n && intervals->list[i].launch == 0; i++) {
        if (statistic_find(&what, intervals->list[i].name))
            know_total(s, &what);
    }
    for (size_t i = 0; i < s->n_totals; i++) {
        scored_total_t *t = &s->totals[i];
        add_case(&t->coverage, t->full,
                 statistic_value(&t->what, s->spec, &sampled->totals, sampled->estimated),
                 sampled->estimated, printed_intervals_find(intervals, 0, t->what.name));
    }
}

/* ---- launches ---- */

/* Adds a launch unless it is there. */
static scored_launch_t *know_launch(set_score_t *s, const run_launch_t *full)
{
    size_t at;
    FIND_FIRST(at, 0, s->n_launches, s->launches[at].id >= full->r.info.id);
    if (at < s->n_launches && s->launches[at].id == full->r.info.id)
        return &s->launches[at];
    rb_grow(&s->launches, &s->cap_launches, s->n_launches + 1, sizeof(*s->launches));
    scored_launch_t *l = &s->launches[at];
    memmove(l + 1, l, (s->n_launches++ - at) * sizeof(*l));
    *l = (scored_launch_t){.id = full->r.info.id,
                           .blocks = full->r.blocks,
                           .name = rb_strdup(full->name),
                           .waves = sampled_waves(s->spec, &full->r)};
    const run_totals_t totals = statistic_launch(&full->r);
    for (size_t i = 0; i < STATISTICS_READ; i++) {
        l->value[i] = statistic_value(&s->read[i], s->spec, &totals, full->r.sampling.estimated);
        l->coverage[i].share = s->read[i].share;
    }
    return l;
}

static void add_launch(set_score_t *s, const run_launch_t *full, const run_launch_t *sampled,
                       const printed_intervals_t *intervals)
{
    const launch_sampling_t *inside = &sampled->r.sampling;
    if (full == NULL || !(inside->estimated || inside_method_is(inside->sampler)))
        return;
    scored_launch_t *l = know_launch(s, full);
    const run_totals_t totals = statistic_launch(&sampled->r);
    l->runs++;
    l->simulated += (double)totals.run_warp_insts / (double)full->r.warp_insts;
    const uint64_t id = full->r.info.id;
    const bool states = printed_intervals_any(intervals, id);
    for (size_t i = 0; i < STATISTICS_READ; i++) {
        const double value = statistic_value(&s->read[i], s->spec, &totals, inside->estimated);
        const printed_interval_t exact = {.launch = id, .low = value, .high = value};
        const printed_interval_t *said = printed_intervals_find(intervals, id, s->read[i].name);
        add_case(&l->coverage[i], l->value[i], value, inside->estimated,
                 said == NULL && states ? &exact : said);
    }
}

/* ---- means ---- */

static void add_all(double *sum, const double *part, size_t n)
{
    for (size_t i = 0; i < n; i++)
        sum[i] += part[i];
}

static void divide_all(double *sum, size_t n, double by)
{
    for (size_t i = 0; i < n; i++)
        sum[i] /= by;
}

/* X(member): the numbers of a score, alone and in arrays. */
#define SCORE_NUMBERS(X)                                                                           \
    X(error)                                                                                       \
    X(picked_error)                                                                                \
    X(simulated)                                                                                   \
    X(skipped_between)                                                                             \
    X(skipped_inside)                                                                              \
    X(launches)                                                                                    \
    X(dram_error)
#define SCORE_SPEEDUPS(X) X(speedup_cpu) X(speedup_wall) X(speedup_cycles)
#define SCORE_ARRAYS(X)                                                                            \
    X(full)                                                                                        \
    X(sampled)                                                                                     \
    X(picked)                                                                                      \
    X(full_count)                                                                                  \
    X(sampled_count)                                                                               \
    X(picked_count)                                                                                \
    X(full_state)                                                                                  \
    X(sampled_state)

void set_score_add(set_score_t *s, const run_result_t *sampled,
                   const printed_intervals_t *intervals, const sampled_score_t *score)
{
#define ADD_NUMBER_(member)  s->sum.member += score->member;
#define ADD_SPEEDUP_(member) s->sum.member += 1.0 / score->member;
#define ADD_ARRAY_(member)                                                                         \
    add_all(s->sum.member, score->member, sizeof(s->sum.member) / sizeof(double));
    SCORE_NUMBERS(ADD_NUMBER_)
    SCORE_SPEEDUPS(ADD_SPEEDUP_)
    SCORE_ARRAYS(ADD_ARRAY_)
    s->runs++;
    add_totals(s, sampled, intervals);
    for (size_t i = 0; i < sampled->n; i++) {
        const run_launch_t *l = &sampled->launches[i];
        add_launch(s, run_result_find(s->full, l->r.info.id), l, intervals);
    }
}

sampled_score_t set_score_mean(const set_score_t *s)
{
    const double runs = (double)s->runs;
    sampled_score_t mean = s->sum;
#define DIVIDE_NUMBER_(member) mean.member /= runs;
#define INVERT_(member)        mean.member = runs / mean.member;
#define DIVIDE_ARRAY_(member)  divide_all(mean.member, sizeof(mean.member) / sizeof(double), runs);
    SCORE_NUMBERS(DIVIDE_NUMBER_)
    SCORE_SPEEDUPS(INVERT_)
    SCORE_ARRAYS(DIVIDE_ARRAY_)
    mean.worst_state = score_worst_state(&mean);
    return mean;
}
