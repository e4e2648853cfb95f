/* Totals over launches. */
#ifndef RUBATO_LIBRARY_RUN_TOTALS_H
#define RUBATO_LIBRARY_RUN_TOTALS_H

#include "sim/gpu/launch_result.h"

/* Sums over the launches of a run. */
typedef struct {
    uint64_t launches, blocks, warp_insts, thread_insts;
    uint64_t launch_cycles; /* sum of the launch latencies */
    uint64_t warp_slot_cycles, copied_bytes;
    /* The simulated part of these launches; samplers inside launches estimate the rest. */
    uint64_t run_blocks, run_warp_insts, run_cycles;
    uint64_t launches_estimated;
    launch_touched_t touched;
    stream_doubts_t doubts;
    uint64_t cycles;  /* cycles in which at least one launch was running */
    cycle_t from, to; /* the last period of such cycles */
    sm_stats_t sm;
    l2_stats_t l2;
    dram_stats_t dram;
} run_totals_t;

/* Call it for launches in the order in which they end. */
void totals_add(run_totals_t *t, const launch_result_t *r);

#endif
