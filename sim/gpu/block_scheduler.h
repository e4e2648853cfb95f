/*
 * The block scheduler sends blocks to SMs. It is a shard of its own. It keeps a ledger of the free
 * resources of every SM and uses nothing else to choose an SM: a dispatch takes the resources at
 * once, and the message that a block is done returns them when it arrives.
 */
#ifndef RUBATO_GPU_BLOCK_SCHEDULER_H
#define RUBATO_GPU_BLOCK_SCHEDULER_H

#include "sim/core/engine/engine.h"
#include "sim/core/engine/inbox.h"
#include "sim/core/engine/wheel.h"
#include "sim/gpu/dispatch/feed.h"
#include "sim/gpu/dispatch/placement.h"
#include "sim/gpu/sampled/inside.h"

typedef struct {
    const gpu_spec_t *spec;   /* borrowed */
    const uint16_t *sm_shard; /* borrowed; shard of each SM */
    placement_t placement;
    cycle_t dispatch_next; /* earliest cycle of the next dispatch */
    inbox_t inbox;
    struct overlap *overlap; /* borrowed; NULL: launches run one after another, as follows */

    /* State of the current launch. */
    feed_t *feed; /* borrowed; NULL: none */
    launch_ctx_t ctx;
    block_need_t need;
    cycle_t first_dispatch; /* start plus launch latency */
    uint64_t dispatched, done;
    uint64_t sent, sent_insts; /* blocks sent to SMs, and their warp instructions */
    bool finished;
    cycle_t end;   /* valid once finished */
    cycle_t quiet; /* valid once finished: when no block is on an SM any more */

    /* Only if a sampler may leave out blocks of the launch. */
    const inside_t *inside; /* borrowed; NULL: every block is simulated */
    uint64_t next, n_blocks;
    uint64_t held;    /* blocks that were not simulated but held a slot */
    uint64_t skipped; /* blocks that were not simulated and held none */
    wheel_t holds;    /* SMs by the cycle at which an unsimulated block leaves them */
    struct resident {
        uint64_t block;
        cycle_t leaves; /* dispatch plus latencies */
        uint32_t sm;
    } * resident; /* owned; blocks on SMs */
    size_t n_resident, cap_resident;
    bool tail_shrunk;
    uint64_t ghosts;       /* blocks on SMs that no longer hold a slot */
    uint64_t ghosts_below; /* their indices are below this */
    uint32_t storing;      /* SMs with outstanding stores of blocks that are done */
    bool over;             /* launch_over_tell() was called */
} block_scheduler_t;

extern const shard_ops_t block_scheduler_ops;

void block_scheduler_init(block_scheduler_t *s, const gpu_spec_t *spec, const uint16_t *sm_shard);
void block_scheduler_free(block_scheduler_t *s);

/* A launch begins at cycle start; its first block is dispatched at start + launch latency or later.
 * The caller wakes the shard then. inside: NULL, or decides which of the n_blocks are simulated. */
void block_scheduler_begin(block_scheduler_t *s, feed_t *feed, const launch_ctx_t *ctx,
                           const occupancy_t *occupancy, cycle_t start, const inside_t *inside,
                           uint64_t n_blocks);

/* From now on each block on an SM holds its slot for the time that `inside` predicts, no matter
 * when its simulation ends. Call it between windows; now is the start of the next one. */
void block_scheduler_predict_residents(block_scheduler_t *s, cycle_t now);

/* Skips the next blocks, at most this many. Returns how many. */
uint64_t block_scheduler_pass(block_scheduler_t *s, uint64_t blocks);

/* The lowest number of a block on an SM; the next block to dispatch if no SM has a block. Only for
 * launches with samplers. */
uint64_t block_scheduler_oldest(const block_scheduler_t *s);

/* How many decoded blocks the feed must hold at the start of a window of this many cycles: as many
 * as can be dispatched in the window, and one more, which shows whether any is left. */
uint32_t block_scheduler_demand(const gpu_spec_t *spec, cycle_t window);

/* Checkpoint between launches. 0, or -1 with errno. */
int block_scheduler_save(const block_scheduler_t *s, FILE *out);
int block_scheduler_load(block_scheduler_t *s, FILE *in, cycle_t latest);

#endif
