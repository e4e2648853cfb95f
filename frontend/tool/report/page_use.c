/* Utilisation of caches, issue slots and DRAM over time: part of the section of a run. */
#include <stdlib.h>
#include <string.h>

#include "frontend/input/profile/profile_number.h"
#include "frontend/input/profile/table_reader.h"
#include "frontend/tool/report/report_page.h"
#include "sim/core/alloc.h"

enum { USE_ISSUE, USE_L1, USE_L2_HITS, USE_L2, USE_DRAM, USES };
static const char *const use_names[USES] = {"issue slots used", "L1 hits of global loads",
                                            "L2 hits", "L2 data ports busy", "DRAM bandwidth used"};
static const char *const use_paths[USES] = {"metrics.issue_utilization",
                                            "metrics.global_load_hit_rate", "metrics.l2_hit_rate",
                                            "metrics.l2_utilization", "metrics.dram_utilization"};

typedef struct {
    double *time, *value[USES]; /* owned; time: end of the period of a point */
    size_t n, cap;
    size_t cap_value[USES];
} series_t;

static void series_free(series_t *s)
{
    free(s->time);
    for (size_t u = 0; u < USES; u++)
        free(s->value[u]);
}

static void series_add(series_t *s, double time, const double value[USES])
{
    rb_grow(&s->time, &s->cap, s->n + 1, sizeof(*s->time));
    for (size_t u = 0; u < USES; u++) {
        rb_grow(&s->value[u], &s->cap_value[u], s->n + 1, sizeof(*s->value[u]));
        s->value[u][s->n] = value[u];
    }
    s->time[s->n++] = time;
}

static void series_of_launches(series_t *s, const run_data_t *d, size_t n)
{
    size_t path[USES], start = run_data_path(d, "start_cycle"), cycles = run_data_path(d, "cycles");
    for (size_t u = 0; u < USES; u++)
        path[u] = run_data_path(d, use_paths[u]);
    for (size_t i = 0; i < n; i++) {
        const double *v = d->launches[i].values;
        double value[USES];
        for (size_t u = 0; u < USES; u++)
            value[u] = v[path[u]];
        series_add(s, v[start] + v[cycles], value);
    }
}

/* Columns read from intervals.csv. Hit rates are quotients of sums over merged rows. */
enum { IN_LAUNCH, IN_START, IN_END, IN_ISSUE, IN_L2_USE, IN_DRAM, IN_COUNTS };
enum {
    IN_L1_HITS = IN_COUNTS,
    IN_L1_ALL,
    IN_L2_HITS,
    IN_L2_ALL = IN_L2_HITS + 4,
    INS = IN_L2_ALL + 4
};
static const char *const in_names[INS] = {"launch",
                                          "start",
                                          "end",
                                          "metrics.issue_utilization",
                                          "metrics.l2_utilization",
                                          "metrics.dram_utilization",
                                          "sm.global_load_hits",
                                          "sm.global_load_sectors",
                                          "l2.read_hits",
                                          "l2.write_hits",
                                          "l2.atomic_hits",
                                          "l2.red_hits",
                                          "l2.read_sectors",
                                          "l2.write_sectors",
                                          "l2.atomic_sectors",
                                          "l2.red_sectors"};

typedef struct {
    uint32_t column[INS];
    double launch, to, cycles; /* of the rows merged so far */
    double sum[INS];           /* rates times cycles; counts */
    size_t merged, every, launch_at;
    size_t start; /* index in the run's paths */
} merge_t;

static bool find_columns(merge_t *m, const table_reader_t *r)
{
    for (size_t k = 0; k < INS; k++) {
        uint32_t i = 0;
        size_t n = strlen(in_names[k]);
        while (i < r->n_fields &&
               (r->fields[i].len != n || memcmp(r->fields[i].at, in_names[k], n) != 0))
            i++;
        if (i == r->n_fields)
            return false;
        m->column[k] = i;
    }
    return true;
}

static double sum_of_four(const double *v)
{
    return v[0] + v[1] + v[2] + v[3];
}

