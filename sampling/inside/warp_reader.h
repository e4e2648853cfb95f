/*
 * What the warps of a launch execute: how often each basic block. The trace's index tells it where
 * there is one; else the blocks asked for are read.
 */
#ifndef RUBATO_WARP_READER_H
#define RUBATO_WARP_READER_H

#include "sampling/inside/bb_table.h"
#include "sim/gpu/sampler.h"

typedef struct {
    const trace_source_ops_t *ops; /* borrowed, as launch, until closed */
    trace_launch_t *launch;
    bb_table_t *table; /* borrowed: the basic blocks that are met are added */
    bool indexed;
    uint64_t index; /* of the block */
    uint32_t n_warps;
    trace_block_t *block; /* read, not indexed; NULL: the trace has no such block */
    uint32_t *number;     /* owned, indexed: of the kernel's basic blocks in the table, + 1 */
    uint64_t *executions; /* owned, not indexed: of the table's basic blocks, by a warp */
    bb_count_t *counts;   /* owned */
    size_t n_counts, cap_number, cap_executions, cap_counts;
} warp_reader_t;

/* Errors are those of the source. *r is to be closed in any case. */
RB_CHECKED rb_code_t warp_reader_open(warp_reader_t *r, const sampler_launch_t *l,
                                      bb_table_t *table, rb_err_t *err);
void warp_reader_close(warp_reader_t *r);

/* Goes to a block, its n_warps is then known; not indexed: indices must ascend. */
RB_CHECKED rb_code_t warp_reader_block(warp_reader_t *r, uint64_t index, rb_err_t *err);

/*
 * What a warp (0 .. n_warps - 1) of the block executes, in the numbers of the table: counts[0 ..
 * n_counts) of *r, borrowed until the next call. n_counts is 0 if the trace has no such warp.
 */
RB_CHECKED rb_code_t warp_reader_warp(warp_reader_t *r, uint32_t warp, rb_err_t *err);

#endif
