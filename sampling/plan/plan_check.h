/* Checks of the launches before planning, and of the plan afterwards. */
#ifndef RUBATO_PLAN_CHECK_H
#define RUBATO_PLAN_CHECK_H

#include "sampling/plan/plan_build.h"

/* RB_TRACE if there are no launches, or times that no method can use. */
rb_code_t population_check(const population_t *pop, rb_err_t *err) RB_CHECKED;

/* The row of a launch; the population must have it. */
uint64_t population_row(const population_t *pop, uint64_t id);

/* Adds warnings: small clusters, autocorrelated clusters, launches with a duration of zero. */
void plan_diagnose(plan_build_t *b);

/* Sets the totals and the speed-up predicted from the samples' own times in the profile. */
void plan_predict(plan_build_t *b);

#endif
