/*
 * Spread of a set of numbers, and its best division in two. The division is exact, not iterated
 * from random starts like k-means with k = 2: in one dimension the clusters are ranges of the
 * sorted values (Fisher, 1958), so one pass tries all divisions.
 */
#ifndef RUBATO_MATH_TWO_MEANS_H
#define RUBATO_MATH_TWO_MEANS_H

#include <stddef.h>

typedef struct {
    double mean;
    double sd;     /* of the population: divided by n */
    double sample; /* divided by n - 1; 0 if n is 1 */
} spread_t;

/* n > 0. The spread of equal values is exactly 0. */
spread_t spread_of(const double *x, size_t n);

/* Number of values in the lower cluster if x (ascending) is divided in two with the smallest
 * squared distances to the means. Equal values stay together; among equal divisions the lowest is
 * chosen. 0 if all values are equal. */
size_t two_means(const double *x, size_t n);

#endif
