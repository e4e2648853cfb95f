/* Blocks that arrive through the launch pipe, whole or in pieces. */
#ifndef RUBATO_LAUNCH_PIPE_BLOCK_H
#define RUBATO_LAUNCH_PIPE_BLOCK_H

#include "frontend/emulator/record/launch_pipe_read.h"
#include "sim/gpu/source/wait_loops.h"
#include "sim/isa/stream_store.h"

/* The launch whose blocks are read. All pointers are borrowed. */
typedef struct {
    pipe_reader_t *in;
    const launch_info_t *info;
    const inst_t *insts; /* its code */
    uint32_t n_insts;
    uint64_t next;           /* index of the block that comes next */
    stream_store_t *store;   /* for long blocks; NULL: they are kept whole */
    pipe_waits_t waits_head; /* of the block that comes next */
    stream_wait_t *waits;    /* owned */
    wait_word_t *wait_words; /* owned */
    wait_loops_t *sum;       /* of all blocks of the launch */
} pipe_blocks_t;

/* A block lent to the reader, and its memory. */
typedef struct pipe_block_lent {
    trace_block_t block; /* first member: a source's free_block() gets its address */
    warp_stream_t *warps;
    trace_run_t *runs;
    uint64_t *addrs;
    stream_wait_t *waits;
    wait_word_t *wait_words;
    struct part *parts;                   /* of a long block without a store: its warps; or NULL */
    long_block_t *pieces;                 /* in the launch's store; NULL: not long */
    struct pipe_block_lent *next, **link; /* list of all lent blocks */
} pipe_block_lent_t;

/* Reads the block that is next in the pipe. Sets *out to it, to be dropped by the caller, or to NULL
 * if its index is below first. RB_TRACE: broken or garbled. */
RB_CHECKED rb_code_t pipe_block_take(pipe_blocks_t *s, uint64_t first, pipe_block_lent_t **out,
                                     rb_err_t *err);

/* Reads the waits of the block that comes next. RB_TRACE. */
RB_CHECKED rb_code_t pipe_block_waits(pipe_blocks_t *s, rb_err_t *err);

void pipe_block_drop(pipe_blocks_t *s, pipe_block_lent_t *b);

#endif
