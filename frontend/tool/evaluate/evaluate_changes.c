#include "frontend/tool/evaluate/evaluate_changes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/tool/evaluate/score/interval_coverage.h"
#include "frontend/tool/io/text_format.h"
#include "frontend/tool/library/stat_values.h"
#include "frontend/tool/study/run_pair.h"
#include "sim/core/alloc.h"

enum { PATH = 128 };

/* A set of samplers on a variant: the changes of all statistics over its runs. */
typedef struct {
    const char *sample, *variant, *warmup;
    change_t *truth;      /* owned; per statistic */
    coverage_t *coverage; /* owned; per statistic */
    uint64_t runs;
} changes_t;

static void stat_path(size_t i, char path[PATH])
{
    const stat_entry_t e = stat_entry(i);
    snprintf(path, PATH, "%s.%s", e.group, e.name);
}

static const sweep_job_t *done_job(const trial_t *t, size_t job)
{
    const sweep_job_t *j = &t->sweep.jobs[t->sweep.jobs[job].same];
    return j->state == SWEEP_DONE ? j : NULL;
}

static void add_change(changes_t *c, size_t i, const change_t *change)
{
    c->coverage[i].share = true; /* errors of changes are differences */
    if (strcmp(stat_entry(i).group, "simulated") == 0)
        return; /* counts what was done, in which the runs differ on purpose */
    if (isfinite(c->truth[i].change) && isfinite(change->change))
        coverage_add(&c->coverage[i], &(estimate_case_t){.truth = c->truth[i].change,
                                                         .value = change->change,
                                                         .low = change->low,
                                                         .high = change->high,
                                                         .exact = change->low == change->high,
                                                         .reason = change->reason});
}

/* Adds the changes between two runs; truth: they are those of the full runs. */
static rb_code_t add_pair(changes_t *c, const sweep_job_t *a, const sweep_job_t *b, bool truth,
                          rb_err_t *err)
{
    run_pair_t pair;
    rb_code_t rc = run_pair_open(&pair, a->folder, b->folder, err);
    for (size_t i = 0; rc == RB_OK && i < stat_count(); i++) {
        char path[PATH];
        stat_path(i, path);
        const change_t change = run_pair_change(&pair, path);
        if (truth)
            c->truth[i] = change;
        else
            add_change(c, i, &change);
    }
    c->runs += !truth && rc == RB_OK;
    run_pair_free(&pair);
    return rc;
}

/* The runs of a set on a variant, against those on the first one. */
static rb_code_t add_runs(changes_t *c, const trial_t *t, size_t delta, size_t warmup, size_t set,
                          rb_err_t *err)
{
    const sweep_job_t *a = done_job(t, trial_job(t, 0, 0, 0, 0)),
                      *b = done_job(t, trial_job(t, delta, 0, 0, 0));
    if (a == NULL || b == NULL)
        return RB_OK;
    RB_TRY(add_pair(c, a, b, true, err));
    for (uint64_t k = 0; k < t->sets[set].runs; k++) {
        a = done_job(t, trial_job(t, 0, warmup, set, k));
        b = done_job(t, trial_job(t, delta, warmup, set, k));
        if (a != NULL && b != NULL)
            RB_TRY(add_pair(c, a, b, false, err));
    }
    return RB_OK;
}

static const char *in_points(char text[FORMAT_MAX], double v, bool sign)
{
    if (!isfinite(v))
        return "-";
    snprintf(text, FORMAT_MAX, sign ? "%+.2f" : "%.2f", 100 * v);
    return text;
}

static void print_row(FILE *out, const changes_t *c)
{
    char t[8][FORMAT_MAX], label[128];
    const coverage_summary_t s = coverage_summary(&c->coverage[0]);
    uint64_t intervals = 0, covered = 0;
    for (size_t i = 0; i < stat_count(); i++) {
        intervals += c->coverage[i].intervals;
        covered += c->coverage[i].covered;
    }
    evaluated_label(c->sample, c->warmup, label, sizeof(label));
    fprintf(out, "%-28s %-16s %5llu %8s %8s %8s %8s %8s %8s %8s %9s\n", label, c->variant,
            (unsigned long long)c->runs, in_points(t[0], c->truth[0].change, true),
            in_points(t[1], s.bias, true), in_points(t[2], s.error_mean, false),
            in_points(t[3], s.error_max, false), format_share(t[4], s.coverage),
            in_points(t[5], s.half_width, false), format_share(t[6], s.silent_share),
            format_share(t[7], intervals > 0 ? (double)covered / (double)intervals : (double)NAN));
}

