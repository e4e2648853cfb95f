/*
 * The runs of an evaluation by simulation, and their scores: the whole trace, then each set of
 * samplers with each seed, on each variant of the GPU and with each mode of warm-up.
 */
#ifndef RUBATO_EVALUATE_EVALUATE_TRIAL_H
#define RUBATO_EVALUATE_EVALUATE_TRIAL_H

#include "frontend/tool/evaluate/evaluate.h"
#include "frontend/tool/evaluate/report/evaluate_report.h"
#include "frontend/tool/run/launch_list.h"
#include "frontend/tool/study/sweep/sweep.h"
#include "frontend/tool/study/sweep/sweep_place.h"

/* What is scored. */
typedef struct {
    const char *text; /* borrowed: samplers, or the path of a plan; NULL: all launches */
    bool plan;
    double asked;      /* the bound on the error that the samplers are asked for; NAN: none */
    uint64_t runs;     /* number of seeds; 1 if they do not matter */
    size_t first_spot; /* of its first run among the listed points of the study */
} trial_set_t;

typedef struct {
    const evaluate_options_t *o;
    trial_set_t *sets; /* owned; the first is the full run */
    size_t n_sets, cap_sets;
    bool all; /* try every sampler; those that cannot work here do not count as failures */
    sweep_place_t place;
    char *profile; /* owned; profile from which launch samplers choose */
    study_t *study;
    sweep_t sweep;
    launch_list_t planned; /* the launches of the profile, read when first needed */
    bool has_planned;
    evaluate_report_t report;
    bool failed;
} trial_t;

/* Number of changes of the GPU or modes of warm-up; one, "as it is", if none is given. */
static inline size_t count_or_one(const text_list_t *list)
{
    return list->n > 0 ? list->n : 1;
}

/* The job of a run of a set: on a variant, with a mode of warm-up. */
size_t trial_job(const trial_t *t, size_t delta, size_t warmup, size_t set, uint64_t run);

/* Reads t->planned unless it is there. */
RB_CHECKED rb_code_t trial_read_planned(trial_t *t, rb_err_t *err);

/* Fails unless a full run, which scoring needs, has succeeded. */
RB_CHECKED rb_code_t trial_require(const trial_t *t, size_t job, rb_err_t *err);

/* Scores all runs, which are done or have failed, in the report. */
RB_CHECKED rb_code_t trial_score(trial_t *t, rb_err_t *err);

#endif
