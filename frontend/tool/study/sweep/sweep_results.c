/* The results of a sweep: CSV files, and a table relative to the baselines. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/tool/io/csv_writer.h"
#include "frontend/tool/io/out_file.h"
#include "frontend/tool/io/text_format.h"
#include "frontend/tool/library/stat_values.h"
#include "frontend/tool/study/stat_table.h"
#include "frontend/tool/study/sweep/sweep_results.h"
#include "sim/conf/param_value.h"
#include "sim/core/alloc.h"
#include "sim/core/files/in_file.h"
#include "sim/core/files/memory_file.h"
#include "sim/core/files/text_lines.h"

enum { LAUNCH_BYTES_MAX = 1 << 20 };

#define RESULT_NAME_(name, path) #name,
static const char *const result_names[RESULTS] = {SWEEP_RESULT_LIST(RESULT_NAME_)};
#define RESULT_PATH_(name, path) path,
static const char *const result_paths[RESULTS] = {SWEEP_RESULT_LIST(RESULT_PATH_)};

#define CHANGE_NAME_(name, path) #name,
static const char *const change_names[SWEEP_CHANGES] = {SWEEP_CHANGE_LIST(CHANGE_NAME_)};
#define CHANGE_PATH_(name, path) path,
static const char *const change_paths[SWEEP_CHANGES] = {SWEEP_CHANGE_LIST(CHANGE_PATH_)};

static rb_code_t read_result(const sweep_job_t *job, sweep_result_t *r, rb_err_t *err)
{
    for (size_t i = 0; i < RESULTS; i++)
        r->value[i] = (double)NAN;
    if (job->state != SWEEP_DONE)
        return RB_OK;
    return stat_values_read(job->folder, result_paths, RESULTS, r->value, err);
}

static void fields_row(csv_t *c, char *const *fields, size_t n)
{
    for (size_t i = 0; i < n; i++)
        csv_text(c, fields[i]);
}

/* Writes the rows of one job: the changes of all statistics. */
static void append_changes(const sweep_t *s, size_t job, const run_pair_t *pair, FILE *out)
{
    char number[24];
    csv_t c = {.out = out};
    snprintf(number, sizeof(number), "%zu", job + 1);
    for (size_t i = 0; i < stat_count(); i++) {
        const stat_entry_t e = stat_entry(i);
        char path[128];
        snprintf(path, sizeof(path), "%s.%s", e.group, e.name);
        const change_t change = run_pair_change(pair, path);
        if (!isfinite(change.change))
            continue;
        csv_text(&c, number);
        fields_row(&c, s->jobs[job].fields, sweep_columns(s));
        csv_text(&c, path);
        csv_text(&c, change.kind == CHANGE_POINTS ? "points" : "relative");
        csv_f64(&c, change.change);
        csv_f64(&c, change.low);
        csv_f64(&c, change.high);
        csv_text(&c, change.method);
        csv_text(&c, change.reason);
        csv_end_row(&c);
    }
}

/* Reads the results of jobs, and compares them with their baselines. */
typedef struct {
    const sweep_t *s;
    sweep_result_t *results;
    FILE *changes;   /* changes.csv; NULL: not wanted */
    run_side_t base; /* a baseline, which is read once for all jobs */
    size_t base_job;
    bool has_base;
} comparison_t;

/* Opens the baseline, unless it is the last one. */
static rb_code_t open_base(comparison_t *c, size_t job, rb_err_t *err)
{
    if (c->has_base && c->base_job == job)
        return RB_OK;
    run_side_free(&c->base);
    c->has_base = false;
    RB_TRY(run_side_open(&c->base, c->s->jobs[job].folder, err));
    c->base_job = job;
    c->has_base = true;
    return RB_OK;
}

