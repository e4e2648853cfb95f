/*
 * The statistics on which samplers are scored: those of stats.csv, by the names that they have in
 * totals.interval of run.json.
 */
#ifndef RUBATO_EVALUATE_SCORED_STATISTIC_H
#define RUBATO_EVALUATE_SCORED_STATISTIC_H

#include "frontend/tool/library/stat_values.h"

enum { STATISTIC_NAME = 64 };

typedef struct {
    char name[STATISTIC_NAME]; /* "cycles", "ipc", "sm.warp_insts" */
    size_t index;              /* in stat_values.h */
    bool share;                /* a fraction: errors are differences */
} statistic_t;

/* The statistic with a name: a total or ratio by its name alone ("cycles", "l2_hit_rate"), a counter
 * with its group ("sm.warp_insts"). False: there is none. */
bool statistic_find(statistic_t *s, const char *name);

/* The value for a whole run or one launch, as totals; NAN: there was nothing to measure. */
double statistic_value(const statistic_t *s, const gpu_spec_t *spec, const run_totals_t *totals,
                       bool estimated);

/*
 * The statistics that people read: cycles, IPC, hit rates of L1 and L2, DRAM bytes, occupancy, and
 * the largest stalls of these totals as shares of the resident warps' cycles.
 */
enum { STATISTICS_READ = 10 };
void statistics_read(statistic_t list[STATISTICS_READ], const run_totals_t *totals);

/* The totals of one launch. */
run_totals_t statistic_launch(const launch_result_t *r);

#endif
