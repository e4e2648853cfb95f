/*
 * Spread of a set of numbers, and its best division in two: exact, where k-means with k = 2 is
 * iterated from random starts elsewhere. In one dimension the two clusters are ranges of the
 * sorted values (Fisher, 1958), so all divisions are tried in one pass.
 */
#ifndef RUBATO_MATH_TWO_MEANS_H
#define RUBATO_MATH_TWO_MEANS_H

#include <stddef.h>

typedef struct {
    double mean;
    double sd;     /* of a population: divided by n */
    double sample; /* divided by n - 1; 0 if n is 1 */
} spread_t;

/* n > 0. The spread of equal values is exactly 0. */
spread_t spread_of(const double *x, size_t n);

/*
 * x ascending: how many of the first values form the lower cluster, so that the squared distances
 * to the two means are least; equal values stay together; of equally good divisions the lowest.
 * 0 if all values are equal.
 */
size_t two_means(const double *x, size_t n);

#endif