/* Compares a job with its baseline. */
static rb_code_t read_changes(comparison_t *c, size_t job, rb_err_t *err)
{
    const sweep_t *s = c->s;
    sweep_result_t *r = &c->results[job];
    run_side_t side;
    run_pair_t pair = {0};
    const double none = job == r->baseline ? 0 : (double)NAN;
    for (size_t i = 0; i < SWEEP_CHANGES; i++)
        r->change[i] = (change_t){.change = none, .low = none, .high = none, .method = "exact"};
    if (job == r->baseline)
        return RB_OK;
    if (s->jobs[job].state != SWEEP_DONE || s->jobs[r->baseline].state != SWEEP_DONE)
        return RB_OK;
    RB_TRY(open_base(c, r->baseline, err));
    rb_code_t rc = run_side_open(&side, s->jobs[job].folder, err);
    if (rc == RB_OK)
        rc = run_pair_make(&pair, &c->base, &side, err);
    for (size_t i = 0; rc == RB_OK && i < SWEEP_CHANGES; i++)
        r->change[i] = run_pair_change(&pair, change_paths[i]);
    r->paired = pair.paired;
    memcpy(r->why, pair.why, sizeof(r->why));
    if (rc == RB_OK && c->changes != NULL && (side.stats.estimated || c->base.stats.estimated))
        append_changes(s, job, &pair, c->changes);
    run_pair_free(&pair);
    run_side_free(&side);
    return rc;
}

static rb_code_t read_all(comparison_t *c, rb_err_t *err)
{
    const sweep_t *s = c->s;
    size_t baseline = 0;
    for (size_t i = 0; i < s->n_jobs; i++) {
        const char *trace = s->jobs[i].fields[SWEEP_TRACE];
        while (sweep_is_part(s, baseline) && baseline + 1 < s->n_jobs)
            baseline++;
        if (strcmp(trace, s->jobs[baseline].fields[SWEEP_TRACE]) != 0)
            baseline = i;
        RB_TRY(read_result(&s->jobs[i], &c->results[i], err));
        c->results[i].baseline = baseline;
        if (!sweep_is_part(s, i))
            RB_TRY(read_changes(c, i, err));
    }
    return RB_OK;
}

/* changes: NULL: changes.csv is not wanted. */
static rb_code_t read_results(const sweep_t *s, sweep_result_t **out, FILE *changes, rb_err_t *err)
{
    comparison_t c = {.s = s, .changes = changes};
    c.results = *out = rb_calloc(s->n_jobs, sizeof(*c.results));
    const rb_code_t rc = read_all(&c, err);
    run_side_free(&c.base);
    return rc;
}

rb_code_t sweep_read_results(const sweep_t *s, sweep_result_t **out, rb_err_t *err)
{
    return read_results(s, out, NULL, err);
}

static void change_columns(csv_t *c)
{
    static const char *const ends[] = {"", "_low", "_high"};
    for (size_t i = 0; i < SWEEP_CHANGES; i++) {
        for (size_t k = 0; k < sizeof(ends) / sizeof(ends[0]); k++) {
            char name[64];
            snprintf(name, sizeof(name), "relative_%s%s", change_names[i], ends[k]);
            csv_text(c, name);
        }
    }
    csv_text(c, "pairs");
    csv_text(c, "error");
}

/* What follows another point's choice has an interval of its change instead. */
static bool error_is_unknown(const sweep_result_t *r)
{
    return r->value[RESULT_estimated] > 0.0 && !isfinite(r->value[RESULT_cycles_low]) &&
           !(r->paired && isfinite(r->change[0].low));
}

/* Quotients; for shares, differences. */
static void change_values(csv_t *c, const sweep_result_t *r)
{
    for (size_t i = 0; i < SWEEP_CHANGES; i++) {
        const change_t *change = &r->change[i];
        const double from = change->kind == CHANGE_RELATIVE ? 1.0 : 0.0;
        csv_f64(c, from + change->change);
        csv_f64(c, from + change->low);
        csv_f64(c, from + change->high);
    }
    csv_text(c, r->paired ? "yes" : r->why);
    csv_text(c, error_is_unknown(r) ? "not known" : "");
}

