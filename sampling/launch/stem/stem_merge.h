/*
 * Undoes divisions of ROOT. ROOT divides each kernel for an error budget of its own. If all kernels
 * share one budget, a cluster that is small compared with the whole needs one sample, divided or
 * not. This finds the cheapest combination of clusters from ROOT's trees, with their samples.
 */
#ifndef RUBATO_STEM_MERGE_H
#define RUBATO_STEM_MERGE_H

#include <stdint.h>

#include "sampling/math/allocate.h"

/* A cluster of ROOT; a leaf if it has no halves. */
typedef struct {
    stratum_t stratum;
    uint32_t half[2]; /* indices, greater than its own; 0: none */
    uint8_t kept;     /* result: it is a cluster of the cheapest division */
} root_node_t;

/*
 * For a multiplier lambda, the cost of a cluster is the minimum of m cost + lambda variance(m), and
 * a division is kept if its halves cost less. The smallest lambda for which the variance of the
 * total meets the bound gives the division (Lagrange: the best of the divisions that are optimal
 * for some lambda). nodes: parents before their halves; roots are nobody's half.
 */
void stem_merge(root_node_t *nodes, uint32_t n, double variance);

#endif
