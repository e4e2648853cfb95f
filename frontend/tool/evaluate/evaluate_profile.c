/* Scores plans against the known times of all launches. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/tool/evaluate/evaluate.h"
#include "frontend/tool/evaluate/plan_replay.h"
#include "frontend/tool/evaluate/score/evaluation.h"
#include "frontend/tool/io/csv_writer.h"
#include "frontend/tool/io/out_file.h"
#include "frontend/tool/io/text_format.h"
#include "frontend/tool/run/progress_line.h"
#include "frontend/tool/run/results/run_report.h"
#include "frontend/tool/run/sampled/plan_file.h"
#include "sampling/launch/launch_sampler.h"
#include "sampling/launch/sample_syntax.h"
#include "sim/core/alloc.h"

typedef struct {
    const evaluate_options_t *options;
    launch_list_t planned, other; /* other: from --against */
    const launch_list_t *truth;   /* one of the two */
    score_t *scores;              /* owned: one per seed */
    out_file_t file;
    csv_t csv;
} evaluation_t;

static void csv_header(csv_t *c)
{
    static const char *const columns[] = {"sampler",
                                          "method",
                                          "seeds",
                                          "clusters_mean",
                                          "samples_mean",
                                          "speedup_time_harmonic_mean",
                                          "speedup_warp_instructions_harmonic_mean",
                                          "speedup_host_time_harmonic_mean",
                                          "error_mean",
                                          "error_p95",
                                          "error_max",
                                          "error_bound",
                                          "share_within_bound",
                                          "planning_seconds_mean",
                                          "asked_bound",
                                          "share_within_asked",
                                          "intervals",
                                          "coverage",
                                          "half_width_mean",
                                          "silent_share",
                                          "note"};
    for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
        csv_text(c, columns[i]);
    csv_end_row(c);
}

static void csv_summary(csv_t *c, const char *sampler, const char *method, const summary_t *s)
{
    csv_text(c, sampler);
    csv_text(c, method);
    csv_u64(c, s->n);
    csv_f64(c, s->clusters);
    csv_f64(c, s->samples);
    csv_f64(c, s->speedup);
    csv_f64(c, s->speedup_insts);
    csv_f64(c, s->speedup_wall);
    csv_f64(c, s->error_mean);
    csv_f64(c, s->error_p95);
    csv_f64(c, s->error_max);
    csv_f64(c, s->bound);
    csv_f64(c, s->within);
    csv_f64(c, s->seconds);
    csv_f64(c, s->asked);
    csv_f64(c, s->within_asked);
    csv_u64(c, s->interval.intervals);
    csv_f64(c, s->interval.coverage);
    csv_f64(c, s->interval.half_width);
    csv_f64(c, s->interval.silent_share);
    csv_text(c, NULL);
    csv_end_row(c);
}

static void csv_note(csv_t *c, const char *sampler, const char *method, const char *note)
{
    enum { EMPTY = 18 };
    csv_text(c, sampler);
    csv_text(c, method);
    for (int i = 0; i < EMPTY; i++)
        csv_text(c, NULL);
    csv_text(c, note);
    csv_end_row(c);
}

/* "12.3", or "-" for an unknown number. */
static const char *number_text(char text[FORMAT_MAX], const char *format, double v)
{
    if (isfinite(v))
        snprintf(text, FORMAT_MAX, format, v);
    else
        snprintf(text, FORMAT_MAX, "-");
    return text;
}

static void table_header(FILE *out)
{
    fprintf(out, "\n%-26s %8s %9s %26s %26s %17s %17s %9s\n", "", "", "",
            "speed-up ---------------", "error ------------------", "share of plans --",
            "interval --------", "planning");
    fprintf(out, "%-26s %8s %9s %8s %8s %8s %8s %8s %8s %8s %8s %8s %8s\n", "sampler", "clusters",
            "samples", "time", "insts", "host", "mean", "p95", "max", "in bound", "covered", "+-",
            "silent");
}

/* Whether the plan's error is within what was asked for, or else within what the plan states. */
static double within(const summary_t *s)
{
    return isfinite(s->within_asked) ? s->within_asked : s->within;
}

