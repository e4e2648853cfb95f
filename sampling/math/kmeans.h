/*
 * k-means in several dimensions: k-means++ starts (Arthur and Vassilvitskii, SODA 2007), Lloyd's
 * iterations, the best of several starts. Points have weights, so that equal points are passed
 * once.
 */
#ifndef RUBATO_MATH_KMEANS_H
#define RUBATO_MATH_KMEANS_H

#include <stddef.h>
#include <stdint.h>

#include "sampling/math/rng.h"

typedef struct {
    const double *x; /* n rows of d values */
    const double *weight;
    size_t n, d;
} points_t;

enum { KMEANS_ITERATIONS = 300 };

/* Writes each point's cluster, 0 .. result - 1, and the centres (room for k x d). Returns the
 * number of clusters, less than k only if there are fewer distinct points. */
size_t kmeans(const points_t *p, size_t k, unsigned restarts, rng_t *rng, uint32_t *cluster,
              double *centre);

double squared_distance(const double *a, const double *b, size_t d);

#endif
