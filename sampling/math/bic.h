/*
 * The Bayesian information criterion of a clustering into spherical groups of equal variance
 * (Pelleg and Moore, ICML 2000), with which SimPoint chooses the number of clusters.
 */
#ifndef RUBATO_MATH_BIC_H
#define RUBATO_MATH_BIC_H

#include "sampling/math/kmeans.h"

/* SimPoint's choice: the smallest number of clusters, up to k_max, whose criterion reaches `share`
 * of the range from the worst to the best. Writes each point's cluster; returns the number of
 * clusters. */
size_t bic_kmeans(const points_t *p, size_t k_max, double share, unsigned restarts, uint64_t seed,
                  uint32_t *cluster);

#endif
