/* Gaussian kernel density of sorted numbers. */
#ifndef RUBATO_MATH_KDE_H
#define RUBATO_MATH_KDE_H

#include <stddef.h>

/*
 * Logarithm of the density at a point, up to a constant: it does not underflow between values far
 * apart. x ascending, n > 0; weight: of each, NULL: 1; terms below 1e-17 of the largest are left
 * out, so that the cost is that of the values near the point.
 */
double kde_log(const double *x, const double *weight, size_t n, double bandwidth, double at);

#endif