static void end_point(merge_t *m, const run_data_t *d, series_t *s)
{
    const double *sum = m->sum;
    if (m->merged == 0)
        return;
    while (m->launch_at < d->n_launches && (double)d->launches[m->launch_at].id < m->launch)
        m->launch_at++;
    if (m->launch_at < d->n_launches && (double)d->launches[m->launch_at].id == m->launch) {
        const double value[USES] = {sum[IN_ISSUE] / m->cycles, sum[IN_L1_HITS] / sum[IN_L1_ALL],
                                    sum_of_four(sum + IN_L2_HITS) / sum_of_four(sum + IN_L2_ALL),
                                    sum[IN_L2_USE] / m->cycles, sum[IN_DRAM] / m->cycles};
        series_add(s, d->launches[m->launch_at].values[m->start] + m->to, value);
    }
    memset(m->sum, 0, sizeof(m->sum));
    m->merged = 0;
    m->cycles = 0.0;
}

static rb_code_t take_interval(merge_t *m, const table_reader_t *r, const run_data_t *d,
                               series_t *s, rb_err_t *err)
{
    double v[INS];
    for (size_t k = 0; k < INS; k++) {
        const table_field_t *f = m->column[k] < r->n_fields ? &r->fields[m->column[k]] : NULL;
        v[k] = 0.0; /* empty field: there was nothing to measure */
        if (f == NULL || (f->len > 0 && !profile_number(f->at, f->len, &v[k])))
            return rb_fail(err, RB_TRACE, "%s:%llu: not a row of an intervals.csv", r->path,
                           (unsigned long long)r->line);
    }
    if (m->merged == m->every || (m->merged > 0 && v[IN_LAUNCH] != m->launch))
        end_point(m, d, s);
    double cycles = v[IN_END] - v[IN_START];
    m->launch = v[IN_LAUNCH];
    m->to = v[IN_END];
    m->cycles += cycles;
    for (size_t k = IN_ISSUE; k < INS; k++)
        m->sum[k] += k < IN_COUNTS ? v[k] * cycles : v[k];
    m->merged++;
    return RB_OK;
}

static rb_code_t read_intervals(table_reader_t *r, merge_t *m, const run_data_t *d, series_t *s,
                                rb_err_t *err)
{
    bool more;
    RB_TRY(table_reader_row(r, &more, err));
    if (!more || !find_columns(m, r))
        return rb_fail(err, RB_TRACE, "%s: not an intervals.csv of this version", r->path);
    RB_TRY(table_reader_row(r, &more, err));
    while (more) {
        RB_TRY(take_interval(m, r, d, s, err));
        RB_TRY(table_reader_row(r, &more, err));
    }
    end_point(m, d, s);
    return RB_OK;
}

/* every: number of rows merged into one point. */
static rb_code_t series_of_intervals(series_t *s, const run_data_t *d, const char *path,
                                     size_t every, rb_err_t *err)
{
    profile_input_t *in = NULL;
    table_reader_t r;
    merge_t m = {.every = every, .start = run_data_path(d, "start_cycle")};
    RB_TRY(profile_input_open(&in, path, err));
    table_reader_init(&r, in);
    rb_code_t rc = read_intervals(&r, &m, d, s, err);
    table_reader_free(&r);
    profile_input_close(in);
    return rc;
}

rb_code_t page_use(FILE *out, const run_data_t *d, const char *intervals, size_t n_launches,
                   rb_err_t *err)
{
    enum { POINTS_MAX = 10000 };
    char note[128] = "One point per launch.";
    series_t s = {0};
    rb_code_t rc = RB_OK;
    if (intervals == NULL) {
        series_of_launches(&s, d, n_launches);
    } else {
        rc = series_of_intervals(&s, d, intervals, 1, err);
        size_t every = (s.n + POINTS_MAX - 1) / POINTS_MAX;
        if (rc == RB_OK && every > 1) {
            series_free(&s);
            s = (series_t){0};
            rc = series_of_intervals(&s, d, intervals, every, err);
        }
        if (every > 1)
            snprintf(note, sizeof(note), "One point per %zu intervals of --stats-interval.", every);
        else
            snprintf(note, sizeof(note), "One point per interval of --stats-interval.");
    }
    page_key(out, "use");
    putc('{', out);
    page_text_member(out, "note", note);
    page_key(out, "time");
    page_numbers(out, s.time, s.n);
    fputs(",\"series\":[", out);
    for (size_t u = 0; u < USES; u++) {
        fputs(u > 0 ? ",{" : "{", out);
        page_text_member(out, "name", use_names[u]);
        page_key(out, "values");
        page_numbers(out, s.value[u], s.n);
        putc('}', out);
    }
    fputs("]},\n", out);
    series_free(&s);
    return rc;
}
