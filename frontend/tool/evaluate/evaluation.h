/*
 * How good a plan is: scored against the times of all launches, which are known.
 */
#ifndef RUBATO_EVALUATE_EVALUATION_H
#define RUBATO_EVALUATE_EVALUATION_H

#include "frontend/tool/run/launch_list.h"
#include "sampling/launch/plan.h"

/* Of one plan. */
typedef struct {
    double error;         /* relative, of the total */
    double sampled_time;  /* share of the time of all launches that the samples take */
    double sampled_insts; /* likewise of the warp instructions; NAN: not known */
    double sampled_wall;  /* likewise of the host time that simulating takes; NAN: not known */
    double samples;       /* distinct launches */
    double clusters;
    double bound;   /* of the plan, NAN: none */
    double seconds; /* of planning, on the host */
} score_t;

/* Scores a plan on the launches of truth, which have times; seconds is left to the caller. */
score_t evaluation_score(const plan_t *plan, const launch_list_t *truth);

/*
 * Over several plans of one method. Speed-ups are harmonic means: the time of all launches over the
 * mean time of the samples.
 */
typedef struct {
    uint64_t n;
    double error_mean, error_p95, error_max;
    double speedup, speedup_insts, speedup_wall; /* NAN: not known */
    double samples, clusters;                    /* means */
    double bound;                                /* of the last plan; NAN: none */
    double within;  /* share of the plans whose error is inside their bound */
    double seconds; /* mean */
} summary_t;

/* Sorts the scores by their error. n is at least 1. */
summary_t evaluation_summary(score_t *scores, uint64_t n);

#endif
