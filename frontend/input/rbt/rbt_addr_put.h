/* Coding of address records against their past (rbt_refs.h), into columns of a frame. */
#ifndef RUBATO_RBT_ADDR_PUT_H
#define RUBATO_RBT_ADDR_PUT_H

#include "frontend/input/rbt/rbt_bytes.h"
#include "frontend/input/rbt/rbt_lane_choice.h"
#include "frontend/input/rbt/rbt_refs.h"

typedef struct {
    rbt_refs_t refs;
    rbt_lane_choice_t choice;
    rbt_buf_t *cols;    /* borrowed: RBT_COL_COUNT columns */
    uint64_t predicted; /* records as predicted since the last other one */
    uint32_t piece;     /* number of the piece, from 1 */
    unsigned ctx;       /* 0: the first piece of a block */
    bool seen;          /* the piece's shape was there before */
} rbt_addr_put_t;

/*
 * Appends a record of mask's lanes; ref and slot are its numbers in refs. Returns whether it looks
 * like its reference, moved by a multiple of 128 bytes, so that it touches as many lines and
 * sectors.
 */
bool rbt_addr_put(rbt_addr_put_t *w, const uint64_t *rec, uint32_t mask, size_t ref, uint32_t slot);

/* Ends the frame's records. */
void rbt_addr_put_end(rbt_addr_put_t *w);

#endif
