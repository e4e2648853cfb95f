/*
 * Scores samplers by simulation: simulates the whole trace once, and again with each set of
 * samplers, as jobs of a sweep in one folder, where finished jobs are not repeated.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "frontend/tool/evaluate/evaluate.h"
#include "frontend/tool/evaluate/evaluate_report.h"
#include "frontend/tool/run/launch_list.h"
#include "frontend/tool/run/run_inside.h"
#include "frontend/tool/study/study_resolve.h"
#include "frontend/tool/study/sweep.h"
#include "frontend/tool/study/sweep_place.h"
#include "sampling/inside/inside_sampler.h"
#include "sampling/launch/launch_sampler.h"
#include "sim/core/alloc.h"

typedef struct {
    const evaluate_options_t *o;
    text_list_t sets; /* what to try: samplers, then plans; texts borrowed */
    bool all;         /* try every sampler; those that cannot work here do not count as failures */
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
static size_t count_or_one(const text_list_t *list)
{
    return list->n > 0 ? list->n : 1;
}

/* The job of a set, counted from 1; set 0: all launches. */
static size_t job_of(const trial_t *t, size_t delta, size_t warmup, size_t set)
{
    const evaluate_options_t *o = t->o;
    return (set * count_or_one(&o->deltas) + delta) * count_or_one(&o->warmups) + warmup;
}

static bool is_plan(const trial_t *t, size_t set)
{
    return set > t->sets.n - t->o->plans.n;
}

static rb_code_t add_axis(study_t *study, const char *key, const text_list_t *values, rb_err_t *err)
{
    study_axis_t *axis;
    RB_TRY(study_add_axis(study, key, 0, &axis, err));
    for (size_t i = 0; i < values->n; i++)
        RB_TRY(study_add_value(study, axis, values->text[i], 0, err));
    return RB_OK;
}

/* The study of the trace; only_full: only the first run, without samplers and changes. */
static rb_code_t make_study(trial_t *t, bool only_full, rb_err_t *err)
{
    const evaluate_options_t *o = t->o;
    char seed[24];
    study_destroy(t->study);
    study_t *s = t->study = study_create();
    s->detectors = o->detectors;
    s->samplers_may_fail = true; /* their row in the table then has the reason */
    snprintf(seed, sizeof(seed), "%llu", (unsigned long long)o->seed);
    RB_TRY(study_add_trace(s, o->setup.trace, NULL, t->profile, 0, err));
    if (o->setup.gpu != NULL)
        RB_TRY(study_add_gpu(s, o->setup.gpu, 0, err));
    for (size_t i = 0; i < o->setup.sets.n; i++)
        RB_TRY(study_add_setting(s, o->setup.sets.text[i], err));
    RB_TRY(study_assign(s, &s->common, "seed", seed, 0, err));
    const text_list_t first_delta = {o->deltas.text, 1, 1}, first_warmup = {o->warmups.text, 1, 1};
    if (o->deltas.n > 0)
        RB_TRY(add_axis(s, "delta", only_full ? &first_delta : &o->deltas, err));
    if (o->warmups.n > 0)
        RB_TRY(add_axis(s, "warmup.mode", only_full ? &first_warmup : &o->warmups, err));
    RB_TRY(study_assign(s, study_add_point(s), "sample", "none", 0, err));
    for (size_t set = 1; !only_full && set <= t->sets.n; set++)
        RB_TRY(study_assign(s, study_add_point(s), is_plan(t, set) ? "plan" : "sample",
                            t->sets.text[set - 1], 0, err));
    return study_finish(s, err);
}

/* Prepares the jobs of the study and runs those that are not done. */
static rb_code_t run_study(trial_t *t, rb_err_t *err)
{
    const evaluate_options_t *o = t->o;
    sweep_free(&t->sweep);
    RB_TRY(sweep_prepare(&t->sweep, t->study, t->place.folder, o->setup.tmpdir, err));
    RB_TRY(sweep_begin(&t->sweep, err));
    sweep_place_say(&t->place, "the runs and evaluation.csv, .json and .html");
    return sweep_run(&t->sweep, SWEEP_ALL, (size_t)o->jobs, (progress_when_t)o->progress, err);
}

/* Fails unless a full run, which scoring needs, has succeeded. */
static rb_code_t require(const trial_t *t, size_t job, rb_err_t *err)
{
    if (t->sweep.jobs[job].state == SWEEP_DONE)
        return RB_OK;
    char *reason = sweep_reason(&t->sweep, job);
    rb_code_t rc = rb_fail(err, RB_TRACE, "%s: simulating all launches failed: %s",
                           t->sweep.jobs[job].label, reason);
    free(reason);
    return rc;
}

