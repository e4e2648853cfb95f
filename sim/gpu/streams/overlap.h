/*
 * Launches at the same time: the block scheduler for the graph of a program's work (stream_graph.h).
 *
 * An operation is ready when all that it waits for is complete. Launches that are ready stand in a
 * queue, by priority and then by the time from which they can run. Only blocks of the first launch in
 * the queue are dispatched; it leaves the queue when it has no more blocks (Amert et al., "GPU
 * Scheduling on the NVIDIA TX2: Hidden Details Revealed", RTSS 2017: rules G2, G3, X1, A1, A2). Later
 * launches so get what is left over. Launches whose streams are confined to other SMs have queues of
 * their own.
 *
 * Copies take the engine of their direction in the order in which they become ready (rules C1 to C4).
 *
 * Everything happens in the scheduler's shard at exact cycles, so nothing depends on windows. Between
 * windows the launch loop opens what the shard has admitted: a launch runs at least a window after it
 * was admitted (overlap_least()).
 */
#ifndef RUBATO_GPU_OVERLAP_H
#define RUBATO_GPU_OVERLAP_H

#include "sim/core/engine/engine.h"
#include "sim/core/engine/inbox.h"
#include "sim/gpu/dispatch/feed.h"
#include "sim/gpu/dispatch/placement.h"
#include "sim/gpu/gpu.h"
#include "sim/mem/copy_traffic.h"

enum { OVERLAP_LAUNCHES = 256 }; /* twice as many as are admitted at most */

typedef enum { LAUNCH_FREE, LAUNCH_ADMITTED, LAUNCH_OPEN, LAUNCH_ENDED } overlap_state_t;

/* A launch on the chip. */
typedef struct {
    overlap_state_t state;
    uint32_t op;          /* its operation */
    uint32_t first, last; /* SMs that it may use */
    cycle_t start;        /* when it was admitted */
    cycle_t release;      /* when it enters the queue */
    cycle_t end;
    bool all_sent; /* no block is left to dispatch */
    uint64_t sent, done, sent_insts;
    uint32_t storing; /* SMs with outstanding stores of blocks that are done */
    bool over;        /* launch_over_tell() was called */
    /* Set by the launch loop when it opens the launch. */
    feed_t feed;
    launch_ctx_t ctx;
    block_need_t need;
    occupancy_t occupancy;
    launch_info_t info;
} overlap_launch_t;

/* What is known about an operation while the graph runs. */
typedef struct {
    uint32_t pending;  /* operations that it still waits for */
    uint64_t position; /* of the launch in the source; 0: none */
    cycle_t ready, release;
    cycle_t start, end;
    bool runs; /* it takes time; others are complete when they are ready */
    bool complete;
} overlap_op_t;

typedef struct {
    uint32_t *list; /* owned; room for all operations */
    size_t from, n; /* list[from .. from + n) */
} overlap_queue_t;

struct overlap;

/* What stands in for the SMs when a graph is replayed without simulating its blocks. */
typedef struct {
    void *ctx;
    /* A block was placed on an SM. Its MSG_BLOCK_DONE is put in the inbox when it ends. */
    void (*send)(void *ctx, const overlap_launch_t *l, uint32_t sm, cycle_t now);
} overlap_replay_t;

typedef struct overlap {
    const gpu_spec_t *spec; /* borrowed, as all pointers that are not owned */
    const uint16_t *sm_shard;
    placement_t *placement;
    inbox_t *inbox;
    const stream_graph_t *graph;
    const overlap_replay_t *replay; /* NULL: blocks are simulated */
    const sm_share_t *shares;
    size_t n_shares;
    overlap_op_t *ops;                /* owned */
    uint32_t *after;                  /* owned; the operations that wait for operation i: */
    size_t *first_after;              /* owned; after[first_after[i] .. first_after[i + 1]) */
    overlap_launch_t *launch;         /* owned; OVERLAP_LAUNCHES */
    uint32_t n_used;                  /* only the first ones have been used */
    uint32_t epoch;                   /* of the launch admitted last */
    cycle_t group_start;              /* when a launch was last admitted while no other had begun */
    uint64_t *carveout;               /* owned; of each SM that has blocks */
    uint32_t queue[OVERLAP_LAUNCHES]; /* launches that have blocks to dispatch, in order */
    size_t n_queue;
    overlap_queue_t waiting;   /* launches that are ready, but not admitted */
    overlap_queue_t copies[2]; /* of each engine: copies that are ready; the first one is running */
    cycle_t copy_end[2];       /* CYCLE_NEVER: the engine is idle */
    overlap_queue_t begun;     /* copies that began in the last window */
    overlap_queue_t completed; /* operations whose successors are to be told */
    uint32_t running;          /* launches admitted and not ended */
    uint64_t n_complete;       /* operations */
    uint64_t blocks_done;      /* for the watchdog */
    cycle_t begin;
    cycle_t dispatch_next;   /* earliest cycle of the next dispatch */
    cycle_t attempt;         /* when a dispatch may be possible; CYCLE_NEVER: something must end */
    bool started, any_ended; /* a launch has, at the current cycle */
    bool quiet; /* all launches that had begun have ended, at quiet_at; the launch loop clears it */
    cycle_t quiet_at;
} overlap_t;

/* Least cycles from the admission of a launch to its first block. */
cycle_t overlap_least(const gpu_spec_t *spec);

/* Prepares a run that begins at cycle `begin`. position[i]: of the launch of operation i in the source,
 * 0: it is not in the trace. (overlap_begin.c) */
void overlap_init(overlap_t *o, const gpu_spec_t *spec, const uint16_t *sm_shard,
                  placement_t *placement, inbox_t *inbox, const stream_graph_t *graph,
                  const uint64_t *position, const run_plan_t *plan, cycle_t begin);
void overlap_free(overlap_t *o);

/* Whether all operations are complete. */
static inline bool overlap_over(const overlap_t *o)
{
    return o->n_complete == o->graph->n;
}

/* The work of the scheduler's shard (engine.h). */
cycle_t overlap_run(overlap_t *o, outbox_t *out, cycle_t from, cycle_t to);

/* What a copy that began does in the memory. false: nothing, or its addresses are not known. */
bool overlap_traffic(const overlap_t *o, uint32_t op, copy_traffic_t *out);

/* When the operations ran, after all are complete; room for all of the graph. */
void overlap_times(const overlap_t *o, stream_op_time_t *times);

/* Admits a launch as launch[index], from the graph; the caller sets its times. */
void overlap_admit(overlap_t *o, uint32_t index, uint32_t op, uint32_t epoch);

/* Puts it into the queue. */
void overlap_enqueue(overlap_t *o, uint32_t index);

/* The engine of a copy, and the cycles that the copy takes. */
unsigned overlap_engine(const overlap_t *o, uint32_t op);
cycle_t overlap_copy_cycles(const overlap_t *o, uint32_t op);

/* Whether no launch has dispatched a block. (overlap_checkpoint.c, as what follows) */
bool overlap_at_rest(const overlap_t *o);

/* Saves and loads the progress of a graph at rest, while the partitions hold no copy. overlap_load() follows overlap_init() with the
 * same graph and the cycle of the checkpoint. 0, or -1: a file error, or an impossible state. */
int overlap_save(const overlap_t *o, FILE *out);
int overlap_load(overlap_t *o, FILE *in);

void overlap_dump(const overlap_t *o, FILE *out);

#endif
