/*
 * A model of a launch's blocks on the slots of the chip: a slot takes the next block as soon as it
 * is free, and a block takes the time of its warp instructions. It tells which blocks are on the
 * chip when the last one is dispatched, and how long the chip takes to empty from then on.
 */
#ifndef RUBATO_SLOT_MODEL_H
#define RUBATO_SLOT_MODEL_H

#include "sampling/inside/block_insts.h"

/* Blocks [first, end) that are not simulated. */
typedef struct {
    uint64_t first, end;
} block_range_t;

typedef struct {
    uint64_t oldest; /* lowest block on the chip when the last one is dispatched */
    double drain;    /* from then on, in warp instructions of a block */
} slot_model_t;

/* Runs all blocks but those of n ascending ranges on `slots` slots (at least one). */
slot_model_t slot_model_run(const block_insts_t *insts, uint64_t slots, const block_range_t *left,
                            size_t n);

#endif