/* The profile is the full run on the unchanged GPU, unless another run was given. */
static rb_code_t find_profile(trial_t *t, rb_err_t *err)
{
    if (t->o->plan_from != NULL) {
        char *results = out_path(t->o->plan_from, "launches.csv");
        bool folder = access(results, F_OK) == 0;
        t->profile = folder ? results : rb_strdup(t->o->plan_from);
        if (!folder)
            free(results);
        return RB_OK;
    }
    RB_TRY(make_study(t, true, err));
    RB_TRY(run_study(t, err));
    RB_TRY(require(t, 0, err));
    t->profile = sweep_job_path(&t->sweep.jobs[0], "/launches.csv");
    return RB_OK;
}

/* Sets must be distinct: their text identifies them in tables and files. */
static rb_code_t check_sets(const text_list_t *sets, rb_err_t *err)
{
    for (size_t i = 1; i < sets->n; i++) {
        for (size_t k = 0; k < i; k++) {
            if (strcmp(sets->text[i], sets->text[k]) == 0)
                return rb_fail(err, RB_USAGE, "'%.100s' is given twice", sets->text[i]);
        }
    }
    return RB_OK;
}

/* Adds every sampler of both tables, each one alone. */
static void add_all(trial_t *t)
{
    for (size_t i = 0; i < n_launch_methods; i++)
        text_list_add(&t->sets, launch_methods[i]->name);
    for (size_t i = 0; i < n_inside_methods; i++)
        text_list_add(&t->sets, inside_methods[i]->ops->name);
}

/* Scores plans of a launch sampler with many seeds on the times of a full run. */
static rb_code_t score_seeds(trial_t *t, const launch_choice_t *choice, const launch_list_t *truth,
                             summary_t *out, rb_err_t *err)
{
    score_t *scores = rb_calloc(t->o->seeds, sizeof(*scores));
    rb_code_t rc = RB_OK;
    for (uint64_t i = 0; rc == RB_OK && i < t->o->seeds; i++) {
        plan_t plan;
        rc = launch_plan(choice, &t->planned.pop, t->o->seed + i, &plan, err);
        if (rc != RB_OK)
            break;
        scores[i] = evaluation_score(&plan, truth);
        plan_free(&plan);
    }
    if (rc == RB_OK)
        *out = evaluation_summary(scores, t->o->seeds);
    free(scores);
    return rc;
}

static rb_code_t read_planned(trial_t *t, rb_err_t *err)
{
    if (t->has_planned)
        return RB_OK;
    RB_TRY(launch_list_open(&t->planned, t->profile, t->o->setup.tmpdir, err));
    t->has_planned = true;
    return rbt_detect(t->o->setup.trace)
               ? launch_list_add_trace(&t->planned, t->o->setup.trace, err)
               : RB_OK;
}

