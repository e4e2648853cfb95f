/*
 * The statistics of a run, a launch or an interval: those of stats.csv, in its order, each with its
 * path ("sm.warp_insts"), unit and explanation.
 */
#ifndef RUBATO_LIBRARY_STAT_VALUES_H
#define RUBATO_LIBRARY_STAT_VALUES_H

#include "frontend/tool/library/metrics.h"
#include "frontend/tool/library/run_totals.h"

/* The three groups of counters of a launch, an interval or a run, for writers that list them. */
enum { REPORT_GROUPS = 3 };
void report_groups(stat_group_t groups[REPORT_GROUPS], const sm_stats_t *sm, const l2_stats_t *l2,
                   const dram_stats_t *dram);

typedef struct {
    const char *group, *name; /* path: group.name */
    const char *unit;
    const char *metric; /* the corresponding Nsight Compute metric, or "" */
    const char *help;
    bool real; /* a ratio or a time: only stat_value_f64() returns it */
} stat_entry_t;

/* The source of the values; borrowed. */
typedef struct {
    const gpu_spec_t *spec;
    const run_totals_t *totals;    /* of the whole run */
    const run_totals_t *simulated; /* the simulated part: its launches and run_* */
    bool estimated;
} stat_view_t;

/* The number of statistics, and statistic number i. */
size_t stat_count(void);
stat_entry_t stat_entry(size_t i);

/* The number of the statistic with a path; stat_count(): there is none. */
size_t stat_find(const char *path);

/* The value of statistic i; u64: only if it is not real. A ratio with denominator 0 is NaN. */
uint64_t stat_value_u64(const stat_view_t *v, size_t i);
double stat_value_f64(const stat_view_t *v, size_t i);

#endif
