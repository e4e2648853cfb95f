/*
 * Hierarchical clustering of points on a line by complete linkage: n log n time, where any number
 * of dimensions costs n^2 (linkage.h).
 */
#ifndef RUBATO_MATH_LINKAGE_LINE_H
#define RUBATO_MATH_LINKAGE_LINE_H

#include <stddef.h>
#include <stdint.h>

/*
 * Merges, the nearest first, clusters whose members are all within threshold of each other. Writes
 * each point's cluster, numbered by first point; returns how many.
 */
size_t linkage_line(const double *x, size_t n, double threshold, uint32_t *cluster);

#endif
