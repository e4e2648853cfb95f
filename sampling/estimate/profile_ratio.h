/*
 * The total of a plan as a ratio to its profile. The plan knows by how much its samples miss the profile's
 * total; if the simulated cycles go along with the profile's times, they miss their own total by as much (combined ratio
 * estimator: Cochran, Sampling Techniques, 1977, 6.11).
 */
#ifndef RUBATO_ESTIMATE_PROFILE_RATIO_H
#define RUBATO_ESTIMATE_PROFILE_RATIO_H

#include "sampling/plan/plan.h"

/*
 * The factor by which that changes the weighted sum of the samples' cycles; 1: the plan has no profile, or cycles do not go along
 * with it so closely that it would help. *error: the standard error of the changed sum, relative; NAN: it is not
 * changed. The residuals count as they are, not about the means of their clusters, of which few have several samples.
 */
double profile_ratio(const plan_t *plan, const double *cycles, double *error);

#endif
