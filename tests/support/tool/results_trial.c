#include "tests/support/tool/results_trial.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/input/rbt/read/rbt_source.h"
#include "frontend/tool/io/text_format.h"
#include "frontend/tool/report/json_walk.h"
#include "frontend/tool/report/report_page.h"
#include "frontend/tool/run/results/run_finished.h"
#include "frontend/tool/silicon/hardware_compare.h"
#include "frontend/tool/study/stat_table.h"
#include "frontend/tool/study/sweep/sweep_results.h"
#include "sampling/estimate/estimate.h"
#include "tests/support/corpus.h"
#include "tests/support/temp_folder.h"

/* Paths of the good files, and of the file under test. */
static char good_run[256], good_intervals[256], good_stats[256], good_hardware[256], tried[256];

/* The content of an input, which follows the first line. Sets *n to its length. */
static const char *content(const char *data, size_t *n)
{
    const char *end = memchr(data, '\n', *n);
    size_t skipped = end != NULL ? (size_t)(end + 1 - data) : *n;

    *n -= skipped;
    return data + skipped;
}

static void write_good(const char *name, char path[256])
{
    corpus_input_t in;
    char from[512], to[64];

    snprintf(from, sizeof(from), "%s/tests/fuzz/corpus/results/%s", RUBATO_ROOT, name);
    RB_INVARIANT(corpus_input_read(&in, from), "%s", from);
    size_t n = in.n;
    const char *text = content(in.data, &n);

    snprintf(to, sizeof(to), "good/%s", name);
    temp_write_bytes(to, text, n);
    snprintf(path, 256, "%s", temp_path(to));
    corpus_input_free(&in);
}

static void write_good_files(void)
{
    static bool written;

    if (written)
        return;
    written = true;
    write_good("run.json", good_run);
    write_good("intervals.csv", good_intervals);
    write_good("stats.csv", good_stats);
    write_good("hardware.csv", good_hardware);
}

/* A section of a page, written to memory. */
typedef struct {
    FILE *out;
    char *text;
    size_t n;
} section_t;

static void section_begin(section_t *s)
{
    *s = (section_t){0};
    s->out = open_memstream(&s->text, &s->n);
    RB_INVARIANT(s->out != NULL, "no memory stream");
}

/* Closes the section. If it is complete (rc is RB_OK), checks that it is JSON. */
static void section_end(section_t *s, rb_code_t rc)
{
    json_reader_t r;
    json_event_t e;

    fclose(s->out);
    FILE *in = fmemopen(s->text, s->n + 1, "r");
    RB_INVARIANT(in != NULL, "no memory stream");
    s->text[s->n] = '\n';
    json_reader_init(&r, "page", json_read_file, in);
    while (rc == RB_OK && (e = json_next(&r)) != JSON_READ_END)
        RB_INVARIANT(e != JSON_READ_ERROR, "%s", r.err.text);
    json_reader_free(&r);
    fclose(in);
    free(s->text);
}

/* --- the files ------------------------------------------------------------------------------- */

static rb_code_t try_page(const char *run, const char *intervals, rb_err_t *err)
{
    size_t n;
    run_data_t d;
    section_t s;
    const char *const *paths = page_run_paths(&n);
    rb_code_t rc = run_data_read(&d, run, paths, n, err);

    if (rc == RB_OK) {
        section_begin(&s);
        rc = page_run(s.out, &d, "title", intervals, err);
        section_end(&s, rc);
    }
    run_data_free(&d);
    return rc;
}

static rb_code_t try_compare(const char *run, const char *hardware, rb_err_t *err)
{
    hardware_table_t t;
    hardware_comparison_t c = {0};
    char operand[256];
    char *const operands[] = {operand};

    snprintf(operand, sizeof(operand), "%s", run);
    rb_code_t rc = hardware_table_read(&t, hardware, err);
    if (rc == RB_OK)
        rc = hardware_compare(&c, &t, operands, 1, err);
    for (size_t i = 0; rc == RB_OK && i < c.n_counters; i++) {
        const hardware_counter_t *k = &c.counters[i];

        RB_INVARIANT(k->score.n == 0 || k->score.worst < k->n_pairs, "the worst pair of %s",
                     k->label);
        for (size_t p = 0; p < k->n_pairs; p++)
            (void)hardware_error(k, &k->pairs[p]);
    }
    hardware_free(&c);
    hardware_table_free(&t);
    return rc;
}

/* Checks like --resume whether the run is complete. This must be refused: the run is one of another
 * trace. */
static void try_finished(void)
{
    rb_err_t err = {0};
    trace_identity_t *t;
    bool complete;
    trace_source_t *s = rbt_open(RUBATO_ROOT "/traces/reduce-sm70.rbt", &err);

    RB_INVARIANT(s != NULL && trace_identity_create(&t, s, NULL, &err) == RB_OK, "%s", err.text);
    rb_code_t rc = run_finished_check(tried, "rubato test\n", t, &complete, &err);
    RB_INVARIANT(rc != RB_OK && err.text[0] != '\0', "results of another run are taken");
    s->ops->destroy(s);
    trace_identity_destroy(t);
}