static void write_rows(csv_t *csv, const changes_t *c)
{
    for (size_t i = 0; i < stat_count(); i++) {
        const coverage_summary_t s = coverage_summary(&c->coverage[i]);
        char path[PATH];
        stat_path(i, path);
        if (s.runs == 0)
            continue;
        csv_text(csv, c->sample);
        csv_text(csv, c->variant);
        csv_text(csv, c->warmup);
        csv_text(csv, path);
        csv_text(csv, c->truth[i].kind == CHANGE_POINTS ? "points" : "relative");
        csv_f64(csv, c->truth[i].change);
        csv_u64(csv, s.runs);
        csv_f64(csv, s.bias);
        csv_f64(csv, s.error_mean);
        csv_f64(csv, s.error_max);
        csv_u64(csv, s.intervals);
        csv_u64(csv, s.covered);
        csv_u64(csv, s.silent);
        csv_f64(csv, s.half_width);
        csv_end_row(csv);
    }
}

static void write_heads(FILE *out, csv_t *csv)
{
    static const char *const names[] = {
        "sample",     "variant",    "warmup",    "path",      "kind",    "true",   "runs",
        "error_bias", "error_mean", "error_max", "intervals", "covered", "silent", "half_width"};
    fprintf(out, "\n%-28s %-16s %5s %8s %-26s %-26s %s\n", "changes of the cycles, %", "", "", "",
            "error, points -----------", "interval ----------------", "all statistics");
    fprintf(out, "%-28s %-16s %5s %8s %8s %8s %8s %8s %8s %8s %9s\n", "samplers", "variant", "runs",
            "true", "bias", "mean", "max", "covered", "+-", "silent", "covered");
    for (size_t i = 0; csv != NULL && i < sizeof(names) / sizeof(names[0]); i++)
        csv_text(csv, names[i]);
    if (csv != NULL)
        csv_end_row(csv);
}

static rb_code_t score_one(const trial_t *t, size_t delta, size_t warmup, size_t set, FILE *out,
                           csv_t *csv, rb_err_t *err)
{
    const evaluate_options_t *o = t->o;
    changes_t c = {.sample = t->sets[set].text,
                   .variant = o->deltas.text[delta],
                   .warmup = o->warmups.n > 0 ? o->warmups.text[warmup] : NULL};
    c.truth = rb_calloc(stat_count(), sizeof(*c.truth));
    c.coverage = rb_calloc(stat_count(), sizeof(*c.coverage));
    const rb_code_t rc = add_runs(&c, t, delta, warmup, set, err);
    if (rc == RB_OK && c.runs > 0) {
        print_row(out, &c);
        if (csv != NULL)
            write_rows(csv, &c);
    }
    for (size_t i = 0; i < stat_count(); i++)
        coverage_free(&c.coverage[i]);
    free(c.coverage);
    free(c.truth);
    return rc;
}

static rb_code_t score_all(const trial_t *t, FILE *out, csv_t *csv, rb_err_t *err)
{
    write_heads(out, csv);
    for (size_t set = 1; set < t->n_sets; set++)
        for (size_t delta = 1; delta < t->o->deltas.n; delta++)
            for (size_t w = 0; w < count_or_one(&t->o->warmups); w++)
                RB_TRY(score_one(t, delta, w, set, out, csv, err));
    return RB_OK;
}

rb_code_t trial_score_changes(trial_t *t, FILE *out, rb_err_t *err)
{
    out_file_t f;
    if (t->o->deltas.n < 2)
        return RB_OK;
    if (t->place.temporary)
        return score_all(t, out, NULL, err);
    RB_TRY(out_file_open(&f, t->place.folder, "changes.csv", err));
    csv_t csv = {.out = f.out};
    return out_file_close(&f, score_all(t, out, &csv, err), err);
}
