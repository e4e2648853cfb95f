/*
 * Reads what the warps of a launch execute: how often each basic block. Uses the trace's index if
 * there is one, and otherwise reads the requested blocks.
 */
#ifndef RUBATO_WARP_READER_H
#define RUBATO_WARP_READER_H

#include "sampling/inside/bb_table.h"
#include "sim/gpu/sampled/sampler.h"
#include "sim/gpu/source/read_blocks.h"

typedef struct {
    const trace_source_ops_t *ops; /* borrowed until closed */
    block_reading_t reading;
    trace_launch_t *launch; /* borrowed from it; NULL: closed */
    bb_table_t *table;      /* borrowed; basic blocks that are met are added */
    bool indexed;
    uint64_t index; /* of the current block */
    uint32_t n_warps;
    trace_block_t *block; /* without an index: the block; NULL: the trace does not have it */
    uint32_t *number;     /* owned; with an index: table number + 1 of the kernel's basic blocks */
    uint64_t *executions; /* owned; without an index: executions of the table's basic blocks by a
                           * warp */
    bb_count_t *counts;   /* owned */
    size_t n_counts, cap_number, cap_executions, cap_counts;
} warp_reader_t;

/* Errors are those of the source. *r must be closed in any case. */
RB_CHECKED rb_code_t warp_reader_open(warp_reader_t *r, const sampler_launch_t *l,
                                      bb_table_t *table, rb_err_t *err);
void warp_reader_close(warp_reader_t *r);

/* Goes to a block and sets n_warps. Without an index, block numbers must ascend. */
RB_CHECKED rb_code_t warp_reader_block(warp_reader_t *r, uint64_t index, rb_err_t *err);

/* Reads what a warp (0 .. n_warps - 1) of the block executes, with the numbers of the table:
 * counts[0 .. n_counts) of *r, valid until the next call. n_counts is 0 if the trace has no such
 * warp. */
RB_CHECKED rb_code_t warp_reader_warp(warp_reader_t *r, uint32_t warp, rb_err_t *err);

#endif
