/*
 * Of two ways to store the lanes of an instruction's irregular accesses, which takes fewer bytes
 * once packed? What the writer learns from the records of a frame; the reader needs none of it.
 */
#ifndef RUBATO_RBT_LANE_CHOICE_H
#define RUBATO_RBT_LANE_CHOICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Values of lanes as they would be stored: v[k] << shift, each in so many bytes. */
typedef struct {
    uint64_t v[32];
    unsigned n, shift, bytes;
    unsigned more; /* bits that this way needs besides */
} rbt_lane_values_t;

typedef struct rbt_lane_model rbt_lane_model_t;

enum { RBT_LATELY = 1024, RBT_LANE_WAYS = 2 };

typedef struct {
    rbt_lane_model_t *models; /* owned */
    size_t n_models, cap_models;
    uint32_t *model_of; /* owned: by slot, model + 1; 0: none yet */
    size_t cap_slots;
    uint32_t lately[RBT_LATELY]; /* hashes of values of records that were there */
} rbt_lane_choice_t;

void rbt_lane_choice_free(rbt_lane_choice_t *c);

/* Forgets everything, at the beginning of a frame. */
void rbt_lane_choice_clear(rbt_lane_choice_t *c);

/* Which way (0, 1) is the better one for this record of a slot. */
unsigned rbt_lane_choice(rbt_lane_choice_t *c, uint32_t slot,
                         const rbt_lane_values_t ways[RBT_LANE_WAYS]);

#endif
