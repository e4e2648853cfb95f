/*
 * Scores samplers by simulation: simulates the whole trace once, and again with each set of
 * samplers and each seed, as jobs of a sweep in one folder, where finished jobs are not repeated.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "frontend/tool/evaluate/evaluate_changes.h"
#include "frontend/tool/evaluate/plan_replay.h"
#include "frontend/tool/run/sampled/run_inside.h"
#include "sampling/inside/inside_sampler.h"
#include "sampling/launch/launch_sampler.h"
#include "sim/core/alloc.h"

static void add_set(trial_t *t, const char *text, bool plan)
{
    rb_grow(&t->sets, &t->cap_sets, t->n_sets + 1, sizeof(*t->sets));
    t->sets[t->n_sets++] = (trial_set_t){.text = text, .plan = plan, .asked = NAN, .runs = 1};
}

/* Lists the full run, then the sets of samplers, then the plans. */
static void list_sets(trial_t *t)
{
    const evaluate_options_t *o = t->o;
    add_set(t, NULL, false);
    for (size_t i = 0; t->all && i < n_launch_methods; i++)
        add_set(t, launch_methods[i]->name, false);
    for (size_t i = 0; t->all && i < n_inside_methods; i++)
        add_set(t, inside_methods[i]->ops->name, false);
    for (size_t i = 0; !t->all && i < o->samples.n; i++)
        add_set(t, o->samples.text[i], false);
    for (size_t i = 0; i < o->plans.n; i++)
        add_set(t, o->plans.text[i], true);
}

/* Sets must be distinct: their text identifies them in tables and files. */
static rb_code_t check_sets(const trial_t *t, rb_err_t *err)
{
    for (size_t i = 2; i < t->n_sets; i++) {
        for (size_t k = 1; k < i; k++) {
            if (strcmp(t->sets[i].text, t->sets[k].text) == 0)
                return rb_fail(err, RB_USAGE, "'%.100s' is given twice", t->sets[i].text);
        }
    }
    return RB_OK;
}

/* ---- the study ---- */

static rb_code_t add_axis(study_t *study, const char *key, const text_list_t *values, rb_err_t *err)
{
    study_axis_t *axis;
    RB_TRY(study_add_axis(study, key, 0, &axis, err));
    for (size_t i = 0; i < values->n; i++)
        RB_TRY(study_add_value(study, axis, values->text[i], 0, err));
    return RB_OK;
}

/* Names the seed of a run, unless it is the default: jobs are then the same with any --seeds. */
static rb_code_t assign_seed(study_t *s, study_set_t *point, uint64_t seed, rb_err_t *err)
{
    enum { DEFAULT = 1 };
    char text[24];
    snprintf(text, sizeof(text), "%llu", (unsigned long long)seed);
    return seed == DEFAULT ? RB_OK : study_assign(s, point, "seed", text, 0, err);
}

/* Lists a point for each run of a set. The full run and plans do not depend on a seed. */
static rb_code_t add_points(trial_t *t, trial_set_t *set, size_t *spots, rb_err_t *err)
{
    study_t *s = t->study;
    set->first_spot = *spots;
    *spots += (size_t)set->runs;
    if (set->text == NULL)
        return study_assign(s, study_add_point(s), "sample", "none", 0, err);
    if (set->plan)
        return study_assign(s, study_add_point(s), "plan", set->text, 0, err);
    for (uint64_t i = 0; i < set->runs; i++) {
        study_set_t *point = study_add_point(s);
        RB_TRY(study_assign(s, point, "sample", set->text, 0, err));
        RB_TRY(assign_seed(s, point, t->o->seed + i, err));
    }
    return RB_OK;
}

