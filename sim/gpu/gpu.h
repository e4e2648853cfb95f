/*
 * The assembled chip: the interface for frontends.
 *
 *   gpu_t *g = gpu_create(&spec, threads, window);
 *   gpu_run(g, source, &plan, &callbacks, &err);
 *   gpu_destroy(g);
 */
#ifndef RUBATO_GPU_GPU_H
#define RUBATO_GPU_GPU_H

#include "sim/core/cycle.h"
#include "sim/core/engine/engine.h"
#include "sim/gpu/gpu_params.h"
#include "sim/gpu/launch_result.h"
#include "sim/gpu/sampled/sampler.h"
#include "sim/gpu/source/trace_source.h"
#include "sim/gpu/view/chip_view.h"
#include "sim/gpu/view/launch_insts.h"

typedef struct gpu gpu_t;

/* A point of the time series that stats_interval requests: counters since the last point. */
typedef struct {
    uint64_t launch_id;
    cycle_t start, end; /* relative to the launch's start */
    sm_stats_t sm;
    l2_stats_t l2;
    dram_stats_t dram;
} interval_result_t;

/* A read of an SM's cycle counter by a warp (CS2R or S2R of SR_CLOCKLO or SR_CLOCKHI). */
typedef struct {
    uint64_t block; /* index of the block in stored order */
    uint32_t warp;  /* index within the block */
    uint32_t pc;
    cycle_t cycle; /* the value read, relative to the launch's start */
} clock_read_t;

/* Progress of a run, for a progress line and a watchdog. */
typedef struct {
    uint64_t launch_id, launches_done, launches_total; /* of the requested launches; total 0:
                                                        * unknown */
    double launch_share;                               /* of this launch, 0 to 1 */
    double share;        /* of all that was requested, 0 to 1; negative: unknown */
    uint64_t warp_insts; /* issued since the run began */
    cycle_t now;
    bool touching; /* launches before launch_id are walked; it has not begun */
} gpu_progress_t;

/* When an operation of the graph ran; all cycles from the start of the run. */
typedef struct {
    bool ran;      /* false: a launch that the trace lacks, or what belongs to such launches */
    bool critical; /* on the chain that determined the end */
    cycle_t ready; /* when all that it waits for was complete */
    cycle_t start, end;
    cycle_t alone; /* of a launch: cycles in which no other launch was running */
} stream_op_time_t;

/* What the copies of the graph did in the memory, apart from the counters of launches. */
typedef struct {
    l2_stats_t l2;
    dram_stats_t dram;
} copy_counters_t;

/* Every member may be NULL. A callback that returns an error ends the run with it. */
typedef struct {
    void *ctx;
    /* A launch is complete and the chip is idle; gpu_save() may be called here, unless r->part. */
    rb_code_t (*launch_done)(void *ctx, const launch_result_t *r, rb_err_t *err);
    rb_code_t (*interval)(void *ctx, const interval_result_t *r, rb_err_t *err);
    rb_code_t (*view)(void *ctx, const chip_view_t *v, rb_err_t *err);
    /* Before launch_done: the counts of each instruction in the launch. */
    rb_code_t (*instructions)(void *ctx, const launch_result_t *r, const launch_insts_t *insts,
                              rb_err_t *err);
    /* Before launch_done: all clock reads of the launch, ordered by block, warp and execution. Not
     * with samplers inside launches. */
    rb_code_t (*clock_reads)(void *ctx, const launch_info_t *info, const clock_read_t *reads,
                             size_t n, rb_err_t *err);
    /* With gpu.concurrent_launches above 1, at the end: when each operation of the graph ran, and
     * what its copies did. */
    rb_code_t (*work_done)(void *ctx, const stream_graph_t *graph, const stream_op_time_t *times,
                           const copy_counters_t *copies, rb_err_t *err);
    /* With gpu.concurrent_launches above 1: all launches that have begun are complete, and the chip
     * is idle; gpu_save() may be called here, and not in launch_done. */
    rb_code_t (*at_rest)(void *ctx, rb_err_t *err);
    /* Between windows, every few hundred windows. false stops the run. */
    bool (*progress)(void *ctx, const gpu_progress_t *p);
} gpu_callbacks_t;

/* The SMs that the launches of a stream may use. Streams that are not named use all. */
typedef struct {
    uint64_t stream;
    uint32_t first, last;
} sm_share_t;

