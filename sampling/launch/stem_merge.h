/*
 * Taking ROOT's divisions back. ROOT divides each kernel for an error budget of its own; where all
 * kernels share one budget, a cluster that is small against the whole needs one sample, divided or
 * not. This finds the clusters of ROOT's trees, and their samples, that are cheapest together.
 */
#ifndef RUBATO_STEM_MERGE_H
#define RUBATO_STEM_MERGE_H

#include <stdint.h>

#include "sampling/math/allocate.h"

/* A cluster of ROOT: a leaf if it has no halves. */
typedef struct {
    stratum_t stratum;
    uint32_t half[2]; /* indices, above its own; 0: none */
    uint8_t kept;     /* result: it is a cluster of the cheapest division */
} root_node_t;

/*
 * For a multiplier lambda the cost of a cluster is the least of m cost + lambda variance(m), and a
 * division is kept where its halves cost less; the least lambda with which the variance of the
 * total is within the bound gives the division (Lagrange; the best among those that are optimal
 * for some lambda). nodes: parents before their halves; roots are those that are nobody's half.
 */
void stem_merge(root_node_t *nodes, uint32_t n, double variance);

#endif
