/* Quantiles of the normal and of Student's distribution, to about 12 digits. */
#ifndef RUBATO_MATH_QUANTILE_H
#define RUBATO_MATH_QUANTILE_H

/* x with P(X <= x) = p; 0 < p < 1. */
double normal_quantile(double p);

/* The same for Student's t with df > 0 degrees of freedom, possibly fractional; INFINITY:
 * normal. */
double student_quantile(double p, double df);

/* Half width of a two-sided interval in standard errors: the quantile of (1 + confidence) / 2. */
double interval_factor(double confidence, double df);

#endif
