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
    const char *metric; /* of Nsight Compute that it mirrors, or "" */
    const char *help;
    bool real; /* a ratio or a time: stat_value_f64() alone has it */
} stat_entry_t;

/* What the values are taken from; borrowed. */
typedef struct {
    const gpu_spec_t *spec;
    const run_totals_t *totals;    /* of the whole */
    const run_totals_t *simulated; /* its launches and run_* are what was simulated of it */
    bool estimated;
} stat_view_t;

/* Statistics there are, and number i. */
size_t stat_count(void);
stat_entry_t stat_entry(size_t i);

/* The number of the statistic of a path; stat_count(): there is none. */
size_t stat_find(const char *path);

/* The value of statistic i; u64: not of a real one. A ratio of nothing is NaN. */
uint64_t stat_value_u64(const stat_view_t *v, size_t i);
double stat_value_f64(const stat_view_t *v, size_t i);

#endif
