/*
 * Cuts the instructions of a warp into basic blocks, and long warps into pieces, which bound how
 * much must be encoded or decoded at once.
 */
#ifndef RUBATO_RBT_WARP_H
#define RUBATO_RBT_WARP_H

#include "frontend/input/rbt/write/rbt_collect.h"

/* repeat consecutive executions of a basic block. */
typedef struct {
    uint32_t bb, repeat;
} rbt_step_t;

/* Sets the active mask this many instructions after the previous change. */
typedef struct {
    uint32_t behind, mask;
} rbt_mask_change_t;

/* A dynamic instruction with an address record. */
typedef struct {
    uint32_t inst, mask; /* number in the kernel's code */
} rbt_access_t;

/* A piece of a warp. The first mask is full unless changes say otherwise. */
typedef struct {
    rbt_step_t *steps; /* owned */
    size_t n_steps, cap_steps;
    rbt_mask_change_t *changes; /* owned */
    size_t n_changes, cap_changes;
    rbt_access_t *accesses; /* owned */
    size_t n_accesses, cap_accesses;
    uint32_t n_insts;
    uint64_t thread_insts;
    size_t n_words; /* of address records */
} rbt_piece_t;

/* Iterates over the pieces of a warp. */
typedef struct {
    rbt_collect_t *code;      /* borrowed */
    rbt_pointers_t *pointers; /* borrowed */
    rbt_inst_text_fn text;
    rbt_inst_line_fn line; /* NULL: no lines */
    void *text_ctx;
    const warp_stream_t *warp; /* borrowed, or `part` */
    uint32_t run, at;          /* next instruction */
    const uint64_t *addrs;     /* next record */
    warp_stream_t *rest;       /* borrowed: a warp in pieces of which more may follow; NULL: none */
    warp_stream_t part;        /* the pieces of it that are not walked yet; owns the lists below */
    trace_run_t *runs;
    uint64_t *words;
    size_t n_runs, cap_runs, n_words, cap_words;
    uint32_t *ids; /* owned: the open basic block */
    rbt_piece_t piece;
} rbt_walk_t;

void rbt_walk_free(rbt_walk_t *w);

/* Begins with a warp. Returns the warp, as a whole if it is not long; then it is valid until the next
 * call. */
const warp_stream_t *rbt_walk_begin(rbt_walk_t *w, warp_stream_t *warp);

/* Fills w->piece with the next piece; false at the end of the warp. *rec (may be NULL) is where its
 * address records begin. */
bool rbt_walk_piece(rbt_walk_t *w, const uint64_t **rec);

/* Whether a warp certainly fits into one piece. */
bool rbt_warp_is_short(const warp_stream_t *warp);

#endif