static void write_jobs(const sweep_t *s, const sweep_result_t *results, FILE *out)
{
    csv_t c = {.out = out};
    csv_text(&c, "job");
    csv_text(&c, "id");
    csv_text(&c, "state");
    fields_row(&c, s->columns, sweep_columns(s));
    for (size_t i = 0; i < RESULTS; i++)
        csv_text(&c, result_names[i]);
    csv_text(&c, "baseline");
    change_columns(&c);
    csv_end_row(&c);
    for (size_t i = 0; i < s->n_jobs; i++) {
        const sweep_job_t *job = &s->jobs[i];
        if (sweep_is_part(s, i))
            continue;
        csv_u64(&c, i + 1);
        csv_text(&c, job->id);
        csv_text(&c, sweep_state_names[job->state]);
        fields_row(&c, job->fields, sweep_columns(s));
        for (size_t k = 0; k < RESULTS; k++)
            csv_f64(&c, results[i].value[k]);
        csv_u64(&c, results[i].baseline + 1);
        change_values(&c, &results[i]);
        csv_end_row(&c);
    }
}

/* "JOB,FIELD,...,": the start of each row; the caller frees it. */
static char *row_head(const sweep_t *s, const char *job, char *const *fields)
{
    memory_file_t text;
    FILE *out = memory_file_open(&text);
    csv_t csv = {.out = out};
    csv_text(&csv, job);
    fields_row(&csv, fields, sweep_columns(s));
    putc(',', out);
    return memory_file_close(&text, NULL);
}

/* A doubled quote inside quotes counts as an end and a start. */
static bool ends_quoted(const char *line, bool quoted)
{
    while ((line = strchr(line, '"')) != NULL) {
        quoted = !quoted;
        line++;
    }
    return quoted;
}

/*
 * Copies the rows of a launches.csv, prefixed with the job's fields. Rows may contain line ends
 * within quotes. first: also writes the header.
 */
static rb_code_t copy_launches(const sweep_t *s, size_t index, text_lines_t *in, FILE *out,
                               bool first, rb_err_t *err)
{
    char number[24];
    size_t row = 0;
    bool quoted = false, more;
    rb_code_t rc;
    snprintf(number, sizeof(number), "%zu", index + 1);
    char *head = row_head(s, number, s->jobs[index].fields);
    char *names = first ? row_head(s, "job", s->columns) : NULL;
    while ((rc = text_lines_next(in, &more, err)) == RB_OK && more) {
        bool wanted = row > 0 || first;
        if (wanted && !quoted)
            fputs(row == 0 ? names : head, out);
        if (wanted)
            fprintf(out, "%s%s", in->text, in->cut ? "" : "\n");
        quoted = ends_quoted(in->text, quoted);
        row += !quoted;
    }
    free(names);
    free(head);
    return rc;
}

static rb_code_t append_launches(const sweep_t *s, size_t index, FILE *out, bool first,
                                 rb_err_t *err)
{
    char *path = sweep_job_path(&s->jobs[index], "/launches.csv");
    text_lines_t in = {.path = path, .in = in_file_open(path, err), .max = LAUNCH_BYTES_MAX};
    rb_code_t rc = in.in != NULL ? copy_launches(s, index, &in, out, first, err) : RB_IO;
    if (in.in != NULL)
        fclose(in.in);
    text_lines_free(&in);
    free(path);
    return rc;
}

static rb_code_t write_launches(const sweep_t *s, FILE *out, rb_err_t *err)
{
    bool first = true;
    for (size_t i = 0; i < s->n_jobs; i++) {
        if (s->jobs[i].state != SWEEP_DONE || sweep_is_part(s, i))
            continue;
        RB_TRY(append_launches(s, i, out, first, err));
        first = false;
    }
    return RB_OK;
}

