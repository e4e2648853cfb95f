/*
 * Launches as points: equal ones are merged before anything is compared with anything.
 */
#ifndef RUBATO_LAUNCH_VECTORS_H
#define RUBATO_LAUNCH_VECTORS_H

#include <stddef.h>
#include <stdint.h>

#include "sim/conf/param.h"

typedef struct {
    size_t n, d;
    double *x;      /* owned: n rows of d values, by first appearance */
    double *weight; /* owned: launches of each */
    uint32_t *of;   /* owned: position in the rows given -> vector */
} launch_vectors_t;

/*
 * Merges the equal rows among n rows of d values. x is taken over: it is cut and becomes the
 * vectors' own.
 */
void vectors_merge(launch_vectors_t *v, double *x, size_t n, size_t d);
void vectors_free(launch_vectors_t *v);

/* How a cluster's representative is chosen. */
typedef enum {
    REPRESENTATIVE_FIRST,
    REPRESENTATIVE_RANDOM,
    REPRESENTATIVE_CENTRE
} representative_t;
extern const param_choice_t representative_choices[];

/*
 * For each of k clusters of vectors one position in the rows that were given: its first, a random
 * one, or the first of those nearest to the cluster's mean. cluster: of each vector; no cluster is
 * empty.
 */
void vectors_representatives(const launch_vectors_t *v, size_t n_rows, const uint32_t *cluster,
                             size_t k, representative_t how, uint64_t seed, uint64_t stream,
                             uint64_t *row);

#endif
