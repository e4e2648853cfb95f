/*
 * The chip's parts, shared by gpu.c (assembly), launch_loop.c (running launches) and
 * checkpoint.c.
 */
#ifndef RUBATO_GPU_INTERNAL_H
#define RUBATO_GPU_INTERNAL_H

#include "sim/core/engine.h"
#include "sim/gpu/block_scheduler.h"
#include "sim/gpu/gpu.h"
#include "sim/gpu/gpu_counters.h"
#include "sim/gpu/run_progress.h"
#include "sim/mem/mmu.h"
#include "sim/mem/partition.h"
#include "sim/sm/sm.h"

/* A run in progress. Touched by the calling thread only. */
typedef struct {
    trace_source_t *source;
    const run_plan_t *plan;
    const gpu_callbacks_t *callbacks;
    bool launch_open;
    bool stop; /* the caller asked for it */
    uint64_t boundaries;
    gpu_progress_t progress;
    run_progress_t work;
    uint64_t insts_before; /* of the chip when the run began */
    inside_t *inside;      /* NULL: no sampler inside launches */
    chip_views_t *views;   /* NULL: none are wanted */
    uint64_t last_insts;   /* watchdog; blocks that end count too */
    cycle_t last_issue;
} run_state_t;

struct gpu {
    gpu_spec_t spec;
    cycle_t window; /* of the engine; at most that of the spec */
    engine_t *engine;
    addr_map_t map;
    uint32_t n_sms, n_partitions;
    sm_t **sm;               /* owned */
    partition_t **partition; /* owned */
    mmu_t *mmu;              /* owned */
    block_scheduler_t scheduler;
    uint16_t *sm_shard;        /* owned */
    uint16_t *partition_shard; /* owned */
    uint16_t scheduler_shard, mmu_shard;
    uint32_t epoch;     /* launches begun */
    cycle_t next_start; /* the chip was at rest by then */
    uint64_t *code_id;  /* owned; kernels seen, in order: their index places their code */
    size_t n_code_ids, cap_code_ids;
    feed_t feed;          /* blocks of the open launch; also filled by idle worker threads */
    feed_filter_t filter; /* of the open launch, with samplers inside launches */
    uint32_t demand;      /* blocks that the feed must hold before a window */
    run_state_t run;
};

/* Sums every counter after charging the warp states up to cycle. */
void gpu_count(gpu_t *g, cycle_t cycle, gpu_counters_t *out);

/*
 * warmup.mode functional: empties the L2 and lets the copies and launches before launch id, as many
 * as warmup.launches, leave in it what they touch, without time (warmup.c).
 */
RB_CHECKED rb_code_t gpu_warm_up(gpu_t *g, trace_source_t *source, uint64_t id, rb_err_t *err);

/* Lets blocks [first, end) of a launch leave in the L2 what they touch, without time. */
RB_CHECKED rb_code_t gpu_warm_blocks(gpu_t *g, trace_source_t *source, uint64_t id, uint64_t first,
                                     uint64_t end, l2_warmed_t *warmed, rb_err_t *err);

void gpu_flush_l2(gpu_t *g);

/* Clock reads of the launch about to run are noted (clock_reads.c) ... */
void clock_reads_begin(gpu_t *g);

/* ... until now, and given to the callback. */
RB_CHECKED rb_code_t clock_reads_end(gpu_t *g, const launch_info_t *info, cycle_t start,
                                     rb_err_t *err);

/* Host copies before a launch; *bytes is increased by theirs. Returns the sectors left in the L2.
 */
uint64_t gpu_take_copies(gpu_t *g, const memcpy_op_t *ops, size_t n, uint64_t *bytes);

/* Hooks of the engine (launch_loop.c). */
bool gpu_boundary_hook(void *gpu, cycle_t now);
bool gpu_idle_hook(void *gpu, int thread);

/* Where the model places a kernel's code: distinct kernels do not share instruction lines. */
uint64_t gpu_code_base(gpu_t *g, uint64_t code_id);

#endif
