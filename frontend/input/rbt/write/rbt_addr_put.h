/* Encodes address records relative to earlier ones (rbt_refs.h) into columns of a frame. */
#ifndef RUBATO_RBT_ADDR_PUT_H
#define RUBATO_RBT_ADDR_PUT_H

#include "frontend/input/rbt/rbt_bytes.h"
#include "frontend/input/rbt/rbt_refs.h"
#include "frontend/input/rbt/write/rbt_lane_choice.h"

typedef struct {
    rbt_refs_t refs;
    rbt_lane_choice_t choice;
    rbt_buf_t *cols;    /* borrowed: RBT_COL_COUNT columns */
    uint64_t predicted; /* records that matched their prediction since the last one that did not */
    uint32_t piece;     /* number of the piece, from 1 */
    unsigned ctx;       /* 0: the first piece of a block */
    bool seen;          /* the piece's shape occurred earlier in the frame */
} rbt_addr_put_t;

/*
 * Appends a record for the lanes of mask; ref and slot are its numbers in refs. Returns whether it
 * equals its reference moved by a multiple of 128 bytes and therefore touches as many lines and
 * sectors.
 */
bool rbt_addr_put(rbt_addr_put_t *w, const uint64_t *rec, uint32_t mask, size_t ref, uint32_t slot);

/* Ends the records of a frame. */
void rbt_addr_put_end(rbt_addr_put_t *w);

#endif
