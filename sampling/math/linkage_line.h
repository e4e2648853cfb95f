/*
 * Hierarchical clustering of numbers by complete linkage in O(n log n) time; in several dimensions
 * it takes O(n^2) (linkage.h).
 */
#ifndef RUBATO_MATH_LINKAGE_LINE_H
#define RUBATO_MATH_LINKAGE_LINE_H

#include <stddef.h>
#include <stdint.h>

/* Merges clusters, the nearest first, as long as all members are within threshold of each other.
 * Writes each point's cluster, numbered by first point; returns how many. */
size_t linkage_line(const double *x, size_t n, double threshold, uint32_t *cluster);

#endif
