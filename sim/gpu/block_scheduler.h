/*
 * The block scheduler: one shard. It owns the resource ledger of every SM and decides from it
 * alone: a dispatch debits it at once, a block-done message credits it on arrival.
 */
#ifndef RUBATO_GPU_BLOCK_SCHEDULER_H
#define RUBATO_GPU_BLOCK_SCHEDULER_H

#include "sim/core/engine.h"
#include "sim/core/inbox.h"
#include "sim/gpu/feed.h"
#include "sim/gpu/placement.h"

typedef struct {
    const gpu_spec_t *spec;   /* borrowed */
    const uint16_t *sm_shard; /* borrowed; shard of each SM */
    placement_t placement;
    cycle_t dispatch_next; /* no dispatch before */
    inbox_t inbox;

    /* The launch being run. */
    feed_t *feed; /* borrowed; NULL: none */
    launch_ctx_t ctx;
    block_need_t need;
    cycle_t first_dispatch; /* launch latency over */
    uint64_t dispatched, done;
    bool finished;
    cycle_t end; /* valid once finished */
} block_scheduler_t;

extern const shard_ops_t block_scheduler_ops;

void block_scheduler_init(block_scheduler_t *s, const gpu_spec_t *spec, const uint16_t *sm_shard);
void block_scheduler_free(block_scheduler_t *s);

/* A launch begins at cycle start; its first block may be dispatched at start + launch latency. The
 * caller wakes the shard then. */
void block_scheduler_begin(block_scheduler_t *s, feed_t *feed, const launch_ctx_t *ctx,
                           const occupancy_t *occupancy, cycle_t start);

/* Blocks that can be dispatched in a window of that many cycles, and one to see whether any is
 * left: what the feed must hold before the window. */
uint32_t block_scheduler_demand(const gpu_spec_t *spec, cycle_t window);

/* Checkpoint between launches. 0, or -1 with errno. */
int block_scheduler_save(const block_scheduler_t *s, FILE *out);
int block_scheduler_load(block_scheduler_t *s, FILE *in);

#endif
