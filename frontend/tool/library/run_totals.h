/* What launches come to together. */
#ifndef RUBATO_LIBRARY_RUN_TOTALS_H
#define RUBATO_LIBRARY_RUN_TOTALS_H

#include "sim/gpu/launch_result.h"

/* Sums over the launches of a run. */
typedef struct {
    uint64_t launches, blocks, warp_insts, thread_insts;
    uint64_t launch_cycles; /* launch latency in all launches */
    uint64_t warp_slot_cycles, copied_bytes;
    /* Of these launches, what was simulated; the rest is estimated by samplers inside launches. */
    uint64_t run_blocks, run_warp_insts, run_cycles;
    uint64_t launches_estimated;
    uint64_t cycles;  /* in which at least one launch was under way */
    cycle_t from, to; /* the latest stretch of them */
    sm_stats_t sm;
    l2_stats_t l2;
    dram_stats_t dram;
} run_totals_t;

/* Launches come in the order in which they end. */
void totals_add(run_totals_t *t, const launch_result_t *r);

#endif
