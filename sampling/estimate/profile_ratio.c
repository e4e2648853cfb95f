#include "sampling/estimate/profile_ratio.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

/* Samples with which it can be told how closely cycles go along. */
enum { LEAST_SAMPLES = 4 };

/* The correction is this many of its standard errors, or it is left. */
#define CLEARLY 2.0

static int by_launch(const void *launch, const void *member)
{
    const uint64_t a = *(const uint64_t *)launch, b = ((const plan_member_t *)member)->launch;
    return (a > b) - (a < b);
}

/* The time of a sample in the profile. */
static double time_of(const plan_t *plan, const plan_sample_t *sample)
{
    const plan_member_t *m = bsearch(&sample->launch, plan->members, plan->n_launches,
                                     sizeof(*plan->members), by_launch);
    return m != NULL ? m->size : (double)NAN;
}

/* Standard error of the sum, if launches vary as the residuals of the samples do: those of their cluster, or, relative to
 * their times, those of all. */
static double standard_error(const plan_t *plan, const double *cycles, double ratio)
{
    double all = 0, squares = 0, own = 0, pooled = 0;
    for (uint64_t i = 0; i < plan->n_samples; i++) {
        const plan_sample_t *s = &plan->samples[i];
        const double x = time_of(plan, s), d = cycles[i] / (ratio * x) - 1;
        all += s->weight * x;
        squares += s->weight * x * d * d;
    }
    for (uint64_t i = 0; i < plan->n_samples; i++) {
        const plan_sample_t *s = &plan->samples[i];
        const plan_cluster_t *c = &plan->clusters[s->cluster];
        const double n = (double)c->size, m = (double)c->draws, x = ratio * time_of(plan, s);
        const double of_one = n * (n - m) / (m * m);
        own += of_one * pow(cycles[i] - x, 2);
        pooled += of_one * x * x * squares / all;
    }
    return sqrt(fmax(own, pooled));
}

double profile_ratio(const plan_t *plan, const double *cycles, double *error)
{
    const double factor = plan->profile_total / plan->predicted_total;
    double y = 0, x = 0;
    *error = NAN;
    if (plan->members == NULL || !plan->random || plan->replacement || !isfinite(factor) ||
        plan->n_samples < LEAST_SAMPLES)
        return 1;
    for (uint64_t i = 0; i < plan->n_samples; i++) {
        y += plan->samples[i].weight * cycles[i];
        x += plan->samples[i].weight * time_of(plan, &plan->samples[i]);
    }
    const double off = fabs(factor - 1) * y, s = standard_error(plan, cycles, y / x);
    if (!(off > CLEARLY * s))
        return 1;
    *error = s / y;
    return factor;
}
