/*
 * Replays samplers that choose launches on launches whose times are known: makes the plan of each
 * seed, or answers a sampler that chooses during the run, and scores the result.
 */
#ifndef RUBATO_EVALUATE_PLAN_REPLAY_H
#define RUBATO_EVALUATE_PLAN_REPLAY_H

#include "frontend/tool/evaluate/score/evaluation.h"
#include "sampling/launch/launch_sampler.h"

typedef struct {
    const launch_list_t *planned; /* the launches from which plans are made */
    const launch_list_t *truth;   /* those with the times; both borrowed */
    uint64_t seed, seeds;         /* seeds seed to seed + seeds - 1 */
} replay_t;

/* Scores the sampler with every seed: r->seeds scores. method: the sampler with all options, owned
 * by the caller; NULL after an error. Errors of the sampler. */
RB_CHECKED rb_code_t replay_scores(const replay_t *r, const launch_choice_t *choice,
                                   score_t *scores, char **method, rb_err_t *err);

/* The summary of such scores. */
RB_CHECKED rb_code_t replay_summary(const replay_t *r, const launch_choice_t *choice,
                                    summary_t *out, rb_err_t *err);

/* *same: all seeds give the same plan, so that one run tells what all of them tell. Never of a
 * sampler that chooses during the run. */
RB_CHECKED rb_code_t replay_is_fixed(const replay_t *r, const launch_choice_t *choice, bool *same,
                                     rb_err_t *err);

#endif
