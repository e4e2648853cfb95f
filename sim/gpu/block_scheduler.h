/*
 * The block scheduler: one shard. It owns the resource ledger of every SM and decides from it
 * alone: a dispatch debits it at once, a block-done message credits it on arrival.
 */
#ifndef RUBATO_GPU_BLOCK_SCHEDULER_H
#define RUBATO_GPU_BLOCK_SCHEDULER_H

#include "sim/core/engine.h"
#include "sim/core/inbox.h"
#include "sim/core/wheel.h"
#include "sim/gpu/feed.h"
#include "sim/gpu/inside.h"
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
    uint64_t sent, sent_insts; /* blocks sent to SMs, and their warp instructions */
    bool finished;
    cycle_t end;   /* valid once finished */
    cycle_t quiet; /* valid once finished: no block is on an SM any more */

    /* Only where a sampler may leave out blocks of the launch. */
    const inside_t *inside; /* borrowed; NULL: every block is simulated */
    uint64_t next, n_blocks;
    uint64_t held, skipped; /* blocks not simulated */
    wheel_t holds;          /* SMs by the cycle at which a block that was not simulated leaves */
    struct resident {
        uint64_t block;
        cycle_t leaves; /* dispatched, plus latencies */
        uint32_t sm;
    } * resident; /* owned; blocks on SMs */
    size_t n_resident, cap_resident;
    bool tail_shrunk;
    uint64_t ghosts;       /* blocks on SMs that hold no slot any more */
    uint64_t ghosts_below; /* they are blocks before this one */
    uint32_t storing;      /* SMs with stores of blocks that are done under way */
} block_scheduler_t;

extern const shard_ops_t block_scheduler_ops;

void block_scheduler_init(block_scheduler_t *s, const gpu_spec_t *spec, const uint16_t *sm_shard);
void block_scheduler_free(block_scheduler_t *s);

/* A launch begins at cycle start; its first block may be dispatched at start + launch latency. The
 * caller wakes the shard then. inside: NULL, or what says which of its n_blocks are simulated. */
void block_scheduler_begin(block_scheduler_t *s, feed_t *feed, const launch_ctx_t *ctx,
                           const occupancy_t *occupancy, cycle_t start, const inside_t *inside,
                           uint64_t n_blocks);

/* From now on the blocks on SMs hold their slots for the time that inside predicts, however long
 * they are simulated. Between windows; now: start of the next. */
void block_scheduler_predict_residents(block_scheduler_t *s, cycle_t now);

/* Leaves out the next blocks, at most so many. Returns how many. */
uint64_t block_scheduler_pass(block_scheduler_t *s, uint64_t blocks);

/* The first block that is on an SM, or the next one; with samplers only. */
uint64_t block_scheduler_oldest(const block_scheduler_t *s);

/* Blocks that can be dispatched in a window of that many cycles, and one to see whether any is
 * left: what the feed must hold before the window. */
uint32_t block_scheduler_demand(const gpu_spec_t *spec, cycle_t window);

/* Checkpoint between launches. 0, or -1 with errno. */
int block_scheduler_save(const block_scheduler_t *s, FILE *out);
int block_scheduler_load(block_scheduler_t *s, FILE *in, cycle_t latest);

#endif
