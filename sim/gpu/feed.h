/*
 * Feed: the decoded blocks of an open launch, ahead of their dispatch.
 *
 * Filled by host tasks (feed_ensure() between windows, feed_ahead() on threads with nothing to do),
 * emptied by the block scheduler in stored order. How far ahead it is never changes a result: the
 * scheduler is only let into a window when every block that it could dispatch in it is there.
 */
#ifndef RUBATO_GPU_FEED_H
#define RUBATO_GPU_FEED_H

#include <pthread.h>
#include <stdatomic.h>

#include "sim/gpu/trace_source.h"

/* Which blocks of a launch are asked for, where not all are. */
typedef struct {
    bool (*wanted)(const void *ctx, uint64_t block); /* any thread, with the feed's lock held */
    const void *ctx;
    uint64_t n_blocks; /* of the launch */
} feed_filter_t;

typedef struct {
    pthread_mutex_t lock;                /* held while decoding, opening and closing */
    trace_source_t *source;              /* borrowed; NULL: closed */
    trace_launch_t *launch;              /* owned while open */
    uint32_t capacity;                   /* blocks decoded ahead at most */
    trace_block_t **ring;                /* owned */
    atomic_uint_fast64_t decoded, taken; /* blocks put in, blocks taken out */
    uint64_t next_index;                 /* next block to decode */
    const feed_filter_t *filter;         /* borrowed while open; NULL: all blocks */
    atomic_bool ended;                   /* the source has no further block */
    atomic_bool failed;
    rb_err_t err; /* valid once failed */
} feed_t;

void feed_init(feed_t *f);
void feed_destroy(feed_t *f);

/* Opens launch id of the source. ahead: blocks that feed_ensure() will ask for at most. filter:
 * NULL, or it outlives the open launch. */
RB_CHECKED rb_code_t feed_open(feed_t *f, trace_source_t *source, uint64_t id, uint32_t ahead,
                               const feed_filter_t *filter, rb_err_t *err);

/*
 * What the filter wants changes only between these two calls, between windows. Blocks that it no
 * longer wants are given back; a block that it has once not wanted it may not want later.
 */
void feed_change_begin(feed_t *f);
void feed_change_end(feed_t *f);

/* Closes the launch; blocks still out are the source's to free. */
void feed_close(feed_t *f);

/* Makes sure that n blocks (at most ahead) or all that are left are decoded. false: failed. */
bool feed_ensure(feed_t *f, uint32_t n);

/* Any thread, at any time: decodes one block if there is room and nobody else is decoding. false:
 * nothing to do. */
bool feed_ahead(feed_t *f);

/* Are there blocks left to take? Exact after feed_ensure(f, n) for the first n - 1 that are taken.
 */
bool feed_more(const feed_t *f);

/* The next block; feed_ensure() has made sure that it is there. */
trace_block_t *feed_take(feed_t *f);

/* Gives a block back. Any thread. */
void feed_free(feed_t *f, trace_block_t *b);

#endif
