#include "frontend/tool/evaluate/score/evaluation.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "sampling/math/stable_sum.h"
#include "sim/core/alloc.h"

/*
 * Relative rounding error of a score, with a margin: that of a weight, of its product, and of two
 * sums without errors of their own. If times are equal, the bound is 0, and rounding must not
 * violate it.
 */
#define ROUNDING (8 * DBL_EPSILON)

static double sum(const double *v, uint64_t n)
{
    stable_sum_t total = {0};
    for (uint64_t i = 0; i < n; i++)
        sum_add(&total, v[i]);
    return sum_value(&total);
}

/* The estimate of the total from the known times of a plan's samples. */
static estimate_t estimate_of(const plan_t *plan, const launch_list_t *truth)
{
    double *value = rb_calloc(plan->n_samples + 1, sizeof(*value));
    for (uint64_t i = 0; i < plan->n_samples; i++)
        value[i] = truth->pop.time[launch_list_row(truth, plan->samples[i].launch)];
    estimate_t e =
        estimate_total(plan, value, isfinite(plan->confidence) ? plan->confidence : 0.95);
    free(value);
    estimate_raise(&e, plan);
    return e;
}

score_t evaluation_score(const plan_t *plan, const launch_list_t *truth, const estimate_t *said)
{
    const population_t *pop = &truth->pop;
    const double *insts = pop->counter[POP_WARP_INSTS];
    stable_sum_t estimate = {0};
    double time = 0.0, sampled_insts = 0.0, wall = 0.0;
    uint64_t samples = 0;
    for (uint64_t i = 0; i < plan->n_samples; i++) {
        uint64_t row = launch_list_row(truth, plan->samples[i].launch);
        if (row == pop->n)
            rb_panic("a plan was scored on launches that it is not for");
        sum_add(&estimate, plan->samples[i].weight * pop->time[row]);
        time += pop->time[row];
        sampled_insts += insts != NULL ? insts[row] : 0.0;
        wall += truth->wall != NULL ? truth->wall[row] : 0.0;
        samples++;
    }
    double total = sum(pop->time, pop->n);
    return (score_t){
        .error = fabs(sum_value(&estimate) / total - 1.0),
        .sampled_time = time / total,
        .sampled_insts = insts != NULL ? sampled_insts / sum(insts, pop->n) : NAN,
        .sampled_wall = truth->wall != NULL ? wall / sum(truth->wall, pop->n) : NAN,
        .samples = (double)samples,
        .clusters = plan->n_clusters,
        .bound = plan->error_bound,
        .total = total,
        .estimate = said != NULL ? *said : estimate_of(plan, truth),
    };
}

static int by_error(const void *a, const void *b)
{
    const score_t *x = a, *y = b;
    return (x->error > y->error) - (x->error < y->error);
}

/* The intervals of the total, and the runs within the bound that was asked for. */
static void summarise_intervals(summary_t *out, const score_t *scores, uint64_t n, double asked)
{
    coverage_t c = {0};
    for (uint64_t i = 0; i < n; i++) {
        const estimate_t *e = &scores[i].estimate;
        coverage_add(
            &c, &(estimate_case_t){
                    .truth = scores[i].total, .value = e->value, .low = e->low, .high = e->high});
    }
    out->interval = coverage_summary(&c);
    out->asked = asked;
    out->within_asked = coverage_within(&c, asked);
    coverage_free(&c);
}

summary_t evaluation_summary(score_t *scores, uint64_t n, double asked)
{
    score_t sum = {0};
    double inside = 0.0, plans = (double)n, bound = scores[n - 1].bound;
    qsort(scores, n, sizeof(*scores), by_error);
    for (uint64_t i = 0; i < n; i++) {
        sum.error += scores[i].error;
        sum.samples += scores[i].samples;
        sum.clusters += scores[i].clusters;
        sum.seconds += scores[i].seconds;
        sum.sampled_time += scores[i].sampled_time;
        sum.sampled_insts += scores[i].sampled_insts;
        sum.sampled_wall += scores[i].sampled_wall;
        inside += scores[i].error <= scores[i].bound + ROUNDING;
    }
    summary_t s = {
        .n = n,
        .error_mean = sum.error / plans,
        .error_p95 = scores[(uint64_t)ceil(0.95 * plans) - 1].error,
        .error_max = scores[n - 1].error,
        .speedup = plans / sum.sampled_time,
        .speedup_insts = plans / sum.sampled_insts,
        .speedup_wall = plans / sum.sampled_wall,
        .samples = sum.samples / plans,
        .clusters = sum.clusters / plans,
        .bound = bound,
        .within = isfinite(bound) ? inside / plans : NAN,
        .seconds = sum.seconds / plans,
    };
    summarise_intervals(&s, scores, n, asked);
    return s;
}
