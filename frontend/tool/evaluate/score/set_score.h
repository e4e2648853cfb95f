/*
 * The score of a set of samplers over its runs, which differ in their seeds: errors and intervals of
 * all statistics of the whole trace, and of those that people read of every launch in which a
 * sampler took part.
 */
#ifndef RUBATO_EVALUATE_SET_SCORE_H
#define RUBATO_EVALUATE_SET_SCORE_H

#include "frontend/tool/evaluate/score/interval_coverage.h"
#include "frontend/tool/evaluate/score/printed_intervals.h"
#include "frontend/tool/evaluate/score/sampled_score.h"
#include "frontend/tool/evaluate/score/scored_statistic.h"

/* A statistic of the whole trace. */
typedef struct {
    statistic_t what;
    double full; /* in the full run; NAN: there was nothing to measure */
    coverage_t coverage;
} scored_total_t;

/* A launch in which a sampler took part. */
typedef struct {
    uint64_t id, blocks;
    char *name;                           /* owned; the kernel's, as in the trace */
    double waves;                         /* full waves of blocks */
    double value[STATISTICS_READ];        /* in the full run */
    coverage_t coverage[STATISTICS_READ]; /* of the statistics set_score_t.read */
    double simulated;                     /* sum of the shares of its instructions */
    uint64_t runs;
} scored_launch_t;

typedef struct {
    const gpu_spec_t *spec;   /* borrowed; only for set_score_add() */
    const run_result_t *full; /* the same */
    uint64_t runs;            /* without those that failed */
    uint64_t failed;
    char *failure; /* owned; of the first run that failed; NULL: none did */
    statistic_t read[STATISTICS_READ];
    scored_total_t *totals; /* owned; first those of read: totals[0] are the cycles */
    size_t n_totals, cap_totals;
    scored_launch_t *launches; /* owned; by id */
    size_t n_launches, cap_launches;
    sampled_score_t sum; /* of the scores; of the speed-ups the sums of their inverses */
} set_score_t;

/* spec and full must live until the last set_score_add(). Free s with set_score_free(). */
void set_score_begin(set_score_t *s, const gpu_spec_t *spec, const run_result_t *full);

/* Adds a run; intervals: what it printed. */
void set_score_add(set_score_t *s, const run_result_t *sampled,
                   const printed_intervals_t *intervals, const sampled_score_t *score);

/* Adds a run that failed. */
void set_score_fail(set_score_t *s, const char *reason);

/* Does nothing for a zeroed s. */
void set_score_free(set_score_t *s);

/* The mean of the runs' scores, of which there must be one; speed-ups are harmonic means. Without
 * has_interval and covered. */
sampled_score_t set_score_mean(const set_score_t *s);

#endif
