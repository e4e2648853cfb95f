/*
 * Converts the lines of a warp to the parts of a block: runs of instructions with one mask, and
 * address records.
 */
#ifndef RUBATO_ACCELSIM_WARP_H
#define RUBATO_ACCELSIM_WARP_H

#include "frontend/input/accelsim/block/accelsim_block.h"

/* A block with its memory; returned to the pool and reused. */
struct accelsim_block {
    trace_block_t pub; /* first member */
    warp_stream_t warps[BLOCK_WARPS_MAX];
    size_t first_run[BLOCK_WARPS_MAX], first_word[BLOCK_WARPS_MAX]; /* while it is not long */
    bool present[BLOCK_WARPS_MAX];
    trace_run_t *runs; /* owned */
    size_t n_runs, cap_runs;
    uint64_t *words; /* owned: address records */
    size_t n_words, cap_words;
    long_block_t *pieces;        /* in the store; NULL: the block is not long */
    accelsim_block_t *next;      /* list of the pool */
    accelsim_block_t *next_made; /* list of all blocks of the launch */
};

/*
 * Reads a warp of the block, from its line "warp = number" to the line after its last instruction.
 * RB_TRACE naming file and line.
 */
RB_CHECKED rb_code_t accelsim_warp_read(block_reader_t *r, accelsim_block_t *b, rb_err_t *err);

/* Fails because the text ends inside the block. */
rb_code_t accelsim_warp_truncated(const block_reader_t *r, const accelsim_block_t *b,
                                  rb_err_t *err);

#endif
