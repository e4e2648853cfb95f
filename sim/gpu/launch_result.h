/* The result of a launch. */
#ifndef RUBATO_GPU_LAUNCH_RESULT_H
#define RUBATO_GPU_LAUNCH_RESULT_H

#include "sim/core/cycle.h"
#include "sim/gpu/dispatch/occupancy.h"
#include "sim/gpu/sampled/launch_estimate.h"
#include "sim/gpu/sampled/sampler.h"
#include "sim/gpu/source/trace_source.h"
#include "sim/isa/stream_doubts.h"
#include "sim/mem/mem_stats.h"
#include "sim/sm/sm_stats.h"

/* Launches that were put into the caches without time, because this one follows them. */
typedef struct {
    uint64_t launches, warp_insts;
    /* Sectors, at least: that they fetched from DRAM, and that they wrote to lines which the L2 lacked. */
    uint64_t fetched, placed;
    double cpu_seconds; /* processor time of the host */
} launch_touched_t;

/* Result of one launch. Counters are sums over all SMs, slices and channels. If a sampler left out
 * a part (sampling.estimated), times and counters are estimates for the whole launch. */
typedef struct {
    launch_info_t info;
    occupancy_t occupancy;
    cycle_t start, end;     /* [start, end): launch latency included */
    uint64_t launch_cycles; /* the launch latency within it */
    uint64_t blocks;        /* blocks of the launch, simulated or not */
    uint64_t warp_insts, thread_insts;
    uint64_t warp_slot_cycles; /* SMs x warp slots x cycles: the sum of the warp states */
    sm_stats_t sm;
    l2_stats_t l2;
    dram_stats_t dram;
    bool part;             /* the run ended in it: what it did until then (run_plan_t.max_cycles) */
    uint64_t copied_bytes; /* host copies just before this launch */
    stream_doubts_t doubts; /* of the blocks that were simulated */
    launch_touched_t touched;
    launch_sampling_t sampling;
    launch_replicates_t replicates; /* if sampling.estimated */
} launch_result_t;

/* Cycles of a launch as a user counts them, launch latency included. */
static inline uint64_t launch_result_cycles(const launch_result_t *r)
{
    return r->end - r->start;
}

#endif
