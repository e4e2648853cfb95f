/*
 * Confidence intervals of the statistics of an estimated run, and of estimated launches.
 *
 * A total is a weighted sum, possibly scaled by what the index knows (run_ratio.h). A rate R = Y / X
 * is linearised: its variance is that of the sum of (y - R x) / X over the launches. The variance
 * between the launches of a plan and the variances inside launches are combined (estimate.h).
 *
 * The launches are read from the journal as often as necessary, so memory does not grow with the
 * replicates of launches.
 */
#ifndef RUBATO_RUN_RUN_INTERVALS_H
#define RUBATO_RUN_RUN_INTERVALS_H

#include "frontend/tool/run/run_ratio.h"
#include "frontend/tool/run/run_sampling.h"
#include "frontend/tool/run/stat_interval.h"

typedef struct {
    journal_t *journal;             /* borrowed */
    const gpu_spec_t *spec;         /* borrowed */
    const run_sampling_t *sampling; /* borrowed; NULL: no launch was left out */
    stat_form_t *forms;             /* owned; of all statistics */
    double simulated[STAT_VALUES];  /* sums over the launches that were simulated completely */
    double in_order[STAT_VALUES];   /* of those that no later launch of the program preceded */
    uint64_t last_id;               /* the largest id so far, while launches are read */
    run_ratio_t ratio;
    estimate_within_t cycles;  /* of the total cycles, from inside launches */
    double *cycles_residual;   /* owned; see run_ratio_cycles() */
    const double *cycles_size; /* the same */
    uint64_t unstated;         /* launches that are estimates and do not state their error */
    bool cold;                 /* launches were left out and not walked; set by the caller */
    double confidence;
    stat_interval_t *of; /* owned; of all statistics; NULL: nothing was estimated */
} run_intervals_t;

/* Reads the launches once. sampling NULL: none was left out; otherwise all its samples are in the
 * journal. RB_IO. The caller frees s, also after an error. */
RB_CHECKED rb_code_t run_intervals_begin(run_intervals_t *s, journal_t *journal,
                                         const run_sampling_t *sampling, const gpu_spec_t *spec,
                                         rb_err_t *err);

/* Sums over the program, from the samples of the plan and the index, in values. */
void run_intervals_totals(const run_intervals_t *s, double values[STAT_VALUES]);

/* The interval of the total cycles, which are `total`. */
estimate_t run_intervals_cycles(const run_intervals_t *s, double total);

/*
 * Sets s->of. view: the totals; cycles: the interval of their cycles. why: reason if that has no
 * interval; then no other statistic has one, except those that are exact. RB_IO.
 */
RB_CHECKED rb_code_t run_intervals_set(run_intervals_t *s, const stat_view_t *view,
                                       const estimate_t *cycles, const char *why, rb_err_t *err);

void run_intervals_free(run_intervals_t *s);

/* Whether a statistic can have an interval: numbers of what was simulated cannot. */
bool run_intervals_has(const run_intervals_t *s, size_t stat);

/*
 * Intervals of all statistics of a launch that is an estimate and states its error, in out; low and
 * high are equal where it is exact. m: the input of its ratios.
 */
void run_intervals_launch(const run_intervals_t *s, const run_record_t *launch,
                          const metric_input_t *m, stat_interval_t *out);

/* The one of its cycles. */
stat_interval_t run_intervals_launch_cycles(const run_intervals_t *s, const run_record_t *launch);

/* The number of a metric among the statistics. */
size_t run_intervals_metric(metric_id_t id);

#endif