/* Reads the results, and writes the changes of the jobs that are estimates, or whose baseline is one. */
static rb_code_t write_changes(const sweep_t *s, sweep_result_t **results, rb_err_t *err)
{
    static const char *const names[] = {"path", "kind",   "change", "low",
                                        "high", "method", "reason"};
    out_file_t f;
    RB_TRY(out_file_open(&f, s->folder, "changes.csv", err));
    csv_t c = {.out = f.out};
    csv_text(&c, "job");
    fields_row(&c, s->columns, sweep_columns(s));
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        csv_text(&c, names[i]);
    csv_end_row(&c);
    return out_file_close(&f, read_results(s, results, f.out, err), err);
}

static rb_code_t write_file(const sweep_t *s, const char *name, const sweep_result_t *results,
                            rb_err_t *err)
{
    out_file_t f;
    RB_TRY(out_file_open(&f, s->folder, name, err));
    rb_code_t rc = RB_OK;
    if (strcmp(name, "jobs.csv") == 0)
        write_jobs(s, results, f.out);
    else
        rc = write_launches(s, f.out, err);
    return out_file_close(&f, rc, err);
}

/* Widths of the columns of fields. */
static size_t *column_widths(const sweep_t *s)
{
    size_t *width = rb_calloc(s->n_columns, sizeof(*width));
    for (size_t k = 0; k < s->n_columns; k++) {
        width[k] = strlen(s->columns[k]);
        for (size_t i = 0; i < s->n_jobs; i++) {
            size_t n = strlen(s->jobs[i].fields[k]);
            width[k] = n > width[k] ? n : width[k];
        }
    }
    return width;
}

static void print_row(const sweep_t *s, size_t index, const sweep_result_t *results,
                      const size_t *width)
{
    const sweep_result_t *r = &results[index];
    const sweep_job_t *job = &s->jobs[index];
    char cycles[FORMAT_MAX], relative[RUN_PAIR_TEXT], hits[FORMAT_MAX], dram[FORMAT_MAX];
    for (size_t k = SWEEP_GPU; k < sweep_columns(s); k++)
        printf("  %-*s", (int)width[k], job->fields[k]);
    if (job->state != SWEEP_DONE) {
        printf("  %s\n", sweep_state_names[job->state]);
        return;
    }
    if (index == r->baseline)
        strcpy(relative, "baseline");
    else
        run_pair_text(relative, &r->change[CHANGE_OF_cycles]);
    printf("  %15s%s  %16s  %8.3f  %9s  %9s\n",
           format_grouped(cycles, (uint64_t)r->value[RESULT_cycles]),
           r->value[RESULT_estimated] > 0.0 ? "~" : " ", relative, r->value[RESULT_ipc],
           format_share(hits, r->value[RESULT_l2_hit_rate]),
           format_share(dram, r->value[RESULT_dram_utilization]));
}

/* Whether the change against the baseline may be due to chance. The bounds: docs/limits.md. */
static bool may_be_chance(const sweep_result_t *r)
{
    const double short_cycles = 50000, small = 0.05;
    return r->value[RESULT_cycles] < short_cycles && fabs(sweep_relative(r) - 1.0) < small;
}

/* How the changes are known. */
static void print_methods(const sweep_t *s, const sweep_result_t *results)
{
    const char *why = NULL;
    bool paired = false, open = false;
    for (size_t i = 0; i < s->n_jobs; i++) {
        const change_t *c = &results[i].change[CHANGE_OF_cycles];
        if (sweep_is_part(s, i) || results[i].baseline == i || !isfinite(c->change))
            continue;
        paired = paired || results[i].paired;
        open = open || !isfinite(c->low);
        if (!results[i].paired && results[i].why[0] != '\0' && why == NULL)
            why = results[i].why;
    }
    if (paired)
        printf("+- 95 %% interval of the change, from what both simulated; none: it contains "
               "no change\n");
    if (why != NULL)
        printf("%s as if the errors of both were independent: %s\n",
               paired ? "   for others" : "+- 95 % interval of the change,", why);
    if (open)
        printf("?  the change has no interval\n");
}