/* *scored: the set only chooses launches, before the run. */
static rb_code_t score_picked(trial_t *t, const char *set, const char *full_folder, summary_t *out,
                              bool *scored, rb_err_t *err)
{
    run_inside_t parts = {0};
    launch_choice_t choice = {0};
    launch_list_t truth = {0};
    *scored = false;
    rb_code_t rc = run_inside_divide(&parts, set, t->o->seed, err);
    if (rc == RB_OK && parts.launch != NULL && parts.list.n == 0)
        rc = launch_choice_parse(&choice, parts.launch, err);
    if (rc == RB_OK && choice.method != NULL && choice.method->online == NULL) {
        rc = read_planned(t, err);
        if (rc == RB_OK)
            rc = launch_list_open(&truth, full_folder, NULL, err);
        if (rc == RB_OK)
            rc = launch_list_compare(&t->planned, &truth, err);
        if (rc == RB_OK)
            rc = score_seeds(t, &choice, &truth, out, err);
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

/* Scores one run against the run of all launches on the same GPU. */
static rb_code_t score_run(trial_t *t, size_t job, size_t set, const evaluated_run_t *about,
                           const char *full_folder, rb_err_t *err)
{
    const sweep_job_t *j = &t->sweep.jobs[t->sweep.jobs[job].same];
    evaluated_run_t run = *about;
    run_result_t sampled;
    summary_t picked;
    bool has_picked = false;
    run.folder = t->place.temporary ? NULL : j->folder;
    if (j->state != SWEEP_DONE) {
        char *reason = sweep_reason(&t->sweep, t->sweep.jobs[job].same);
        run.failure = reason;
        evaluate_report_run(&t->report, &run);
        free(reason);
        t->failed = t->failed || !t->all;
        return RB_OK;
    }
    rb_code_t rc = run_result_read(&sampled, j->folder, err);
    if (rc == RB_OK && run.sample != NULL && !is_plan(t, set))
        rc = score_picked(t, run.sample, full_folder, &picked, &has_picked, err);
    if (rc == RB_OK) {
        sampled_score_t score = sampled_score(run.spec, run.full, &sampled);
        run.sampled = &sampled;
        run.score = &score;
        run.picked = has_picked ? &picked : NULL;
        evaluate_report_run(&t->report, &run);
        if (t->o->metrics && run.sample != NULL)
            evaluate_report_metrics(&t->report, &run);
        if (looked_inside(&sampled))
            evaluate_report_launches(&t->report, &run);
    }
    run_result_free(&sampled);
    return rc;
}

/* Scores all runs on one GPU. */
static rb_code_t score_delta(trial_t *t, size_t delta, const evaluated_run_t *about,
                             const char *full_folder, rb_err_t *err)
{
    const evaluate_options_t *o = t->o;
    for (size_t w = 0; w < count_or_one(&o->warmups); w++) {
        for (size_t set = 0; set <= t->sets.n; set++) {
            evaluated_run_t run = *about;
            run.warmup = o->warmups.n > 0 ? o->warmups.text[w] : NULL;
            run.sample = set > 0 ? t->sets.text[set - 1] : NULL;
            RB_TRY(score_run(t, job_of(t, delta, w, set), set, &run, full_folder, err));
        }
    }
    return RB_OK;
}

static rb_code_t score_all(trial_t *t, rb_err_t *err)
{
    const evaluate_options_t *o = t->o;
    for (size_t d = 0; d < count_or_one(&o->deltas); d++) {
        size_t full_job = job_of(t, d, 0, 0);
        study_config_t config;
        run_result_t full;
        RB_TRY(require(t, t->sweep.jobs[full_job].same, err));
        const char *folder = t->sweep.jobs[full_job].folder;
        rb_code_t rc = study_resolve(t->study, t->sweep.jobs[full_job].fields[SWEEP_GPU], full_job,
                                     &config, err);
        if (rc == RB_OK) {
            rc = run_result_read(&full, folder, err);
            evaluated_run_t about = {.variant = o->deltas.n > 0 ? o->deltas.text[d] : NULL,
                                     .spec = &config.spec,
                                     .full = &full};
            if (rc == RB_OK)
                rc = score_delta(t, d, &about, folder, err);
            run_result_free(&full);
        }
        study_config_free(&config);
        RB_TRY(rc);
    }
    return RB_OK;
}

/* Finds mistakes in sets, plans and variants before hours of simulation. */
static rb_code_t check_study(trial_t *t, rb_err_t *err)
{
    RB_TRY(make_study(t, false, err));
    rb_code_t rc = sweep_prepare(&t->sweep, t->study, t->place.folder, t->o->setup.tmpdir, err);
    sweep_free(&t->sweep);
    t->sweep = (sweep_t){.lock = -1};
    return rc;
}

static rb_code_t evaluate(trial_t *t, rb_err_t *err)
{
    const evaluate_options_t *o = t->o;
    RB_TRY(check_study(t, err));
    RB_TRY(find_profile(t, err));
    if (o->plan_from != NULL)
        RB_TRY(read_planned(t, err)); /* reports errors of the profile before hours of simulation */
    RB_TRY(make_study(t, false, err));
    RB_TRY(run_study(t, err));
    RB_TRY(require(t, 0, err));
    const sweep_job_t *first = &t->sweep.jobs[0];
    RB_TRY(evaluate_report_begin(&t->report, t->place.folder, o->csv, o->setup.trace,
                                 first->fields[SWEEP_GPU], o->seed, err));
    RB_TRY(score_all(t, err));
    RB_TRY(evaluate_report_end(&t->report, err));
    return out_flush_stdout(err); /* results that cannot be printed are still kept in the files */
}

rb_code_t evaluate_trace(const evaluate_options_t *o, bool *failed, rb_err_t *err)
{
    trial_t t = {.o = o, .all = evaluate_all(o), .sweep.lock = -1};
    if (t.all) {
        add_all(&t);
    } else {
        for (size_t i = 0; i < o->samples.n; i++)
            text_list_add(&t.sets, o->samples.text[i]);
    }
    for (size_t i = 0; i < o->plans.n; i++)
        text_list_add(&t.sets, o->plans.text[i]);
    rb_code_t rc = check_sets(&t.sets, err);
    if (rc == RB_OK)
        rc = sweep_place_open(&t.place, o->folder, library_tmpdir(o->setup.tmpdir), err);
    if (rc == RB_OK)
        rc = evaluate(&t, err);
    *failed = t.failed;
    evaluate_report_abandon(&t.report);
    launch_list_free(&t.planned);
    sweep_place_close(&t.place, &t.sweep, rc == RB_OK && !t.failed);
    sweep_free(&t.sweep);
    study_destroy(t.study);
    free(t.sets.text);
    free(t.profile);
    return rc;
}
