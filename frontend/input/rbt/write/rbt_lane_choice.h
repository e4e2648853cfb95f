/*
 * Chooses between two ways to store the lanes of an instruction's irregular accesses: which
 * compresses better? Only the writer needs this; it learns from the records of a frame.
 */
#ifndef RUBATO_RBT_LANE_CHOICE_H
#define RUBATO_RBT_LANE_CHOICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Lane values as they would be stored: v[k] << shift, each value in this many bytes. */
typedef struct {
    uint64_t v[32];
    unsigned n, shift, bytes;
    unsigned more; /* other bits that this way needs */
} rbt_lane_values_t;

typedef struct rbt_lane_model rbt_lane_model_t;

enum { RBT_LATELY = 1024, RBT_LANE_WAYS = 2 };

typedef struct {
    rbt_lane_model_t *models; /* owned */
    size_t n_models, cap_models;
    uint32_t *model_of; /* owned; model + 1 by slot; 0: none yet */
    size_t cap_slots;
    uint32_t lately[RBT_LATELY]; /* hashes of values of recent records */
} rbt_lane_choice_t;

void rbt_lane_choice_free(rbt_lane_choice_t *c);

/* Forgets everything at the beginning of a frame. */
void rbt_lane_choice_clear(rbt_lane_choice_t *c);

/* The better way (0 or 1) for this record of a slot. */
unsigned rbt_lane_choice(rbt_lane_choice_t *c, uint32_t slot,
                         const rbt_lane_values_t ways[RBT_LANE_WAYS]);

#endif
