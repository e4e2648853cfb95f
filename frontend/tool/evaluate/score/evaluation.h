/* Scores plans against the known times of all launches. */
#ifndef RUBATO_EVALUATE_EVALUATION_H
#define RUBATO_EVALUATE_EVALUATION_H

#include "frontend/tool/evaluate/score/interval_coverage.h"
#include "frontend/tool/run/launch_list.h"
#include "sampling/estimate/estimate.h"

/* The score of one plan. */
typedef struct {
    double error;         /* of the total, relative */
    double sampled_time;  /* fraction of the time of all launches that the samples take */
    double sampled_insts; /* the same for warp instructions; NAN: unknown */
    double sampled_wall;  /* the same for the host time of simulating them; NAN: unknown */
    double samples;       /* number of distinct launches */
    double clusters;
    double bound;   /* of the plan; NAN: none */
    double seconds; /* host time for planning */
    double total;   /* the true one */
    estimate_t estimate;
} score_t;

/* Scores a plan on the launches of truth, which must have times; the caller sets seconds. estimate:
 * of the total, by the sampler; NULL: that of the plan. */
score_t evaluation_score(const plan_t *plan, const launch_list_t *truth,
                         const estimate_t *estimate);

/*
 * Summary over several plans of one method. Speed-ups are harmonic means: the time of all launches
 * over the mean time of the samples.
 */
typedef struct {
    uint64_t n;
    double error_mean, error_p95, error_max;
    double speedup, speedup_insts, speedup_wall; /* NAN: unknown */
    double samples, clusters;                    /* means */
    double bound;                                /* of the last plan; NAN: none */
    double within;               /* fraction of the plans whose error is within their bound */
    double seconds;              /* mean */
    coverage_summary_t interval; /* of the total */
    double asked, within_asked;  /* the bound that was asked for, and the fraction within it; NAN */
} summary_t;

/* Sorts the scores by their error. n is at least 1. asked: the bound that the sampler was asked for;
 * NAN: none. */
summary_t evaluation_summary(score_t *scores, uint64_t n, double asked);

#endif
