/*
 * The statistics on which samplers are scored: cycles, counters and ratios by their paths in
 * stats.csv, and two kinds that people read but that are not there: the bytes that the DRAM moves,
 * and the share of each warp state in the cycles of resident warps.
 */
#ifndef RUBATO_EVALUATE_SCORED_STATISTIC_H
#define RUBATO_EVALUATE_SCORED_STATISTIC_H

#include "frontend/tool/library/stat_values.h"

enum { STATISTIC_NAME = 64 };

typedef struct {
    char name[STATISTIC_NAME]; /* as in totals.interval: "cycles", "ipc", "sm.warp_insts" */
    size_t index;              /* for statistic_value() */
    bool share;                /* a fraction: errors are differences */
} statistic_t;

/* The statistic with a name: of a total ("cycles"), a ratio ("l2_hit_rate"), a counter
 * ("sm.warp_insts"), "dram_bytes" or "stall_wait". False: there is none. */
bool statistic_find(statistic_t *s, const char *name);

/* The value for a whole run or one launch, as totals; NAN: there was nothing to measure. */
double statistic_value(const statistic_t *s, const gpu_spec_t *spec, const run_totals_t *totals,
                       bool estimated);

/*
 * The statistics that people read, of which the stalls are the largest of these totals: cycles, IPC,
 * hit rates of L1 and L2, DRAM bytes, occupancy, warp states.
 */
enum { STATISTICS_READ = 10 };
void statistics_read(statistic_t list[STATISTICS_READ], const run_totals_t *totals);

/* The totals of one launch. */
run_totals_t statistic_launch(const launch_result_t *r);

#endif
