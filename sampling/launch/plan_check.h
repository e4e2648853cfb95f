/*
 * What is checked of the launches before a plan and said of the plan after it.
 */
#ifndef RUBATO_PLAN_CHECK_H
#define RUBATO_PLAN_CHECK_H

#include "sampling/launch/plan_build.h"

/* No launches, or times that no method can work with: the user's error. */
rb_code_t population_check(const population_t *pop, rb_err_t *err) RB_CHECKED;

/* The row of a launch that the population has. */
uint64_t population_row(const population_t *pop, uint64_t id);

/* Warnings: small clusters, autocorrelated ones, launches that took no time. */
void plan_diagnose(plan_build_t *b);

/* Totals and speed-up that the samples give by their own times in the profile. */
void plan_predict(plan_build_t *b);

#endif
