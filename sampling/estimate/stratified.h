/*
 * Estimates of the whole program from the samples of a plan.
 *
 * The interval is that of stratified sampling (Cochran, Sampling Techniques, 1977, 5.4-5.6): the
 * variances of the strata add up, each with its finite-population correction; Student's t has
 * Satterthwaite's degrees of freedom. A stratum of several launches with one random sample shows no
 * variance: the relative spread of its times in the profile is used instead, and `method` says
 * so.
 *
 * Launches may be estimates themselves (two-stage sampling, Cochran, chapter 11). The spread between
 * launches then contains their errors except for the share that the finite-population correction
 * takes away, so the variances inside the launches are added once per launch that they stand for.
 */
#ifndef RUBATO_ESTIMATE_STRATIFIED_H
#define RUBATO_ESTIMATE_STRATIFIED_H

#include "sampling/plan/plan.h"

typedef struct {
    double value;
    double low, high; /* NAN if there is no interval */
    double confidence;
    /* "none", "exact" (all launches were simulated), "stratified t", "stratified t, spread from
     * the profile where one launch was sampled", "jackknife inside launches", and the second and
     * third followed by ", jackknife inside launches" */
    const char *method;
    bool profile; /* of some clusters the spread of the profile's times was taken */
    double df;    /* degrees of freedom; INFINITY if the spread is taken as known */
    /* Part of the interval above the value: what launches unlike all samples may add. */
    double unmet;
} estimate_t;

/* Estimates the total of an additive statistic; value[i] is that of plan->samples[i]. */
estimate_t estimate_total(const plan_t *plan, const double *value, double confidence);

/* The part of a total's variance that comes from errors inside launches. */
typedef struct {
    double variance, per_df; /* sums of v and of v^2 / df over the launches */
    bool unknown;            /* the error of a launch is not known */
} estimate_within_t;

/* Adds a launch that is in the total `weight` times: the variance of its value, with df degrees of
 * freedom. variance NAN: unknown. */
void estimate_within_add(estimate_within_t *w, double weight, double variance, double df);

/* The weight for estimate_within_add() of the i-th sample of a plan. */
double estimate_within_weight(const plan_t *plan, uint64_t i);

typedef struct {
    const double *value; /* per sample of the plan */
    /* Per sample: what the relative spread in the profile refers to. NULL: value. For residuals,
     * which are near 0, it is the size of the terms that they are the difference of. */
    const double *size;
    estimate_within_t within; /* zeroed: no launch is an estimate */
} estimate_input_t;

estimate_t estimate_two_stage(const plan_t *plan, const estimate_input_t *in, double confidence);

/* The sum over all launches, none of which was left out: `value` with the errors inside launches. */
estimate_t estimate_sum(double value, const estimate_within_t *within, double confidence);

/* Adds the errors inside launches to the interval of an estimate that knows only those between
 * launches. e->method changes only if it was "exact" or becomes "none". */
void estimate_widen(estimate_t *e, const estimate_within_t *within);

/* Widens the interval of a total of times to the error that the plan predicts from its profile: the
 * spread of a few samples can be small by chance. Nothing without such a prediction. */
void estimate_raise(estimate_t *e, const plan_t *plan);

/* Variance of the total between launches, and its degrees of freedom; NAN: unknown. */
double estimate_variance(const plan_t *plan, const estimate_input_t *in, double *df);

#endif
