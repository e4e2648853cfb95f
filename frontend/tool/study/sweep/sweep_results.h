/* The results of a sweep. */
#ifndef RUBATO_STUDY_SWEEP_RESULTS_H
#define RUBATO_STUDY_SWEEP_RESULTS_H

#include "frontend/tool/study/run_pair.h"
#include "frontend/tool/study/sweep/sweep.h"

/* The values read from a job's stats.csv: X(name, path as in stat_values_read()). */
#define SWEEP_RESULT_LIST(X)                                                                       \
    X(cycles, "totals.cycles")                                                                     \
    X(estimated, "totals.estimated")                                                               \
    X(cycles_low, "totals.interval.cycles.low")                                                    \
    X(cycles_high, "totals.interval.cycles.high")                                                  \
    X(seconds, "totals.seconds")                                                                   \
    X(warp_instructions, "totals.warp_instructions")                                               \
    X(ipc, "metrics.ipc")                                                                          \
    X(ipc_low, "metrics.ipc:low")                                                                  \
    X(ipc_high, "metrics.ipc:high")                                                                \
    X(achieved_occupancy, "metrics.achieved_occupancy")                                            \
    X(achieved_occupancy_low, "metrics.achieved_occupancy:low")                                    \
    X(achieved_occupancy_high, "metrics.achieved_occupancy:high")                                  \
    X(global_load_hit_rate, "metrics.global_load_hit_rate")                                        \
    X(global_load_hit_rate_low, "metrics.global_load_hit_rate:low")                                \
    X(global_load_hit_rate_high, "metrics.global_load_hit_rate:high")                              \
    X(l2_hit_rate, "metrics.l2_hit_rate")                                                          \
    X(l2_hit_rate_low, "metrics.l2_hit_rate:low")                                                  \
    X(l2_hit_rate_high, "metrics.l2_hit_rate:high")                                                \
    X(dram_utilization, "metrics.dram_utilization")                                                \
    X(dram_utilization_low, "metrics.dram_utilization:low")                                        \
    X(dram_utilization_high, "metrics.dram_utilization:high")

#define SWEEP_RESULT_ENUM_(name, path) RESULT_##name,
enum { SWEEP_RESULT_LIST(SWEEP_RESULT_ENUM_) RESULTS };

/* Statistics whose change against the baseline is listed: X(name, path). */
#define SWEEP_CHANGE_LIST(X)                                                                       \
    X(cycles, "totals.cycles")                                                                     \
    X(seconds, "totals.seconds")                                                                   \
    X(ipc, "metrics.ipc")                                                                          \
    X(achieved_occupancy, "metrics.achieved_occupancy")                                            \
    X(global_load_hit_rate, "metrics.global_load_hit_rate")                                        \
    X(l2_hit_rate, "metrics.l2_hit_rate")                                                          \
    X(dram_utilization, "metrics.dram_utilization")

#define SWEEP_CHANGE_ENUM_(name, path) CHANGE_OF_##name,
enum { SWEEP_CHANGE_LIST(SWEEP_CHANGE_ENUM_) SWEEP_CHANGES };

typedef struct {
    double value[RESULTS]; /* NAN: not done, or unknown */
    size_t baseline;       /* the first job of its trace */
    /* Against the baseline, if both are done; in points where the statistic is a share. */
    change_t change[SWEEP_CHANGES];
    bool paired;            /* as pairs of launches */
    char why[RUN_PAIR_WHY]; /* why not; "": nothing was estimated */
} sweep_result_t;

/* The change of the cycles as a quotient; NAN: unknown. */
static inline double sweep_relative(const sweep_result_t *r)
{
    return 1.0 + r->change[CHANGE_OF_cycles].change;
}

/* Reads the results of all finished jobs, one entry per job; the caller frees them, also after an
 * error. */
RB_CHECKED rb_code_t sweep_read_results(const sweep_t *s, sweep_result_t **results, rb_err_t *err);

/*
 * Prints a table that compares each job with the first one of its trace. keep: also writes jobs.csv,
 * changes.csv and results.csv of the finished jobs; the table is then limited to 200 jobs.
 */
RB_CHECKED rb_code_t sweep_results(const sweep_t *s, bool keep, rb_err_t *err);

#endif
