/*
 * Thread blocks for sources that construct them (generated programs, listings, tests): filled warp
 * by warp, handed out, given back and reused.
 */
#ifndef RUBATO_GPU_MADE_BLOCK_H
#define RUBATO_GPU_MADE_BLOCK_H

#include <pthread.h>
#include <stdatomic.h>

#include "sim/gpu/source/trace_source.h"

/* The runs and addresses of all warps of a block are contiguous, unless it is long: then they are
 * packed. */
typedef struct made_block {
    trace_block_t block;    /* must be first: a pointer to it is a pointer to the made_block_t */
    struct made_pool *pool; /* borrowed */
    struct made_block *next_free, *next_made;
    trace_run_t *runs;     /* owned */
    uint64_t *addrs;       /* owned */
    stream_store_t *store; /* borrowed; for long blocks; NULL: none */
    long_block_t *pieces;  /* in the store; NULL: the block is not long */
    size_t n_runs, cap_runs, n_addrs, cap_addrs;
    size_t first_run, first_addr; /* of the current warp */
    uint32_t warp;                /* the current warp */
    uint64_t n_insts;             /* of the current warp */
} made_block_t;

/* The blocks of an open launch. */
typedef struct made_pool {
    pthread_mutex_t lock; /* blocks are taken and given back by different threads */
    made_block_t *free;
    made_block_t *made;    /* all blocks, given back or not */
    stream_store_t *store; /* borrowed; for long blocks; NULL: they are kept whole */
    /* Of the block that ended last: a new one begins with as much room. */
    atomic_size_t runs, addrs;
} made_pool_t;

void made_pool_init(made_pool_t *p);

/* Frees all blocks, given back or not. */
void made_pool_free(made_pool_t *p);

/* A block of n_warps warps, the same number in each call; from any thread. */
made_block_t *made_pool_take(made_pool_t *p, uint32_t n_warps);

void made_pool_give_back(made_pool_t *p, trace_block_t *block);

/* Begins block `index` of a grid: empties it and sets its id. */
void made_block_begin(made_block_t *b, uint64_t index, const uint32_t grid[3]);

/* Then, for each warp in order: begin, runs with their addresses, end. */
void made_warp_begin(made_block_t *b);
void made_warp_end(made_block_t *b, uint32_t warp);

/* Call after the last warp: sets the pointers of the warps' streams. RB_IO from the store. */
RB_CHECKED rb_code_t made_block_end(made_block_t *b, rb_err_t *err);

/* Adds count instructions from first on; extends the warp's last run if they continue it. The address
 * records of all instructions before must have been added. */
void made_run_put(made_block_t *b, const inst_t *first, uint32_t count, uint32_t mask);

/* Room for an address record of that many words; the caller adds the words it used to n_addrs. */
uint64_t *made_addrs_reserve(made_block_t *b, size_t words);

#endif