/* The capacity that a job's point sets for the L2; NAN: none. *column: which of its fields. */
static double l2_size(const sweep_t *s, const sweep_job_t *job, size_t *column)
{
    uint64_t bytes;
    for (size_t k = SWEEP_POINT; k < sweep_columns(s); k++) {
        if (strcmp(s->columns[k], "l2.size") != 0 || size_parse(job->fields[k], &bytes) != NULL)
            continue;
        *column = k;
        return (double)bytes;
    }
    return (double)NAN;
}

/* Whether two jobs are equal but for one of their fields. */
static bool equal_but(const sweep_t *s, const sweep_job_t *a, const sweep_job_t *b, size_t column)
{
    bool equal = true;
    for (size_t k = 0; k < sweep_columns(s); k++)
        equal = equal && (k == column || strcmp(a->fields[k], b->fields[k]) == 0);
    return equal;
}

/* Whether a job is slower than one that differs from it only by a smaller L2. */
static bool is_slower_with_more(const sweep_t *s, size_t index, const sweep_result_t *results)
{
    const double least = 1.002; /* the order of requests moves more than that by itself */
    const double mine = results[index].value[RESULT_cycles];
    size_t column = 0;
    const double size = l2_size(s, &s->jobs[index], &column);
    for (size_t i = 0; isfinite(size) && i < s->n_jobs; i++) {
        const double theirs = l2_size(s, &s->jobs[i], &column);
        if (!sweep_is_part(s, i) && theirs < size &&
            equal_but(s, &s->jobs[i], &s->jobs[index], column) &&
            mine > least * results[i].value[RESULT_cycles])
            return true;
    }
    return false;
}

static void print_table(const sweep_t *s, const sweep_result_t *results)
{
    size_t *width = column_widths(s);
    bool estimated = false, chance = false, more = false;
    size_t unknown = 0;
    for (size_t i = 0; i < s->n_jobs; i++) {
        if (sweep_is_part(s, i))
            continue;
        if (results[i].baseline == i) {
            printf("%s%s\n", i > 0 ? "\n" : "", s->jobs[i].fields[SWEEP_TRACE]);
            for (size_t k = SWEEP_GPU; k < sweep_columns(s); k++)
                printf("  %-*s", (int)width[k], s->columns[k]);
            printf("  %15s   %16s  %8s  %9s  %9s\n", "cycles", "change", "ipc", "L2 hits", "DRAM");
        }
        print_row(s, i, results, width);
        estimated = estimated || results[i].value[RESULT_estimated] > 0.0;
        unknown += error_is_unknown(&results[i]);
        more = more || is_slower_with_more(s, i, results);
        chance = chance || (results[i].baseline != i && may_be_chance(&results[i]));
    }
    if (estimated) {
        printf("\n~ estimated from samples\n");
        print_methods(s, results);
        run_pair_warn(stdout, unknown);
    }
    if (chance)
        printf(
            "\nchanges below 5 %% in runs below 50,000 cycles may be due to a different order of "
            "warps and requests (docs/limits.md)\n");
    if (more)
        printf("\nin places a larger l2.size is slower than a smaller one: docs/sweep.md says why "
               "(A larger "
               "cache can be slower)\n");
    free(width);
}

rb_code_t sweep_results(const sweep_t *s, bool keep, rb_err_t *err)
{
    enum { TABLE_ROWS = 200 };
    sweep_result_t *results = NULL;
    rb_code_t rc = keep ? write_changes(s, &results, err) : sweep_read_results(s, &results, err);
    if (rc == RB_OK && keep)
        rc = write_file(s, "jobs.csv", results, err);
    if (rc == RB_OK && keep)
        rc = write_file(s, "results.csv", NULL, err);
    if (rc == RB_OK && (!keep || s->n_jobs <= TABLE_ROWS))
        print_table(s, results);
    if (rc == RB_OK && keep)
        printf("\n%s/results.csv: one row per job and launch; jobs.csv: one row per job\n",
               s->folder);
    free(results);
    return rc;
}
