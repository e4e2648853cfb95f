/* The interval of a program's total cycles. */
#include <math.h>
#include <string.h>

#include "sampling/estimate/index_ratio.h"
#include "sampling/estimate/intervals.h"
#include "sampling/estimate/state_error.h"
#include "sampling/math/quantile.h"

/* The cycles may be further off than the choice is on its profile. */
#define DOUBT 1.25

/* Half-width from launches that stand alone for their cluster, whose spread is that of a profile: what time
 * changes in such a launch is not part of it. */
static double alone_cycles(const sampled_program_t *p)
{
    double squares = 0;
    for (uint64_t i = 0; i < p->plan->n_samples; i++) {
        const plan_cluster_t *c = &p->plan->clusters[p->plan->samples[i].cluster];
        if (c->draws == 1 && c->size > 1)
            squares += pow(state_error_launch((double)c->size * p->cycles[i]), 2);
    }
    return sqrt(squares);
}

/* Half-width because the choice is as far off as it is on the profile: it may have met an unusual launch. If that is
 * corrected, because the correction has an error. */
static double chosen_cycles(const intervals_t *s, double value)
{
    const plan_t *plan = s->of_plan.plan;
    if (isfinite(s->by_profile))
        return interval_factor(0.95, (double)plan->n_samples - 1) * s->by_profile * value;
    const double off = plan->predicted_total / plan->profile_total - 1;
    return isfinite(off) ? DOUBT * fabs(off) * value : 0;
}

/* Widens the interval of the cycles by what sampled launches do not show of the chip's state, and by what those that
 * were left out took longer because the L2 lacked their data. */
static void widen_cycles(const intervals_t *s, estimate_t *e)
{
    const bool exact = strcmp(e->method, "exact") == 0;
    double program[STAT_VALUES];
    intervals_totals(s, program);
    const double prefetch =
        intervals_lack_prefetched(s) ? state_error_prefetch_cycles(program, s->in_order) : 0;
    const double half = hypot(hypot(state_error_cycles(e->value, s->in_order[VALUE_CYCLES]),
                                    e->profile ? alone_cycles(&s->of_plan) : 0),
                              hypot(chosen_cycles(s, e->value), prefetch));
    if (!isfinite(e->low) || (exact && intervals_in_order(s)))
        return;
    if (exact)
        e->method = intervals_in_rounds;
    e->low = e->value - hypot(e->value - e->low, half);
    e->high = e->value + hypot(e->high - e->value, half) + (exact ? 0 : s->walked.cycles);
    e->low = fmax(e->low, fmin(s->in_order[VALUE_CYCLES], e->value));
}

static estimate_t sampled_cycles(const intervals_t *s, double total)
{
    const sampled_program_t *p = &s->of_plan;
    if (p->plan == NULL)
        return estimate_sum(total, &s->cycles, 0.95);
    estimate_t e = p->said;
    if (e.method != NULL) {
        estimate_widen(&e, &s->cycles);
        widen_cycles(s, &e);
        return e;
    }
    const double confidence = isfinite(p->plan->confidence) ? p->plan->confidence : 0.95;
    const estimate_input_t in = {.value =
                                     s->cycles_residual != NULL ? s->cycles_residual : p->cycles,
                                 .size = s->cycles_size,
                                 .within = s->cycles};
    e = estimate_two_stage(p->plan, &in, confidence);
    e.low += total - e.value;
    e.high += total - e.value;
    e.value = total;
    estimate_raise(&e, p->plan);
    widen_cycles(s, &e);
    return e;
}

/* Cycles that the program has for certain: of what was simulated, but for what their state may be off, and launch
 * latencies of the rest. */
static double certain_cycles(const intervals_t *s)
{
    double program[STAT_VALUES];
    intervals_totals(s, program);
    const double simulated = s->in_order[VALUE_CYCLES], latency = s->in_order[VALUE_LAUNCH_CYCLES];
    return simulated - state_error_cycles(simulated, latency) +
           fmax(program[VALUE_LAUNCH_CYCLES] - latency, 0);
}

estimate_t intervals_cycles(intervals_t *s, double total)
{
    estimate_t e = sampled_cycles(s, total);
    if (s->of_plan.plan == NULL || !isfinite(e.low) || strcmp(e.method, "exact") == 0)
        return e;
    e.low = fmax(e.low, fmin(certain_cycles(s), total));
    s->too_wide = e.high - e.low > total;
    if (s->too_wide) {
        e.method = "none";
        e.low = e.high = NAN;
    }
    return e;
}
