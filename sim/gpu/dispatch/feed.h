/*
 * Feed: decoded blocks of an open launch, ahead of their dispatch.
 *
 * Filled by host tasks (feed_ensure() between windows, feed_ahead() on idle threads), several at a
 * time if the source can, and emptied by the block scheduler in stored order. How far it is ahead
 * never changes a result: a window starts only when every block that the scheduler could dispatch in
 * it is decoded.
 */
#ifndef RUBATO_GPU_FEED_H
#define RUBATO_GPU_FEED_H

#include <pthread.h>
#include <stdatomic.h>

#include "sim/gpu/source/trace_source.h"
#include "sim/isa/stream_doubts.h"

/* Selects the blocks of a launch to decode. */
typedef struct {
    bool (*wanted)(const void *ctx, uint64_t block); /* called on any thread, with the feed's lock
                                                      * held */
    const void *ctx;
    uint64_t n_blocks; /* of the launch */
} feed_filter_t;

/* A block of the ring. */
typedef struct {
    trace_block_t *block; /* NULL: it is being decoded */
    stream_doubts_t doubts;
} feed_entry_t;

typedef struct {
    pthread_mutex_t lock; /* held while claiming, opening and closing, not while decoding claims */
    pthread_cond_t decoded_more;
    trace_source_t *source;              /* borrowed; NULL: closed */
    trace_launch_t *launch;              /* owned while open */
    uint32_t ahead;                      /* blocks decoded ahead, at least if they are short: */
    uint64_t ahead_insts;                /* more blocks while they have fewer instructions */
    uint32_t capacity;                   /* of the ring */
    feed_entry_t *ring;                  /* owned */
    uint64_t claimed;                    /* blocks that were decoded or are being decoded */
    atomic_uint_fast64_t decoded, taken; /* blocks, in order, that can be taken and were taken */
    atomic_uint_fast64_t insts_decoded, insts_taken; /* their warp instructions */
    stream_doubts_t doubts;                          /* of the blocks that were taken */
    uint32_t busy;                                   /* threads that decode a claim */
    uint64_t next_index;                             /* next block to decode */
    const feed_filter_t *filter;                     /* borrowed while open; NULL: all blocks */
    atomic_bool ended;                               /* the source has no more blocks to claim */
    atomic_bool failed;
    uint64_t failed_at;   /* the first block that failed */
    bool missing;         /* a block that is needed could not be decoded */
    rb_err_t err;         /* valid once failed, when no thread decodes */
    stream_store_t store; /* of the open launch: its long blocks */
} feed_t;

void feed_init(feed_t *f);
void feed_destroy(feed_t *f);

/* What an open launch may need. */
typedef struct {
    uint32_t ahead;              /* most blocks that feed_ensure() will request */
    int threads;                 /* that decode */
    uint64_t resident;           /* most blocks on the chip at a time */
    uint32_t keep;               /* see stream_limits_t */
    const feed_filter_t *filter; /* NULL, or must outlive the open launch */
} feed_plan_t;

/* Opens launch id of the source. */
RB_CHECKED rb_code_t feed_open(feed_t *f, trace_source_t *source, uint64_t id,
                               const feed_plan_t *plan, rb_err_t *err);

/* The first error of decoding if a block behind it was needed, or of reading long blocks. */
RB_CHECKED rb_code_t feed_check(feed_t *f, rb_err_t *err);

/* The filter may change its answers only between these two calls, which must be between windows.
 * Blocks that it no longer wants are given back. A block that it did not want before must stay
 * unwanted. */
void feed_change_begin(feed_t *f);
void feed_change_end(feed_t *f);

/* No block is decoded between these two calls, which must be between windows. Returns the open
 * launch. */
trace_launch_t *feed_pause(feed_t *f);
void feed_go_on(feed_t *f);

/* Closes the launch. Blocks that were taken and not given back are freed by the source. */
void feed_close(feed_t *f);

/* Ensures that n blocks (at most ahead), or all that are left, are decoded. false: failed. */
bool feed_ensure(feed_t *f, uint32_t n);

/* Decodes a few blocks if there is room. Any thread, at any time. false: nothing to do. */
bool feed_ahead(feed_t *f);

/* Whether blocks are left to take. Exact after feed_ensure(f, n) until n blocks were taken. */
bool feed_more(const feed_t *f);

/* Whether all blocks of the launch were taken. */
bool feed_all_taken(feed_t *f);

/* Takes the next block; feed_ensure() must have ensured it. */
trace_block_t *feed_take(feed_t *f);

/* Gives a block back. Any thread. */
void feed_free(feed_t *f, trace_block_t *b);

#endif
