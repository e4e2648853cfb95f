/*
 * What the samples of a plan say of the whole program.
 *
 * The interval is that of stratified sampling (Cochran, Sampling Techniques, 1977, 5.4-5.6): the
 * variances of the strata add, each with its finite-population term; Student's t has
 * Satterthwaite's degrees of freedom. A stratum with one random sample of several launches shows
 * no variance of its own: the relative spread that the profile had there stands in for it, and the
 * interval says so.
 */
#ifndef RUBATO_ESTIMATE_H
#define RUBATO_ESTIMATE_H

#include "sampling/launch/plan.h"

typedef struct {
    double value;
    double low, high; /* NAN without an interval */
    double confidence;
    /* "none", "exact" (all launches were simulated), "stratified t", "stratified t, spread from
     * the profile where one launch was sampled" */
    const char *method;
    double df; /* degrees of freedom; INFINITY where the spread is taken as known */
} estimate_t;

/* Total of an additive statistic; value[i] is that of plan->samples[i]. */
estimate_t estimate_total(const plan_t *plan, const double *value, double confidence);

#endif
