/*
 * Confidence intervals of the statistics of an estimated program, and of estimated launches.
 *
 * A total is a weighted sum, possibly scaled by what the index knows (index_ratio.h). A rate R = Y / X
 * is linearised: its variance is that of the sum of (y - R x) / X over the launches. The variance
 * between the launches of a plan and the variances inside launches are combined (stratified.h).
 *
 * The launches are read as often as necessary, so memory does not grow with the replicates of launches.
 */
#ifndef RUBATO_ESTIMATE_INTERVALS_H
#define RUBATO_ESTIMATE_INTERVALS_H

#include "sampling/estimate/stat_interval.h"
#include "sampling/estimate/stratified.h"
#include "sampling/estimate/unmet_error.h"
#include "sim/gpu/source/trace_source.h"

/* A simulated launch. */
typedef struct {
    const launch_result_t *result;
    const launch_error_t *error; /* if the result is an estimate */
    uint64_t sample;             /* its index in the plan; 0: there is no plan */
} seen_launch_t;

/* Passes each simulated launch to see(to), those of the plan if there is one, in the order of the run. */
typedef struct {
    void *ctx;
    rb_code_t (*each)(void *ctx, void (*see)(void *to, const seen_launch_t *l), void *to,
                      rb_err_t *err);
} launch_feed_t;

/* The launches of a program that were simulated; all pointers borrowed. */
typedef struct {
    const plan_t *plan;           /* NULL: no launch was left out */
    const double *sum;            /* weighted sums of the samples' values, STAT_VALUES of them */
    const double *cycles;         /* per sample */
    const launch_counts_t *known; /* sums over the index; NULL: there is none */
    estimate_t said; /* the total cycles by a sampler that states them; method NULL: none does */
} sampled_program_t;

/* The value of a statistic; a quotient's parts; for a sum, 0 and 1. */
typedef struct {
    double value, numerator, denominator;
} stat_part_t;

typedef struct {
    launch_feed_t feed;
    const gpu_spec_t *spec; /* borrowed */
    sampled_program_t of_plan;
    stat_list_t stats;             /* owned */
    double simulated[STAT_VALUES]; /* sums over the launches that were simulated completely */
    double in_order[STAT_VALUES];  /* of those that no later launch of the program preceded */
    uint64_t last_id;              /* the largest id so far, while launches are read */
    unmet_cold_t walked;           /* by launches that were left out */
    struct index_ratio *ratio;     /* owned */
    estimate_within_t cycles;      /* of the total cycles, from inside launches */
    double *cycles_residual;       /* owned; see index_ratio_cycles() */
    const double *cycles_size;     /* the same */
    uint64_t unstated;             /* launches that are estimates and do not state their error */
    bool too_wide;     /* the cycles have no interval because it says nothing; intervals_cycles() */
    double by_profile; /* relative error of the cycles if the profile corrects them; else NAN */
    double cycles_more; /* half-width of the cycles that is not from the spread of the samples */
    bool cold;          /* launches were left out and not walked; set by the caller */
    double confidence;
    stat_interval_t *of; /* owned; of all statistics; NULL: nothing was estimated */
} intervals_t;

/* Reads the launches once. Takes over the forms of stats. All samples of a plan are among the launches.
 * Errors of feed. The caller frees s, also after an error. */
RB_CHECKED rb_code_t intervals_begin(intervals_t *s, const launch_feed_t *feed,
                                     const sampled_program_t *sampled, stat_list_t stats,
                                     const gpu_spec_t *spec, rb_err_t *err);

/* Sums over the program, from the samples of the plan and the index, in values. */
void intervals_totals(const intervals_t *s, double values[STAT_VALUES]);

/* Whether every simulated launch came after those before it in the program. */
bool intervals_in_order(const intervals_t *s);

/* Whether launches found an L2 without what the L1s of those left out before them prefetched. */
bool intervals_lack_prefetched(const intervals_t *s);

/* The method in place of "exact" if everything was simulated, but not in the program's order. */
extern const char intervals_in_rounds[];

/* The interval of the total cycles, which are `total`. It contains no less than the launches that were
 * simulated and the launch latency of all; an interval that is wider than the total is none. */
estimate_t intervals_cycles(intervals_t *s, double total);

/*
 * Sets s->of. part: of each statistic's total; total: the cycles; cycles: their interval. why: reason if
 * that has no interval; then no other statistic has one, except those that are exact. Errors of feed.
 */
RB_CHECKED rb_code_t intervals_set(intervals_t *s, const stat_part_t *part, double total,
                                   const estimate_t *cycles, const char *why, rb_err_t *err);

void intervals_free(intervals_t *s);

/* Whether a statistic can have an interval: numbers of what was simulated cannot. */
bool intervals_has(const intervals_t *s, size_t stat);

/*
 * Intervals of all statistics of a launch that is an estimate and states its error, in out; low and
 * high are equal where it is exact. quotient: its quotients.
 */
void intervals_launch(const intervals_t *s, const seen_launch_t *launch,
                      const stat_part_t *quotient, stat_interval_t *out);

/* The one of its cycles. */
stat_interval_t intervals_launch_cycles(const intervals_t *s, const seen_launch_t *launch);

#endif
