/* Thread blocks handed out to the reader: assembled from pieces, returned and reused. Long blocks are
 * packed into a store. */
#ifndef RUBATO_RBT_BLOCK_H
#define RUBATO_RBT_BLOCK_H

#include <pthread.h>

#include "frontend/input/rbt/read/rbt_frame_get.h"
#include "sim/core/err.h"
#include "sim/isa/stream_store.h"

typedef struct rbt_block rbt_block_t;

typedef struct {
    pthread_mutex_t lock;
    rbt_block_t *first; /* free ones */
    rbt_block_t *made;  /* all of them */
} rbt_pool_t;

struct rbt_block {
    trace_block_t pub; /* first member */
    warp_stream_t warps[RBT_WARPS_MAX];
    size_t first_word[RBT_WARPS_MAX];
    size_t first_run[RBT_WARPS_MAX]; /* first run in runs, for warps of several pieces */
    unsigned n_pieces[RBT_WARPS_MAX];
    trace_run_t *runs; /* owned */
    size_t n_runs, cap_runs;
    uint64_t *words; /* owned */
    size_t n_words, cap_words;
    size_t all_runs;       /* of all its pieces, shared or not */
    stream_store_t *store; /* borrowed; for long blocks; NULL: none */
    long_block_t *pieces;  /* in the store; NULL: the block is not long */
    rbt_runs_t **held;     /* owned; references to the runs of shapes that it uses */
    size_t n_held, cap_held;
    uint32_t last_warp;
    rbt_block_t *next, *next_made;
};

void rbt_pool_init(rbt_pool_t *p);
void rbt_pool_free(rbt_pool_t *p);
rbt_block_t *rbt_pool_take(rbt_pool_t *p);
void rbt_pool_give_back(rbt_pool_t *p, rbt_block_t *b);

/* store: borrowed; NULL: the block is kept whole. */
void rbt_block_begin(rbt_block_t *b, uint64_t index, const uint32_t id[3], uint32_t n_warps,
                     stream_store_t *store);

/* Gives up what the block holds of its frames and of the store. */
void rbt_block_release(rbt_block_t *b);

/* Keeps the runs of this frame alive while the block uses them. */
void rbt_block_hold(rbt_block_t *b, rbt_runs_t *runs);

/* Adds the piece that the frame is at, with its addresses. Returns NULL, or what is wrong. */
const char *rbt_block_piece(rbt_block_t *b, rbt_frame_get_t *f, const rbt_shape_get_t *s);

/* Completes the block after its last piece. RB_IO from the store. */
RB_CHECKED rb_code_t rbt_block_end(rbt_block_t *b, rb_err_t *err);

#endif
