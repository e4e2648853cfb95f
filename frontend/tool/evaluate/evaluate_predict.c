#include "frontend/tool/evaluate/evaluate_predict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "frontend/tool/io/csv_writer.h"
#include "frontend/tool/io/out_file.h"
#include "frontend/tool/io/text_format.h"
#include "frontend/tool/library/library_client.h"
#include "frontend/tool/report/run_data.h"
#include "frontend/tool/study/sweep/sweep.h"
#include "sampling/math/rank.h"
#include "sampling/predict/predict.h"
#include "sim/core/alloc.h"
#include "sim/core/host_time.h"

/* Points that are nearer than that need not be ordered. */
#define DIFFERENT 0.01

enum { LEVELS = 2 };
enum { PATH_CYCLES, PATH_SECONDS, PATHS };
static const char *const paths[PATHS] = {"cycles", "host.cpu_seconds"};

/* A run of the folder. */
typedef struct {
    run_data_t data;
    char *label;            /* owned */
    rubato_config *config;  /* owned */
    double *of[LEVELS];     /* owned; predicted cycles of each launch of the run; NULL: no index */
    double seconds[LEVELS]; /* processor time of the predictions of its trace at all its points */
} scored_run_t;

typedef struct {
    scored_run_t *run; /* owned */
    size_t n, cap;
} scores_t;

static double simulated(const scored_run_t *r, size_t launch)
{
    return r->data.launches[launch].values[PATH_CYCLES];
}

/* --- reading ---------------------------------------------------------------------------------- */

static rb_code_t add_run(scores_t *s, const char *folder, const char *label, rb_err_t *err)
{
    rb_grow(&s->run, &s->cap, s->n + 1, sizeof(*s->run));
    scored_run_t *r = &s->run[s->n++];
    *r = (scored_run_t){.label = rb_strdup(label)};
    RB_TRY(run_data_read(&r->data, folder, paths, PATHS, err));
    char *config = out_path(folder, "config.cfg");
    r->config = library_config_open(config, NULL, 0, err);
    free(config);
    return r->config != NULL ? RB_OK : err->code;
}

/* Drops the last run if it is not one of all launches. */
static void drop_sampled(scores_t *s)
{
    scored_run_t *r = &s->run[s->n - 1];
    if (r->data.complete && !r->data.estimated && r->data.trace != NULL &&
        r->data.trace_launches == r->data.n_launches)
        return;
    run_data_free(&r->data);
    rubato_config_destroy(r->config);
    free(r->label);
    s->n--;
}

static rb_code_t add_sweep(scores_t *s, const char *folder, rb_err_t *err)
{
    sweep_t sweep = {.lock = -1};
    rb_code_t rc = sweep_open(&sweep, folder, err);
    if (rc == RB_OK)
        rc = sweep_look(&sweep, err);
    for (size_t i = 0; i < sweep.n_jobs && rc == RB_OK; i++) {
        if (sweep.jobs[i].state != SWEEP_DONE || sweep_is_part(&sweep, i))
            continue;
        rc = add_run(s, sweep.jobs[i].folder, sweep.jobs[i].label, err);
        if (rc == RB_OK)
            drop_sampled(s);
    }
    sweep_free(&sweep);
    return rc;
}

static rb_code_t read_runs(scores_t *s, const char *folder, rb_err_t *err)
{
    char *jobs = out_path(folder, "jobs.tsv");
    const bool is_sweep = access(jobs, F_OK) == 0;
    free(jobs);
    if (is_sweep) {
        RB_TRY(add_sweep(s, folder, err));
    } else {
        RB_TRY(add_run(s, folder, folder, err));
        drop_sampled(s);
    }
    return s->n > 0
               ? RB_OK
               : rb_fail(err, RB_USAGE,
                         "%s: no complete run of all launches, with which predictions could be "
                         "compared",
                         folder);
}

/* --- predicting ------------------------------------------------------------------------------- */

static bool same_trace(const scored_run_t *a, const scored_run_t *b)
{
    return strcmp(a->data.trace, b->data.trace) == 0;
}

