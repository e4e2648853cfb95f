/* Gaussian kernel density estimate of sorted numbers. */
#ifndef RUBATO_MATH_KDE_H
#define RUBATO_MATH_KDE_H

#include <stddef.h>

/* Logarithm of the density at a point, up to a constant, so it does not underflow between values
 * far apart. x is ascending, n > 0; weight NULL: all 1. Terms below 1e-17 of the largest are
 * skipped, so the cost depends on the values near the point only. */
double kde_log(const double *x, const double *weight, size_t n, double bandwidth, double at);

#endif
