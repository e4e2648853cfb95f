/*
 * Hierarchical clustering with the nearest-neighbour chain algorithm (Murtagh, 1983): O(n^2) time,
 * and n^2 / 2 distances in memory.
 */
#ifndef RUBATO_MATH_LINKAGE_H
#define RUBATO_MATH_LINKAGE_H

#include <stddef.h>
#include <stdint.h>

typedef enum {
    LINKAGE_COMPLETE, /* distance of the two members farthest apart */
    LINKAGE_WARD,     /* increase of the sum of squares: sqrt(2 a b / (a + b)) times the distance of
                       * the means of a and b points */
} linkage_t;

/* Merges clusters up to a distance of threshold. weight: number of equal points that each of the n
 * rows of d values represents. Writes each point's cluster, numbered by first point; returns how
 * many. */
size_t linkage_cluster(const double *x, const double *weight, size_t n, size_t d, linkage_t kind,
                       double threshold, uint32_t *cluster);

/* Memory in bytes, and estimated time in seconds, for n points. */
double linkage_bytes(double n);
double linkage_seconds(double n);

#endif