static void table_row(FILE *out, const char *label, const summary_t *s)
{
    char t[11][FORMAT_MAX];
    fprintf(out, "%-26s %8.4g %9.6g %8s %8s %8s %8s %8s %8s %8s %8s %8s %8s %9s\n", label,
            s->clusters, s->samples, number_text(t[0], "%.4gx", s->speedup),
            number_text(t[1], "%.4gx", s->speedup_insts),
            number_text(t[2], "%.4gx", s->speedup_wall),
            number_text(t[3], "%.3g %%", 100.0 * s->error_mean),
            number_text(t[4], "%.3g %%", 100.0 * s->error_p95),
            number_text(t[5], "%.3g %%", 100.0 * s->error_max), format_share(t[6], within(s)),
            format_share(t[7], s->interval.coverage),
            number_text(t[8], "%.3g %%", 100.0 * s->interval.half_width),
            format_share(t[9], s->interval.silent_share), format_seconds(t[10], s->seconds));
}

static void show_summary(evaluation_t *e, const char *label, const char *method, const summary_t *s)
{
    table_row(stdout, label, s);
    if (e->csv.out != NULL)
        csv_summary(&e->csv, label, method, s);
}

static void show_note(evaluation_t *e, const char *label, const char *method, const char *note)
{
    fprintf(stdout, "%-26s %s\n", label, note);
    if (e->csv.out != NULL)
        csv_note(&e->csv, label, method, note);
}

/*
 * Scores a sampler. all: it was not requested by name, so if it cannot work, that is a note in the
 * table, not an error.
 */
static rb_code_t evaluate_choice(evaluation_t *e, const launch_choice_t *choice, const char *label,
                                 bool all, rb_err_t *err)
{
    const launch_method_t *m = choice->method;
    char *method = NULL;
    rb_err_t why = {0};
    const replay_t replay = {&e->planned, e->truth, e->options->seed, e->options->seeds};
    rb_code_t rc = replay_scores(&replay, choice, e->scores, &method, &why);
    if (rc == RB_OK) {
        summary_t s = evaluation_summary(e->scores, replay.seeds,
                                         evaluate_asked(m->options, choice->options));
        show_summary(e, label, method, &s);
    } else if (all) {
        show_note(e, label, m->name, why.text);
        rc = RB_OK;
    } else {
        rc = rb_fail(err, rc, "%s", why.text);
    }
    free(method);
    return rc;
}

static bool has_option(const launch_method_t *m, const char *name)
{
    for (size_t i = 0; i < m->options->n_params; i++) {
        if (strcmp(m->options->params[i].name, name) == 0)
            return true;
    }
    return false;
}

/* Evaluates text with every requested bound. */
static rb_code_t evaluate_sampler(evaluation_t *e, const char *text, bool all, rb_err_t *err)
{
    const evaluate_options_t *o = e->options;
    launch_choice_t choice;
    char label[96];
    RB_TRY(launch_choice_parse(&choice, text, err));
    rb_code_t rc = RB_OK;
    bool sweep = o->n_epsilons > 0 && has_option(choice.method, "epsilon");
    for (size_t i = 0; rc == RB_OK && i < (sweep ? o->n_epsilons : 1); i++) {
        snprintf(label, sizeof(label), "%s", text);
        if (sweep) {
            rc = launch_choice_set(&choice, "epsilon", o->epsilon[i], err);
            snprintf(label, sizeof(label), "%.60s epsilon=%s", text, o->epsilon[i]);
        }
        if (rc == RB_OK)
            rc = evaluate_choice(e, &choice, label, all, err);
    }
    launch_choice_free(&choice);
    return rc;
}

/* Evaluates one --sample: each of its samplers is scored alone. */
static rb_code_t evaluate_list(evaluation_t *e, const char *text, rb_err_t *err)
{
    sample_list_t list;
    RB_TRY(sample_list_parse(&list, text, err));
    rb_code_t rc = RB_OK;
    for (size_t i = 0; rc == RB_OK && i < list.n; i++)
        rc = evaluate_sampler(e, list.items[i], false, err);
    sample_list_free(&list);
    return rc;
}

static rb_code_t evaluate_samplers(evaluation_t *e, rb_err_t *err)
{
    const evaluate_options_t *o = e->options;
    for (size_t i = 0; evaluate_all(o) && i < n_launch_methods; i++) {
        RB_TRY(evaluate_sampler(e, launch_methods[i]->name, true, err));
    }
    for (size_t i = 0; !evaluate_all(o) && i < o->samples.n; i++)
        RB_TRY(evaluate_list(e, o->samples.text[i], err));
    return RB_OK;
}

