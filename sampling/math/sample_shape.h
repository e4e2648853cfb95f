/* The shape of a sample: how far it is from normal, and whether its tail is too heavy for an interval
 * that rests on its variance. */
#ifndef RUBATO_MATH_SAMPLE_SHAPE_H
#define RUBATO_MATH_SAMPLE_SHAPE_H

#include <stddef.h>

typedef struct {
    double skew;     /* third standardised moment, for a sample of this size; 0 below 3 values */
    double kurtosis; /* fourth standardised moment; 3: normal; at most n */
    double ratio; /* largest value over the median (the lower one of two); 1 if the median is 0 */
    double most;  /* the largest value */
    double share; /* of the squared deviations, that of the value farthest off */
} sample_shape_t;

/* n > 0; values are not negative. Sorts x, the largest first. */
sample_shape_t sample_shape(double *x, size_t n);

/*
 * Hill's estimate of the tail index from the k largest values, relative to the next one: 2 or less
 * means that the variance of the distribution is infinite, 1 that the mean is. INFINITY if the k values
 * are equal to the next one. x: sorted, the largest first; it has more than k values; k > 0.
 */
double hill_index(const double *x, size_t k);

/*
 * How much farther than z standard errors the true mean may be on the side of the long tail, in
 * standard errors, for a mean whose own skewness is `skew` (that of the sample over the root of its
 * size): Chen, A modified t test for the mean of asymmetrical populations, Statistica Sinica, 1995.
 * 0 if skew is 0 or less.
 */
double skew_allowance(double skew, double z);

#endif