/* Predicts the trace of n runs on the configurations of all of them. */
static rb_code_t predict_runs(scored_run_t *run, size_t n, trace_source_t *source, unsigned level,
                              rb_err_t *err)
{
    const double begin = clock_cpu_seconds();
    const gpu_spec_t **spec = rb_calloc(n, sizeof(*spec));
    predicted_t *out = rb_calloc(n, sizeof(*out));
    rb_code_t rc = RB_OK;
    for (size_t i = 0; i < n; i++) {
        spec[i] = library_config_spec(run[i].config);
        run[i].of[level] = rb_calloc(run[i].data.n_launches, sizeof(*run[i].of[level]));
    }
    predictor_t *p = predictor_create(spec, n, level);
    for (size_t k = 0; k < run[0].data.n_launches && rc == RB_OK; k++) {
        rc = predictor_launch(p, source, run[0].data.launches[k].id, out, err);
        for (size_t i = 0; i < n && rc == RB_OK; i++)
            run[i].of[level][k] = out[i].cycles;
    }
    predictor_destroy(p);
    free(spec);
    free(out);
    for (size_t i = 0; i < n; i++)
        run[i].seconds[level] = clock_cpu_seconds() - begin;
    return rc;
}

static rb_code_t predict_all(scores_t *s, const char *tmpdir, rb_err_t *err)
{
    for (size_t i = 0, end; i < s->n; i = end) {
        for (end = i + 1; end < s->n && same_trace(&s->run[i], &s->run[end]);)
            end++;
        rubato_trace *trace = library_trace_open(s->run[i].data.trace, tmpdir, err);
        if (trace == NULL)
            return err->code;
        trace_source_t *source = library_trace_source(trace);
        rb_code_t rc = RB_OK;
        for (unsigned level = 0; level < LEVELS && rc == RB_OK; level++)
            if (level > 0 || source->ops->warp_profile != NULL)
                rc = predict_runs(&s->run[i], end - i, source, level, err);
        rubato_trace_destroy(trace);
        RB_TRY(rc);
    }
    return RB_OK;
}

/* --- scoring ---------------------------------------------------------------------------------- */

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double total(const double *x, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i];
    return sum;
}

/* Prints a line about n numbers beside n simulated ones. */
static void print_errors(const char *what, const double *predicted, const double *truth, size_t n)
{
    double *error = rb_calloc(n, sizeof(*error));
    char median[FORMAT_MAX], high[FORMAT_MAX], rank[FORMAT_MAX];
    for (size_t i = 0; i < n; i++)
        error[i] = fabs(predicted[i] / truth[i] - 1);
    qsort(error, n, sizeof(*error), by_size);
    printf("  %-9s %8zu %12s %12s %12s\n", what, n,
           format_error(median, error[n / 2], false, false),
           format_error(high, error[(n * 9) / 10], false, false),
           format_number(rank, rank_correlation(predicted, truth, n)));
    free(error);
}

/* Pairs of points that differ by more than DIFFERENT, and those that the prediction puts in this order. */
typedef struct {
    uint64_t n, alike;
} pairs_t;

static pairs_t count_pairs(const double *predicted, const double *truth, size_t n)
{
    pairs_t pairs = {0};
    for (size_t i = 0; i < n; i++)
        for (size_t k = i + 1; k < n; k++) {
            if (fabs(truth[i] / truth[k] - 1) <= DIFFERENT)
                continue;
            pairs.n++;
            pairs.alike += (truth[i] < truth[k]) == (predicted[i] < predicted[k]);
        }
    return pairs;
}

/* Rank correlations over the points of each trace: of all, and of those that have more different pairs than alike ones,
 * because the order of points that are alike says little. */
typedef struct {
    double sum, n, different_sum, different;
    pairs_t pairs;
} ranks_t;

static void rank_points(ranks_t *r, const double *predicted, const double *truth, size_t n)
{
    const pairs_t pairs = count_pairs(predicted, truth, n);
    const double rank = n > 2 ? rank_correlation(predicted, truth, n) : (double)NAN;
    r->pairs.n += pairs.n;
    r->pairs.alike += pairs.alike;
    if (isnan(rank))
        return;
    r->sum += rank;
    r->n++;
    if (pairs.n * 4 > n * (n - 1)) {
        r->different_sum += rank;
        r->different++;
    }
}

static void print_ranks(const ranks_t *r)
{
    if (r->n > 0)
        printf("  rank correlation over the points of a trace: %.3f (mean of %.0f)\n",
               r->sum / r->n, r->n);
    if (r->different > 0 && r->different < r->n)
        printf("  ... of which most pairs of points differ by more than %.0f %%: %.3f (mean of "
               "%.0f)\n",
               100 * DIFFERENT, r->different_sum / r->different, r->different);
    if (r->pairs.n > 0)
        printf("  points of a trace that differ by more than %.0f %%: %llu pairs, %.1f %% in the "
               "right order\n",
               100 * DIFFERENT, (unsigned long long)r->pairs.n,
               100 * (double)r->pairs.alike / (double)r->pairs.n);
}

