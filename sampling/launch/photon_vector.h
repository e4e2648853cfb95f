/*
 * The vectors by which Photon compares launches.
 *
 * Paper: a warp's executed instructions per basic block are projected to 16 values. The vectors of
 * the warp types of a launch are scaled to length 1, multiplied by the type's share of the warps
 * and concatenated, the largest share first. If the warp types are not known, the launch counts as
 * one type. Artifact (of STEM): how often all warps together execute each block.
 *
 * The norm of a vector of the paper falls as one over the root of the number of types, and so do
 * distances: a threshold on them says nothing of launches with thousands of types.
 */
#ifndef RUBATO_PHOTON_VECTOR_H
#define RUBATO_PHOTON_VECTOR_H

#include <stdbool.h>

#include "sampling/plan/population.h"
#include "sim/core/err.h"

enum { PHOTON_DIMENSIONS = 16 };

typedef struct {
    const uint32_t *of; /* borrowed: row -> vector */
    uint64_t n;
    uint64_t *begin; /* owned: vector v has the values [begin[v] .. begin[v + 1]) */
    uint32_t *block; /* owned: basic block of each value, ascending; NULL: by position */
    double *value;   /* owned */
    double *norm;    /* owned: Euclidean norm of each vector */
    double *insts;   /* owned: instructions of the vector */
} photon_vectors_t;

rb_code_t photon_vectors_make(photon_vectors_t *v, const population_t *pop, bool projected,
                              double max_gib, rb_err_t *err) RB_CHECKED;
void photon_vectors_free(photon_vectors_t *v);

/* Euclidean distance of the vectors, or of their directions (scaled to length 1); missing values are
 * 0. */
double photon_distance(const photon_vectors_t *v, uint32_t a, uint32_t b, bool directions);
double photon_norm(const photon_vectors_t *v, uint32_t a);
double photon_insts(const photon_vectors_t *v, uint32_t a);
/* The lowest basic block that a vector's launches execute: launches of different code differ in it. */
uint32_t photon_entry(const population_t *pop, uint64_t vector);
uint64_t photon_vector_length(const photon_vectors_t *v, uint32_t a);
double photon_bytes(const photon_vectors_t *v);

#endif