/* Evaluates a plan from a file. */
static rb_code_t evaluate_plan(evaluation_t *e, const char *path, rb_err_t *err)
{
    plan_t plan;
    run_sampling_t sampling;
    rb_err_t why = {0};
    RB_TRY(plan_file_read(&plan, path, err));
    rb_code_t rc = run_sampling_begin(&sampling, &plan, e->truth, &why);
    if (rc != RB_OK)
        return rb_fail(err, rc, "%s: %s", path, why.text);
    score_t score = evaluation_score(&sampling.plan, e->truth, NULL);
    score.seconds = NAN;
    summary_t s = evaluation_summary(&score, 1, sampling.plan.error_bound);
    show_summary(e, path, sampling.plan.method, &s);
    run_sampling_free(&sampling);
    return RB_OK;
}

/* Reads the launches for which plans are made and those on which they are scored. */
static rb_code_t read_launches(evaluation_t *e, rb_err_t *err)
{
    const evaluate_options_t *o = e->options;
    RB_TRY(launch_list_open(&e->planned, o->setup.trace, o->setup.tmpdir, err));
    e->truth = &e->planned;
    if (o->against != NULL) {
        RB_TRY(launch_list_open(&e->other, o->against, o->setup.tmpdir, err));
        e->truth = &e->other;
    }
    if (e->truth->pop.time == NULL)
        return rb_fail(err, RB_TRACE, "%s: scoring needs durations",
                       o->against != NULL ? o->against : o->setup.trace);
    launch_list_add_walls(o->against != NULL ? &e->other : &e->planned,
                          o->against != NULL ? o->against : o->setup.trace);
    RB_TRY(launch_list_compare(&e->planned, e->truth, err));
    return o->trace != NULL ? launch_list_add_trace(&e->planned, o->trace, err) : RB_OK;
}

static rb_code_t open_csv(evaluation_t *e, rb_err_t *err)
{
    if (e->options->csv == NULL)
        return RB_OK;
    RB_TRY(out_file_open_path(&e->file, e->options->csv, err));
    e->csv = (csv_t){.out = e->file.out};
    csv_header(&e->csv);
    return RB_OK;
}

static void print_head(const evaluation_t *e, FILE *out)
{
    const evaluate_options_t *o = e->options;
    const population_t *pop = &e->truth->pop;
    char n[FORMAT_MAX], total[FORMAT_MAX];
    double time = 0.0;
    for (uint64_t i = 0; i < pop->n; i++)
        time += pop->time[i];
    fprintf(out, "%s: %s, %s launches of %u kernels, ", report_trace_name(o->setup.trace),
            e->planned.format, format_grouped(n, pop->n), pop->n_names);
    if (pop->time_is_cycles)
        fprintf(out, "%s cycles", format_si(total, time));
    else
        fprintf(out, "%s", format_seconds(total, time * 1e-9));
    if (o->against != NULL)
        fprintf(out, ", scored on %s", report_trace_name(o->against));
    fprintf(out,
            "\nseeds %llu to %llu; speed-ups are harmonic means: all launches over the samples\n",
            (unsigned long long)o->seed, (unsigned long long)(o->seed + o->seeds - 1));
}

static rb_code_t evaluate(evaluation_t *e, rb_err_t *err)
{
    RB_TRY(read_launches(e, err));
    RB_TRY(open_csv(e, err));
    e->scores = rb_calloc(e->options->seeds, sizeof(*e->scores));
    print_head(e, stdout);
    table_header(stdout);
    for (size_t i = 0; i < e->options->plans.n; i++)
        RB_TRY(evaluate_plan(e, e->options->plans.text[i], err));
    RB_TRY(evaluate_samplers(e, err));
    RB_TRY(out_flush_stdout(err));
    if (e->options->csv == NULL)
        return RB_OK;
    return out_file_close(&e->file, RB_OK, err);
}

rb_code_t evaluate_profile(const evaluate_options_t *o, rb_err_t *err)
{
    evaluation_t e = {.options = o};
    rb_code_t rc = evaluate(&e, err);
    out_file_abandon(&e.file);
    free(e.scores);
    launch_list_free(&e.planned);
    launch_list_free(&e.other);
    return rc;
}
