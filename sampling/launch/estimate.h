/*
 * Estimates of the whole program from the samples of a plan.
 *
 * The interval is that of stratified sampling (Cochran, Sampling Techniques, 1977, 5.4-5.6): the
 * variances of the strata add up, each with its finite-population correction; Student's t has
 * Satterthwaite's degrees of freedom. A stratum of several launches with one random sample shows no
 * variance: the relative spread of its times in the profile is used instead, and `method` says
 * so.
 */
#ifndef RUBATO_ESTIMATE_H
#define RUBATO_ESTIMATE_H

#include "sampling/launch/plan.h"

typedef struct {
    double value;
    double low, high; /* NAN if there is no interval */
    double confidence;
    /* "none", "exact" (all launches were simulated), "stratified t", "stratified t, spread from
     * the profile where one launch was sampled" */
    const char *method;
    double df; /* degrees of freedom; INFINITY if the spread is taken as known */
} estimate_t;

/* Estimates the total of an additive statistic; value[i] is that of plan->samples[i]. */
estimate_t estimate_total(const plan_t *plan, const double *value, double confidence);

#endif