typedef struct {
    uint64_t first;             /* first launch id to consider, when resuming; otherwise 1 */
    uint64_t last;              /* last launch id to consider; 0: the trace's last */
    const uint64_t *launch_ids; /* ascending ids to run; NULL: all */
    size_t n_launch_ids;
    uint64_t stats_interval; /* core cycles; 0: no time series */
    chip_view_plan_t view;   /* views for a timeline */
    const sampler_t *inside; /* samplers inside launches; the first one that stops a launch wins */
    size_t n_inside;
    bool skip_copies_of_others; /* ignore copies before launches that are not run */
    bool sampled;               /* the launches stand for all of the trace (warmup.mode auto) */
    const sm_share_t *shares;   /* only with gpu.concurrent_launches above 1 */
    size_t n_shares;
    /* Launches run one after another, whatever their streams: the times of each one alone. */
    bool one_by_one;
    /*
     * Limits of the run, in cycles of launches and warp instructions; 0: none. The run ends when a launch
     * reaches one, at the exact cycle or the next multiple of 256 cycles of the launch. That launch is
     * reported as a part (launch_result_t.part), and the chip can then only be destroyed. Not with
     * samplers, launches that overlap, counts per instruction and clock reads.
     */
    uint64_t max_cycles, max_insts;
    const stream_graph_t *graph; /* this work instead of all of the source's; NULL: all of it */
} run_plan_t;

/* window: 0 for the largest exact one; otherwise at most that (results do not change). */
gpu_t *gpu_create(const gpu_spec_t *spec, int threads, cycle_t window);
void gpu_destroy(gpu_t *g);

/* Calls ran() as the engine does (engine_hooks_t); only on a chip of one thread. Its windows are from now
 * on those of a chip of `threads` threads. For measurements of the host. */
typedef void (*gpu_watch_fn_t)(void *ctx, engine_step_t step, uint32_t number);
void gpu_watch(gpu_t *g, int threads, gpu_watch_fn_t ran, void *ctx);

/* Checks between parameters: sizes that divide, latencies of at least one cycle, buffers that cover
 * a round trip. RB_CONFIG with the key and the nearest legal values. */
RB_CHECKED rb_code_t gpu_spec_check(const gpu_spec_t *spec, rb_err_t *err);

/* RB_USAGE if samplers inside launches (n_inside of them) cannot estimate launches of this chip. */
RB_CHECKED rb_code_t gpu_inside_check(const gpu_spec_t *spec, size_t n_inside, rb_err_t *err);

/* Sets the distances between SMs and slices. */
void gpu_spec_distance(const gpu_spec_t *spec, distance_t *distance);

/* Whether launches of this source overlap on the chip: gpu.concurrent_launches is above 1 and the trace
 * has several streams. Errors of reading. */
RB_CHECKED rb_code_t gpu_overlaps(const gpu_spec_t *spec, trace_source_t *source, bool *overlaps,
                                  rb_err_t *err);

/* The largest exact window: the smallest latency between two shards. */
cycle_t gpu_spec_window(const gpu_spec_t *spec);

/* The warmup.mode of a run: what the specification says, or what `auto` stands for. sampled: see
 * run_plan_t. */
unsigned gpu_warmup_mode(const gpu_spec_t *spec, bool sampled, trace_source_t *source);

RB_CHECKED rb_code_t gpu_run(gpu_t *g, trace_source_t *source, const run_plan_t *plan,
                             const gpu_callbacks_t *callbacks, rb_err_t *err);

/*
 * Launches that are left out are walked without time (warmup.mode functional). gpu_keep_walks(): from now on, what
 * another chip would walk in the same way is kept; gpu_visit_walks() passes it on in pieces, for files or
 * memory, and gpu_take_walk() gives a piece to a chip that will run the same trace (false: it is damaged). Results are as
 * without.
 */
void gpu_keep_walks(gpu_t *g);
void gpu_visit_walks(const gpu_t *g, void (*visit)(void *ctx, const void *bytes, size_t n),
                     void *ctx);
bool gpu_take_walk(gpu_t *g, const void *bytes, size_t n);

/* Gives a new chip all that another one of the same specification has walked; of others, it takes nothing. */
void gpu_inherit_walks(gpu_t *g, gpu_t *from);

/*
 * Saves and loads the state that survives a launch; only between launches (inside launch_done; inside
 * at_rest, where launches overlap). The next gpu_run() of a chip loaded in the midst of a graph
 * must be of the same source, and continues the graph. An
 * image is valid only for the same resolved configuration and version; the caller checks that. end:
 * of the last launch before the checkpoint. RB_TRACE for an image that cannot be the state of such
 * a chip at rest, even if its checksum is right; g can then only be destroyed.
 */
RB_CHECKED rb_code_t gpu_save(const gpu_t *g, FILE *out, rb_err_t *err);
RB_CHECKED rb_code_t gpu_load(gpu_t *g, FILE *in, cycle_t end, rb_err_t *err);

#endif