/* A comparison with a run that can be read may fail, but only with a message. */
static rb_code_t try_run(rb_err_t *err)
{
    rb_err_t unused = {0};
    rb_code_t rc = try_page(tried, NULL, err);

    try_finished();
    if (rc == RB_OK && try_compare(tried, good_hardware, &unused) != RB_OK)
        RB_INVARIANT(unused.text[0] != '\0', "no message");
    if (rc == RB_OK && try_page(tried, good_intervals, &unused) != RB_OK)
        RB_INVARIANT(unused.text[0] != '\0', "no message");
    return rc;
}

static rb_code_t try_intervals(rb_err_t *err)
{
    return try_page(good_run, tried, err);
}

static rb_code_t try_stats(rb_err_t *err)
{
    static const char *const path[] = {"totals.cycles"};
    stat_table_t a, b;
    double value;
    size_t n;

    RB_TRY(stat_table_read(&a, good_stats, err));
    rb_code_t rc = stat_table_read(&b, tried, err);
    if (rc == RB_OK) {
        stat_change_t *changes = stat_changes(&a, &b, &n);

        for (size_t i = 0; i < n; i++)
            RB_INVARIANT(!(changes[i].share > 1.0 + 1e-9), "a share of %g", changes[i].share);
        free(changes);
        rc = stat_values_read(tried, path, 1, &value, err);
        stat_table_free(&b);
    }
    stat_table_free(&a);
    return rc;
}

static rb_code_t try_detectors(rb_err_t *err)
{
    enum { BYTES_MAX = 100000 };
    section_t s;

    section_begin(&s);
    rb_code_t rc = page_detectors(s.out, tried, "title", BYTES_MAX, format_kernel, err);
    section_end(&s, rc);
    return rc;
}

static rb_code_t try_evaluation(rb_err_t *err)
{
    section_t s;

    section_begin(&s);
    rb_code_t rc = page_evaluation(s.out, tried, format_kernel, err);
    section_end(&s, rc);
    return rc;
}

static rb_code_t try_hardware(rb_err_t *err)
{
    return try_compare(good_run, tried, err);
}

static rb_code_t try_jobs(rb_err_t *err)
{
    sweep_t s = {.lock = -1};
    sweep_result_t *results = NULL;
    rb_code_t rc = sweep_open(&s, temp_path("tried"), err);

    if (rc == RB_OK) {
        rc = sweep_look(&s, err);
        if (rc == RB_OK)
            rc = sweep_read_results(&s, &results, err);
    }
    for (size_t i = 0; rc == RB_OK && i < s.n_jobs; i++) {
        RB_INVARIANT(s.jobs[i].same <= i && results[i].baseline < s.n_jobs, "job %zu", i);
        free(sweep_reason(&s, i));
    }
    free(results);
    sweep_free(&s);
    return rc;
}

/* A launch is a pair with itself, and does not change. */
static rb_code_t try_units(rb_err_t *err)
{
    static const stat_form_t cycles = {.num = {.term = {{VALUE_CYCLES, 1}}, .n = 1}};
    unit_file_t f;
    const rb_code_t rc = unit_file_read(&f, tried, err);

    for (size_t i = 0; rc == RB_OK && i < f.n; i++) {
        unit_pairs_t *p = unit_pairs_create(0.95);
        const char *why = unit_pairs_add(p, &f.list[i], &f.list[i]);
        RB_INVARIANT((why == NULL) == (unit_pairs_launches(p) == 1), "no pair, and no reason");
        if (why == NULL) {
            const change_t c = unit_pairs_change(p, &cycles, &cycles, CHANGE_RELATIVE);
            RB_INVARIANT(!(fabs(c.change) > 1e-6), "a change of %g", c.change);
        }
        unit_pairs_free(p);
    }
    unit_file_free(&f);
    return rc;
}

static const struct {
    const char *name;
    rb_code_t (*try)(rb_err_t *err);
} files[] = {{"run.json", try_run},
             {"intervals.csv", try_intervals},
             {"stats.csv", try_stats},
             {"detectors.json", try_detectors},
             {"evaluation.json", try_evaluation},
             {"hardware.csv", try_hardware},
             {"jobs.tsv", try_jobs},
             {"units.txt", try_units}};
enum { FILES = sizeof(files) / sizeof(files[0]) };

rb_code_t results_trial(const void *data, size_t n)
{
    rb_err_t err = {0};
    char name[64];
    size_t rest = n, i = 0;
    const char *text = content(data, &rest);

    write_good_files();
    while (i < FILES && (n - rest != strlen(files[i].name) + 1 ||
                         memcmp(data, files[i].name, strlen(files[i].name)) != 0))
        i++;
    if (i == FILES)
        return RB_TRACE;
    snprintf(name, sizeof(name), "tried/%s", files[i].name);
    temp_write_bytes(name, text, rest);
    snprintf(tried, sizeof(tried), "%s", temp_path(name));
    rb_code_t rc = files[i].try(&err);
    RB_INVARIANT(rc == err.code && (rc == RB_OK) == (err.text[0] == '\0'), "error %d '%s'", (int)rc,
                 err.text);
    return rc;
}
