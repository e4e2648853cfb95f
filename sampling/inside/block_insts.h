/*
 * Warp instructions of a launch's blocks, from the index of a native trace. Stored as runs of equal
 * blocks, so memory grows only with the number of changes.
 */
#ifndef RUBATO_BLOCK_INSTS_H
#define RUBATO_BLOCK_INSTS_H

#include <stddef.h>

#include "sim/gpu/source/trace_source.h"

/* Consecutive blocks with equal numbers of warp instructions. */
typedef struct {
    uint64_t first;  /* first block */
    uint64_t before; /* warp instructions of all earlier blocks */
    uint64_t insts;  /* warp instructions of each block */
} insts_run_t;

typedef struct {
    uint64_t blocks;   /* number of blocks in the trace */
    insts_run_t *runs; /* owned */
    size_t n, cap;
} block_insts_t;

/* RB_USAGE if the source has no index. */
RB_CHECKED rb_code_t block_insts_known(const trace_source_t *source, rb_err_t *err);

/* Reads the index of a launch. visit (may be NULL) gets the facts of each stored block. RB_USAGE if
 * the source has no index, and errors of the source. *b must be freed in any case. */
RB_CHECKED rb_code_t block_insts_read(block_insts_t *b, trace_source_t *source, uint64_t position,
                                      void (*visit)(void *ctx, const block_facts_t *facts),
                                      void *ctx, rb_err_t *err);

/* Appends a block, for sources without an index. */
void block_insts_add(block_insts_t *b, uint64_t insts);

/* That many blocks of one instruction, for what is not known. *b must be empty. */
void block_insts_equal(block_insts_t *b, uint64_t blocks);

/* A zeroed one is allowed. */
void block_insts_free(block_insts_t *b);

/* Warp instructions of the blocks before `block`, which may be b->blocks. */
uint64_t block_insts_before(const block_insts_t *b, uint64_t block);

#endif
