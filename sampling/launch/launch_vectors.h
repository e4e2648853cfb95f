/* Launches as points. Equal ones are merged before they are compared. */
#ifndef RUBATO_LAUNCH_VECTORS_H
#define RUBATO_LAUNCH_VECTORS_H

#include <stddef.h>
#include <stdint.h>

#include "sim/conf/param.h"

typedef struct {
    size_t n, d;
    double *x;      /* owned: n rows of d values, in order of first appearance */
    double *weight; /* owned: number of launches with each vector */
    uint32_t *of;   /* owned: input row -> vector */
} launch_vectors_t;

/* Merges equal rows among n rows of d values. Takes ownership of x, which is shortened and becomes
 * v->x. */
void vectors_merge(launch_vectors_t *v, double *x, size_t n, size_t d);
void vectors_free(launch_vectors_t *v);

/* How a cluster's representative is chosen. */
typedef enum {
    REPRESENTATIVE_FIRST,
    REPRESENTATIVE_RANDOM,
    REPRESENTATIVE_CENTRE
} representative_t;
extern const param_choice_t representative_choices[];

/* Chooses an input row for each of k clusters of vectors: the first, a random one, or the first of
 * those nearest to the cluster's mean. cluster: the cluster of each vector; no cluster is empty. */
void vectors_representatives(const launch_vectors_t *v, size_t n_rows, const uint32_t *cluster,
                             size_t k, representative_t how, uint64_t seed, uint64_t stream,
                             uint64_t *row);

#endif