/* All runs on one level. */
static void print_level(const scores_t *s, unsigned level)
{
    size_t launches = 0, n = 0;
    double full = 0, seconds = 0;
    for (size_t i = 0; i < s->n; i++)
        launches += s->run[i].of[level] != NULL ? s->run[i].data.n_launches : 0;
    if (launches == 0) {
        printf("level %u: the trace has no index\n", level);
        return;
    }
    double *x = rb_calloc(launches, sizeof(*x)), *y = rb_calloc(launches, sizeof(*y));
    double *px = rb_calloc(s->n, sizeof(*px)), *py = rb_calloc(s->n, sizeof(*py));
    ranks_t ranks = {0};
    size_t k = 0;
    for (size_t i = 0, first = 0; i < s->n; i++) {
        const scored_run_t *r = &s->run[i];
        if (r->of[level] == NULL)
            continue;
        if (i == 0 || !same_trace(r, &s->run[i - 1])) {
            seconds += r->seconds[level];
            first = n;
        }
        full += r->data.totals[PATH_SECONDS];
        for (size_t l = 0; l < r->data.n_launches; l++, k++) {
            x[k] = r->of[level][l];
            y[k] = simulated(r, l);
        }
        px[n] = total(r->of[level], r->data.n_launches);
        py[n] = total(y + k - r->data.n_launches, r->data.n_launches);
        n++;
        if (i + 1 == s->n || !same_trace(r, &s->run[i + 1]))
            rank_points(&ranks, px + first, py + first, n - first);
    }
    printf("level %u: %s %12s %12s %12s\n", level, "            n", "median error", "90 % below",
           "rank corr.");
    print_errors("launches", x, y, k);
    print_errors("runs", px, py, n);
    print_ranks(&ranks);
    if (seconds > 0)
        printf("  processor time: %.3g s, %.0f times less than the runs' %.3g s\n", seconds,
               full / seconds, full);
    free(x);
    free(y);
    free(px);
    free(py);
}

static void print_runs(const scores_t *s)
{
    enum { RUNS = 200 };
    printf("%14s %12s %12s  run\n", "simulated", "level 0", "level 1");
    for (size_t i = 0; i < s->n && i < RUNS; i++) {
        const scored_run_t *r = &s->run[i];
        char cycles[FORMAT_MAX], error[LEVELS][FORMAT_MAX];
        const double truth = r->data.totals[PATH_CYCLES];
        for (unsigned level = 0; level < LEVELS; level++)
            format_error(error[level],
                         r->of[level] != NULL ? total(r->of[level], r->data.n_launches) / truth - 1
                                              : (double)NAN,
                         false, true);
        printf("%14s %12s %12s  %s\n", format_grouped(cycles, (uint64_t)truth), error[0], error[1],
               r->label);
    }
    putchar('\n');
}

static rb_code_t write_csv(const scores_t *s, const char *path, rb_err_t *err)
{
    static const char *const heads[] = {
        "run", "launch", "kernel", "simulated_cycles", "predicted_level0", "predicted_level1"};
    out_file_t file;
    RB_TRY(out_file_open_path(&file, path, err));
    csv_t c = {.out = file.out};
    for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
        csv_text(&c, heads[i]);
    csv_end_row(&c);
    for (size_t i = 0; i < s->n; i++) {
        const scored_run_t *r = &s->run[i];
        for (size_t l = 0; l < r->data.n_launches; l++) {
            csv_text(&c, r->label);
            csv_u64(&c, r->data.launches[l].id);
            csv_text(&c, r->data.launches[l].name);
            csv_f64(&c, simulated(r, l));
            for (unsigned level = 0; level < LEVELS; level++)
                csv_f64(&c, r->of[level] != NULL ? r->of[level][l] : (double)NAN);
            csv_end_row(&c);
        }
    }
    return out_file_close(&file, RB_OK, err);
}

static void scores_free(scores_t *s)
{
    for (size_t i = 0; i < s->n; i++) {
        scored_run_t *r = &s->run[i];
        for (unsigned level = 0; level < LEVELS; level++)
            free(r->of[level]);
        run_data_free(&r->data);
        rubato_config_destroy(r->config);
        free(r->label);
    }
    free(s->run);
}

rb_code_t evaluate_predict(const char *folder, const char *csv, const char *tmpdir, rb_err_t *err)
{
    scores_t s = {0};
    rb_code_t rc = read_runs(&s, folder, err);
    if (rc == RB_OK)
        rc = predict_all(&s, tmpdir, err);
    if (rc == RB_OK && csv != NULL)
        rc = write_csv(&s, csv, err);
    if (rc == RB_OK) {
        print_runs(&s);
        for (unsigned level = 0; level < LEVELS; level++)
            print_level(&s, level);
        rc = out_flush_stdout(err);
    }
    scores_free(&s);
    return rc;
}
