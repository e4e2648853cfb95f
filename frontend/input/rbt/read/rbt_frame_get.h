/*
 * Reads a frame of thread blocks (layout: rbt_frame_put.h). The runs of a shape are expanded once
 * and shared by all its pieces; they are reference-counted.
 */
#ifndef RUBATO_RBT_FRAME_GET_H
#define RUBATO_RBT_FRAME_GET_H

#include "frontend/input/rbt/rbt_code.h"
#include "frontend/input/rbt/read/rbt_addr_get.h"

/* The runs of a frame's shapes, with a count of references: the frame's, and those of blocks that
 * use them. */
typedef struct {
    trace_run_t *runs; /* owned */
    size_t cap;
    _Atomic unsigned holders;
} rbt_runs_t;

rbt_runs_t *rbt_runs_hold(rbt_runs_t *r);
void rbt_runs_release(rbt_runs_t *r);

typedef struct {
    size_t run, n_runs;
    size_t access, n_accesses; /* in masks and slots */
    size_t ref;
    uint32_t n_insts;
    bool used, has_ref;
} rbt_shape_get_t;

typedef struct {
    uint32_t n; /* steps */
    size_t at;  /* in steps */
} rbt_path_get_t;

typedef struct {
    uint32_t bb, repeat;
} rbt_step_get_t;

typedef struct {
    const rbt_code_t *code; /* borrowed */
    rbt_buf_t bytes;        /* unpacked */
    rbt_in_t cols[RBT_COL_COUNT];
    uint64_t launch, first_block;
    uint32_t n_blocks, n_pieces;
    bool continues, goes_on;
    rbt_runs_t *runs;
    rbt_path_get_t *paths; /* owned, as all below */
    size_t n_paths, cap_paths;
    rbt_step_get_t *steps;
    size_t n_steps, cap_steps;
    rbt_shape_get_t *shapes;
    size_t n_shapes, cap_shapes;
    uint64_t shapes_before;  /* in frames read before, for numbers of shapes */
    uint32_t *masks, *slots; /* of accesses */
    size_t n_accesses, cap_masks, cap_slots;
    rbt_addr_get_t addr;
    uint64_t linear; /* of the current block */
    uint32_t blocks_begun, pieces_begun, block_pieces;
    uint32_t warp, shape; /* of the current piece */
    uint64_t n_insts;
} rbt_frame_get_t;

void rbt_frame_get_free(rbt_frame_get_t *f);

/* Begins to read f->bytes. Returns NULL, or what is wrong. */
const char *rbt_frame_get_begin(rbt_frame_get_t *f, const rbt_code_t *code);

/* Moves to the next block; the previous one must have been read to its end. */
const char *rbt_frame_get_block(rbt_frame_get_t *f);

/* Moves to the next piece of the block; *shape is NULL if there is none. */
const char *rbt_frame_get_piece(rbt_frame_get_t *f, const rbt_shape_get_t **shape);

/*
 * Appends the address records of the current piece to words[*n ..), which grows. Stops with an
 * error above max words.
 */
const char *rbt_frame_get_addrs(rbt_frame_get_t *f, uint64_t **words, size_t *n, size_t *cap,
                                size_t max);

/* After the last block: checks that the whole frame was used. */
const char *rbt_frame_get_end(const rbt_frame_get_t *f);

#endif
