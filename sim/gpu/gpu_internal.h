/*
 * Internal state of the chip, for gpu.c (assembly), launch_loop.c (running launches), checkpoint.c
 * and the samplers' files.
 */
#ifndef RUBATO_GPU_INTERNAL_H
#define RUBATO_GPU_INTERNAL_H

#include "sim/core/engine/engine.h"
#include "sim/gpu/block_scheduler.h"
#include "sim/gpu/dispatch/crossing.h"
#include "sim/gpu/gpu.h"
#include "sim/gpu/gpu_counters.h"
#include "sim/gpu/view/inst_collector.h"
#include "sim/gpu/view/run_progress.h"
#include "sim/mem/mmu.h"
#include "sim/mem/partition.h"
#include "sim/sm/sm.h"

enum { GPU_SPARE_L2 = 2 };

/* A run in progress. Used only by the calling thread. */
typedef struct {
    trace_source_t *source;
    const run_plan_t *plan;
    const gpu_callbacks_t *callbacks;
    bool launch_open;
    bool stop; /* the caller requested a stop */
    unsigned warmup;
    uint64_t boundaries;
    gpu_progress_t progress;
    run_progress_t work;
    uint64_t cycles, insts;    /* of the launches so far, for the limits of the plan */
    uint64_t insts_before;     /* of the chip, at the start of the run */
    inside_t *inside;          /* NULL: no sampler inside launches */
    chip_views_t *views;       /* NULL: none are wanted */
    struct overlap_loop *loop; /* NULL: launches run one after another */
    uint64_t last_insts;       /* for the watchdog: instructions and completed blocks */
    cycle_t last_issue, watch_from;
} run_state_t;

/* A kernel. */
typedef struct {
    uint64_t id;    /* code_id of its launches */
    uint64_t first; /* position of the first of them; 0: unknown */
} known_code_t;

struct gpu {
    gpu_spec_t spec;
    cycle_t window; /* of the engine; at most gpu_spec_window() */
    engine_t *engine;
    crossing_t *crossing; /* owned; NULL: SMs share no ports */
    addr_map_t map;
    uint32_t n_sms, n_partitions;
    int threads;             /* of the host */
    int window_threads;      /* whose windows it has: threads, unless gpu_watch() says otherwise */
    sm_t **sm;               /* owned */
    partition_t **partition; /* owned */
    mmu_t *mmu;              /* owned */
    block_scheduler_t scheduler;
    uint16_t *sm_shard;        /* owned */
    uint16_t *partition_shard; /* owned */
    uint16_t scheduler_shard, mmu_shard;
    uint32_t epoch;     /* number of launches started */
    cycle_t next_start; /* when the chip was at rest */
    known_code_t *code; /* owned; in order of appearance: the index places their code */
    size_t n_codes, cap_codes;
    uint64_t n_noted; /* warmup.mode functional: the code of this many launches is known */
    uint64_t reached; /* position of the last simulated launch */
    bool left_out;    /* the caches lack a part of it */
    struct footprints *footprints;    /* owned; of walked launches; NULL: none was walked */
    cache_t **spare_l2[GPU_SPARE_L2]; /* owned; empty L2s for walks; by slice; NULL: none */
    char *graph_image; /* owned; of a checkpoint between launches that overlap; or NULL */
    size_t n_graph_image;
    feed_t feed;          /* blocks of the open launch; idle worker threads fill it too */
    feed_filter_t filter; /* of the open launch, with samplers inside launches */
    uint32_t demand;      /* blocks that the feed must hold before a window */
    gpu_watch_fn_t watch; /* gpu_watch() */
    void *watch_ctx;
    inst_collector_t *insts; /* owned; NULL: no counts per instruction */
    run_state_t run;
};

/* Warp instructions that all SMs have issued so far. */
uint64_t gpu_warp_insts(const gpu_t *g);

/* The counts between two times. */
void gpu_counters_between(gpu_counters_t *out, const gpu_counters_t *now,
                          const gpu_counters_t *before);

/* Sums all counters, after charging the warp states up to cycle. */
void gpu_count(gpu_t *g, cycle_t cycle, gpu_counters_t *out);

/* warmup.mode functional: brings the caches that outlive a launch to where the launches between the
 * last simulated one and launch `position` would leave them (before_launch.c). Adds what that takes to
 * *touched. *lead: nothing was done, because launch position - 1 has to be simulated first; NULL: it
 * cannot be. */
RB_CHECKED rb_code_t gpu_warm_up(gpu_t *g, trace_source_t *source, uint64_t position,
                                 launch_touched_t *touched, bool *lead, rb_err_t *err);

/* Blocks of a launch that the chip holds at once; 1 if not even one fits. */
uint64_t gpu_slots(const gpu_t *g, const launch_info_t *info);

/* Applies the accesses of blocks [first, end) of a launch to the L2, and those of the last ones to
 * the L1s, without time. */
RB_CHECKED rb_code_t gpu_warm_blocks(gpu_t *g, trace_source_t *source, uint64_t id, uint64_t first,
                                     uint64_t end, l2_warmed_t *warmed, rb_err_t *err);

void gpu_flush_l2(gpu_t *g);

/* Frees L2 tags by slice; list may be NULL. */
void gpu_free_l2(const gpu_t *g, cache_t **list);

enum { GPU_REST_QUANTUM = 512 }; /* cycles */

/* Lets the memory side finish the work of the last launch; sets the start of the next one.
 * (rest.c) */
void gpu_come_to_rest(gpu_t *g);

/* The tags of the L2; slice belongs to the caller (free()), the caches to the chip. */
l2_chip_tags_t gpu_l2_tags(const gpu_t *g);

/* For touch_consumer_t: the half of the chip that each slot of a walk is in; sm: of each slot, or NULL: in the order
 * in which SMs get blocks. The caller frees it. NULL: the chip has no halves. */
uint8_t *gpu_slot_halves(const gpu_t *g, const l2_chip_tags_t *tags, uint64_t slots,
                         const uint32_t *sm);

/* Starts recording the clock reads of the launch about to run (clock_reads.c). */
void clock_reads_begin(gpu_t *g);

/* Stops, and passes them to the callback. */
RB_CHECKED rb_code_t clock_reads_end(gpu_t *g, const launch_info_t *info, cycle_t start,
                                     rb_err_t *err);

/* Applies the host copies before a launch. Adds their bytes to *bytes. Returns the sectors that
 * they left in the L2. */
uint64_t gpu_take_copies(gpu_t *g, const memcpy_op_t *ops, size_t n, uint64_t *bytes);

/* Whether the launch at a position is among those to run, but for the first and last ones.
 * (run_plan.c) */
bool gpu_plan_lists(const run_plan_t *plan, uint64_t id);

/* Hooks of the engine (launch_loop.c). */
bool gpu_boundary_hook(void *gpu, cycle_t now);
bool gpu_idle_hook(void *gpu, int thread);

/* Where the model places a kernel's code. Different kernels do not share instruction lines. */
uint64_t gpu_code_base(gpu_t *g, uint64_t code_id);

/* The index of a kernel in g->code. */
size_t gpu_code_number(gpu_t *g, uint64_t code_id);

/* Position of the first launch of a kernel: this one, if the kernel is new. Launches must be asked
 * for in order. */
uint64_t gpu_code_first(gpu_t *g, uint64_t code_id, uint64_t position);

#endif
