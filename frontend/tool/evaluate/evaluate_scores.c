/* Scores the runs of an evaluation. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "frontend/tool/evaluate/evaluate_trial.h"
#include "frontend/tool/evaluate/plan_replay.h"
#include "frontend/tool/run/sampled/run_inside.h"
#include "frontend/tool/study/study_resolve.h"
#include "sampling/inside/inside_sampler.h"
#include "sampling/launch/launch_sampler.h"

/* Replays a sampler of launches on the full run of this GPU. *scored: the set is only that. */
static rb_code_t score_replays(trial_t *t, const char *set, const char *full_folder, summary_t *out,
                               bool *scored, rb_err_t *err)
{
    run_inside_t parts = {0};
    launch_choice_t choice = {0};
    launch_list_t truth = {0};
    *scored = false;
    rb_code_t rc = run_inside_divide(&parts, set, t->o->seed, err);
    if (rc == RB_OK && parts.launch != NULL && parts.list.n == 0)
        rc = launch_choice_parse(&choice, parts.launch, err);
    /* Predictions are made when a run begins: what knows only cycles cannot repeat them. */
    if (rc == RB_OK && choice.method != NULL && !(choice.method->needs & LAUNCH_NEEDS_PREDICTION)) {
        const replay_t replay = {&t->planned, &truth, t->o->seed, t->o->replays};
        rc = trial_read_planned(t, err);
        if (rc == RB_OK)
            rc = launch_list_open(&truth, full_folder, NULL, err);
        if (rc == RB_OK)
            launch_list_add_walls(&truth, full_folder);
        if (rc == RB_OK)
            rc = launch_list_compare(&t->planned, &truth, err);
        if (rc == RB_OK)
            rc = replay_summary(&replay, &choice, out, err);
        *scored = rc == RB_OK;
    }
    launch_list_free(&truth);
    launch_choice_free(&choice);
    run_inside_free(&parts);
    return rc;
}

/* Whether a sampler inside launches took part. */
static bool looked_inside(const run_result_t *sampled)
{
    bool inside = false;
    for (size_t i = 0; i < sampled->n; i++) {
        const launch_sampling_t *s = &sampled->launches[i].r.sampling;
        inside = inside || s->estimated || inside_method_is(s->sampler);
    }
    return inside;
}

/* Adds a run that failed. */
static void add_failure(trial_t *t, size_t job, evaluated_set_t *set, evaluated_run_t *run)
{
    char *reason = sweep_reason(&t->sweep, job);
    run->failure = reason;
    run->stops = false;
    evaluate_report_run(&t->report, run);
    set_score_fail(&set->score, reason);
    free(reason);
    t->failed = t->failed || !t->all;
}

/* Scores one run against the run of all launches on the same GPU. */
static rb_code_t score_run(trial_t *t, size_t job, evaluated_set_t *set, evaluated_run_t run,
                           rb_err_t *err)
{
    const size_t done = t->sweep.jobs[job].same;
    const sweep_job_t *j = &t->sweep.jobs[done];
    run_result_t sampled;
    printed_intervals_t intervals = {0};
    run.folder = t->place.temporary ? NULL : j->folder;
    if (j->state != SWEEP_DONE) {
        add_failure(t, done, set, &run);
        return RB_OK;
    }
    char *json = out_path(j->folder, "run.json");
    rb_code_t rc = run_result_read(&sampled, json, err);
    if (rc == RB_OK)
        rc = printed_intervals_read(&intervals, json, err);
    if (rc == RB_OK) {
        sampled_score_t score = sampled_score(run.spec, run.full, &sampled);
        run.sampled = &sampled;
        run.intervals = &intervals;
        run.score = &score;
        run.stops = run.stops && looked_inside(&sampled);
        set_score_add(&set->score, &sampled, &intervals, &score);
        evaluate_report_run(&t->report, &run);
    }
    printed_intervals_free(&intervals);
    run_result_free(&sampled);
    free(json);
    return rc;
}

/* Scores all runs of a set. about: the variant and its full run. */
static rb_code_t score_set(trial_t *t, size_t delta, size_t warmup, size_t i,
                           const evaluated_run_t *about, const char *full_folder, rb_err_t *err)
{
    const trial_set_t *what = &t->sets[i];
    evaluated_set_t set = {.sample = what->text,
                           .variant = about->variant,
                           .warmup = about->warmup,
                           .reference = i == 0 && warmup == 0,
                           .asked = what->asked};
    rb_code_t rc = RB_OK;
    set_score_begin(&set.score, about->spec, about->full);
    const bool works =
        t->sweep.jobs[t->sweep.jobs[trial_job(t, delta, warmup, i, 0)].same].state == SWEEP_DONE;
    if (what->text != NULL && !what->plan && works)
        rc = score_replays(t, what->text, full_folder, &set.picked, &set.has_picked, err);
    for (uint64_t k = 0; rc == RB_OK && k < what->runs; k++) {
        char seed[24];
        evaluated_run_t run = *about;
        snprintf(seed, sizeof(seed), "%llu", (unsigned long long)(t->o->seed + k));
        run.sample = what->text;
        run.seed = what->text != NULL && !what->plan ? seed : NULL;
        run.picked = set.has_picked ? &set.picked : NULL;
        run.stops = what->runs == 1;
        rc = score_run(t, trial_job(t, delta, warmup, i, k), &set, run, err);
    }
    if (rc == RB_OK)
        evaluate_report_set(&t->report, &set, about->full);
    else
        set_score_free(&set.score);
    return rc;
}

/* Scores all runs on one GPU. */
static rb_code_t score_delta(trial_t *t, size_t delta, evaluated_run_t about,
                             const char *full_folder, rb_err_t *err)
{
    const evaluate_options_t *o = t->o;
    for (size_t w = 0; w < count_or_one(&o->warmups); w++) {
        about.warmup = o->warmups.n > 0 ? o->warmups.text[w] : NULL;
        for (size_t i = 0; i < t->n_sets; i++)
            RB_TRY(score_set(t, delta, w, i, &about, full_folder, err));
    }
    return RB_OK;
}

rb_code_t trial_score(trial_t *t, rb_err_t *err)
{
    const evaluate_options_t *o = t->o;
    for (size_t d = 0; d < count_or_one(&o->deltas); d++) {
        size_t full_job = trial_job(t, d, 0, 0, 0);
        study_config_t config;
        run_result_t full;
        RB_TRY(trial_require(t, t->sweep.jobs[full_job].same, err));
        const char *folder = t->sweep.jobs[full_job].folder;
        rb_code_t rc = study_resolve(t->study, t->sweep.jobs[full_job].fields[SWEEP_GPU], full_job,
                                     &config, err);
        if (rc == RB_OK) {
            rc = run_result_read(&full, folder, err);
            const evaluated_run_t about = {.variant = o->deltas.n > 0 ? o->deltas.text[d] : NULL,
                                           .spec = &config.spec,
                                           .full = &full};
            if (rc == RB_OK)
                rc = score_delta(t, d, about, folder, err);
            run_result_free(&full);
        }
        study_config_free(&config);
        RB_TRY(rc);
    }
    return RB_OK;
}
