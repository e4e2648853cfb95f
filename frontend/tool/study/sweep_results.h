/* What comes out of a sweep. */
#ifndef RUBATO_STUDY_SWEEP_RESULTS_H
#define RUBATO_STUDY_SWEEP_RESULTS_H

#include "frontend/tool/study/sweep.h"

/* What is taken from a job's stats.csv: X(name, path). */
#define SWEEP_RESULT_LIST(X)                                                                       \
    X(cycles, "totals.cycles")                                                                     \
    X(estimated, "totals.estimated")                                                               \
    X(cycles_low, "totals.interval.cycles.low")                                                    \
    X(cycles_high, "totals.interval.cycles.high")                                                  \
    X(seconds, "totals.seconds")                                                                   \
    X(warp_instructions, "totals.warp_instructions")                                               \
    X(ipc, "metrics.ipc")                                                                          \
    X(achieved_occupancy, "metrics.achieved_occupancy")                                            \
    X(global_load_hit_rate, "metrics.global_load_hit_rate")                                        \
    X(l2_hit_rate, "metrics.l2_hit_rate")                                                          \
    X(dram_utilization, "metrics.dram_utilization")

#define SWEEP_RESULT_ENUM_(name, path) RESULT_##name,
enum { SWEEP_RESULT_LIST(SWEEP_RESULT_ENUM_) RESULTS };

typedef struct {
    double value[RESULTS]; /* NAN: not done, or not known */
    size_t baseline;       /* job: the first of its trace */
    double relative;       /* cycles against the baseline's; NAN: not known */
} sweep_result_t;

/* One per job, of what is done; to be freed, also after a failure. */
RB_CHECKED rb_code_t sweep_read_results(const sweep_t *s, sweep_result_t **results, rb_err_t *err);

/*
 * Prints a table in which each job stands against the first of its trace. keep: also writes
 * jobs.csv and results.csv of what is done; then the table is of up to 200 jobs.
 */
RB_CHECKED rb_code_t sweep_results(const sweep_t *s, bool keep, rb_err_t *err);

#endif