/* The study of the trace; only_full: only the first run, without samplers and changes. */
static rb_code_t make_study(trial_t *t, bool only_full, rb_err_t *err)
{
    const evaluate_options_t *o = t->o;
    size_t spots = 0;
    study_destroy(t->study);
    study_t *s = t->study = study_create();
    s->detectors = o->detectors;
    s->chooses_once = o->change_bound != NULL;
    if (s->chooses_once)
        RB_TRY(study_assign(s, &s->common, "change_bound", o->change_bound, 0, err));
    s->samplers_may_fail = true; /* their row in the table then has the reason */
    RB_TRY(study_add_trace(s, o->setup.trace, NULL, t->profile, 0, err));
    if (o->setup.gpu != NULL)
        RB_TRY(study_add_gpu(s, o->setup.gpu, 0, err));
    for (size_t i = 0; i < o->setup.sets.n; i++)
        RB_TRY(study_add_setting(s, o->setup.sets.text[i], err));
    const text_list_t first_delta = {o->deltas.text, 1, 1}, first_warmup = {o->warmups.text, 1, 1};
    if (o->deltas.n > 0)
        RB_TRY(add_axis(s, "delta", only_full ? &first_delta : &o->deltas, err));
    if (o->warmups.n > 0)
        RB_TRY(add_axis(s, "warmup.mode", only_full ? &first_warmup : &o->warmups, err));
    for (size_t i = 0; i < (only_full ? 1 : t->n_sets); i++)
        RB_TRY(add_points(t, &t->sets[i], &spots, err));
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

/* The profile is the full run on the unchanged GPU, unless another run was given. */
static rb_code_t find_profile(trial_t *t, rb_err_t *err)
{
    if (t->o->plan_from != NULL) {
        char *results = out_path(t->o->plan_from, "launches.csv");
        bool folder = access(results, F_OK) == 0;
        t->profile = folder ? results : rb_strdup(t->o->plan_from);
        if (!folder)
            free(results);
        return trial_read_planned(t, err); /* reports its errors before hours of simulation */
    }
    RB_TRY(make_study(t, true, err));
    RB_TRY(run_study(t, err));
    RB_TRY(trial_require(t, 0, err));
    t->profile = sweep_job_path(&t->sweep.jobs[0], "/launches.csv");
    return RB_OK;
}

/* ---- seeds ---- */

/* Whether a set with these samplers of launches, or none, gives the same run with every seed. A
 * sampler that cannot plan fails with each of them. */
static rb_code_t plans_alike(trial_t *t, const char *set, bool *alike, rb_err_t *err)
{
    run_inside_t parts = {0};
    launch_choice_t choice = {0};
    rb_err_t why = {0};
    *alike = true;
    rb_code_t rc = run_inside_divide(&parts, set, t->o->seed, err);
    if (rc == RB_OK && parts.launch != NULL)
        rc = launch_choice_parse(&choice, parts.launch, err);
    if (rc == RB_OK && choice.method != NULL)
        rc = trial_read_planned(t, err);
    if (rc == RB_OK && choice.method != NULL) {
        const replay_t replay = {&t->planned, &t->planned, t->o->seed, t->o->seeds};
        if (replay_is_fixed(&replay, &choice, alike, &why) != RB_OK)
            *alike = true;
    }
    launch_choice_free(&choice);
    run_inside_free(&parts);
    return rc;
}

/* Decides how many runs each set needs. */
static rb_code_t count_runs(trial_t *t, rb_err_t *err)
{
    for (size_t i = 1; i < t->n_sets; i++) {
        trial_set_t *set = &t->sets[i];
        bool fixed = true;
        if (set->plan)
            continue;
        RB_TRY(evaluate_look(set->text, &set->asked, &fixed, err));
        if (fixed && t->o->seeds > 1)
            RB_TRY(plans_alike(t, set->text, &fixed, err));
        set->runs = fixed ? 1 : t->o->seeds;
    }
    return RB_OK;
}

/* ---- the whole ---- */

/* Finds mistakes in sets, plans and variants before hours of simulation. */
static rb_code_t check_study(trial_t *t, rb_err_t *err)
{
    RB_TRY(make_study(t, false, err));
    rb_code_t rc = sweep_prepare(&t->sweep, t->study, t->place.folder, t->o->setup.tmpdir, err);
    sweep_free(&t->sweep);
    return rc;
}

static rb_code_t evaluate(trial_t *t, rb_err_t *err)
{
    const evaluate_options_t *o = t->o;
    RB_TRY(check_study(t, err));
    RB_TRY(find_profile(t, err));
    RB_TRY(count_runs(t, err));
    RB_TRY(make_study(t, false, err));
    RB_TRY(run_study(t, err));
    RB_TRY(trial_require(t, 0, err));
    const evaluate_about_t about = {.folder = t->place.folder,
                                    .csv = o->csv,
                                    .trace = o->setup.trace,
                                    .gpu = t->sweep.jobs[0].fields[SWEEP_GPU],
                                    .seed = o->seed,
                                    .seeds = o->seeds,
                                    .metrics = o->metrics};
    RB_TRY(evaluate_report_begin(&t->report, &about, err));
    RB_TRY(trial_score(t, err));
    RB_TRY(evaluate_report_end(&t->report, err));
    RB_TRY(trial_score_changes(t, stdout, err));
    return out_flush_stdout(err); /* results that cannot be printed are still kept in the files */
}

rb_code_t evaluate_trace(const evaluate_options_t *o, bool *failed, rb_err_t *err)
{
    trial_t t = {.o = o, .all = evaluate_all(o), .sweep.lock = -1};
    list_sets(&t);
    rb_code_t rc = check_sets(&t, err);
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
    free(t.sets);
    free(t.profile);
    return rc;
}
