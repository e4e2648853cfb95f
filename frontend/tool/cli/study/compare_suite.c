#include "frontend/tool/cli/study/compare_suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/tool/io/csv_writer.h"
#include "frontend/tool/io/out_file.h"
#include "frontend/tool/io/text_format.h"

enum { CELL = 11 };

/* What is printed. */
typedef struct {
    const hardware_table_t *table;
    const matrix_t *m;
    const suite_hardware_t *s; /* per column */
    size_t counter;
    bool share;
    int width; /* of names */
} suite_view_t;

static void print_head(const suite_view_t *v)
{
    char title[FORMAT_MAX] = "error";
    printf("\n%s\n", v->s[0].comparison.counters[v->counter].label);
    for (size_t i = 0; i < v->m->n_columns; i++)
        printf("  %2zu  %s\n", i + 1, v->m->columns[i].label);
    printf("\n%-*s %*s", v->width, "program", CELL + 1, "measured");
    if (v->m->n_columns == 1)
        printf(" %*s", CELL + 1, "simulated");
    for (size_t i = 0; i < v->m->n_columns; i++) {
        if (v->m->n_columns > 1)
            snprintf(title, sizeof(title), "%zu", i + 1);
        printf(" %*s", CELL, title);
    }
    printf("\n");
}

static void print_program(const suite_view_t *v, size_t program)
{
    char text[FORMAT_MAX];
    double measured, simulated;
    bool any = false;
    for (size_t i = 0; i < v->m->n_columns; i++) {
        const bool found =
            suite_hardware_value(&v->s[i], v->counter, program, &measured, &simulated);
        if (found && !any) {
            printf("%-*s %*s", v->width, v->m->programs[program].label, CELL + 1,
                   format_number(text, measured));
            for (size_t k = 0; k < i; k++)
                printf(" %*s", CELL, "-");
            if (v->m->n_columns == 1)
                printf(" %*s", CELL + 1, format_number(text, simulated));
        }
        any = any || found;
        if (any)
            printf(" %*s", CELL,
                   found
                       ? format_error(text, hardware_relative_error(measured, simulated, v->share),
                                      v->share, true)
                       : "-");
    }
    fputs(any ? "\n" : "", stdout);
}

/* The rows below the programs. */
typedef enum { MEAN, MEDIAN, BIAS, R, LOG_R, PROGRAMS, ROWS } row_t;
static const char *const row_titles[ROWS] = {
    "mean |error|", "median |error|", "mean error (bias)", "r", "r of logarithms", "programs"};

static void print_cell(const suite_view_t *v, const hardware_score_t *s, row_t row)
{
    const double errors[] = {s->error, s->median, s->bias}, r = row == R ? s->r : s->log_r;
    char text[FORMAT_MAX] = "-";
    if (row <= BIAS)
        format_error(text, errors[row], v->share, row == BIAS);
    else if (row == PROGRAMS)
        snprintf(text, sizeof(text), "%zu", s->n);
    else if (isfinite(r))
        snprintf(text, sizeof(text), "%.3f", r);
    printf(" %*s", CELL, text);
}

static void print_scores(const suite_view_t *v)
{
    const matrix_t *m = v->m;
    size_t worst;
    char text[FORMAT_MAX];
    printf("\n");
    for (row_t row = 0; row < ROWS; row++) {
        printf("%-*s %*s", v->width, row_titles[row], CELL + 1, "");
        if (m->n_columns == 1)
            printf(" %*s", CELL + 1, "");
        for (size_t i = 0; i < m->n_columns; i++) {
            const hardware_score_t score = suite_hardware_score(&v->s[i], m, v->counter, &worst);
            print_cell(v, &score, row);
        }
        printf("\n");
    }
    for (size_t i = 0; i < m->n_columns; i++) {
        double measured, simulated;
        if (suite_hardware_score(&v->s[i], m, v->counter, &worst).n == 0 ||
            !suite_hardware_value(&v->s[i], v->counter, worst, &measured, &simulated))
            continue;
        printf("%sworst of %s: %s, %s\n", i == 0 ? "\n" : "", m->columns[i].label,
               m->programs[worst].label,
               format_error(text, hardware_relative_error(measured, simulated, v->share), v->share,
                            true));
    }
}

/* Prints the names of programs that no column has a row for. */
static void print_unmatched(const suite_view_t *v)
{
    size_t matched = 0, shown = 0;
    for (size_t p = 0; p < v->m->n_programs; p++) {
        bool found = false;
        for (size_t i = 0; i < v->m->n_columns; i++)
            found = found || v->s[i].matched[p];
        matched += found;
    }
    printf("%s: %zu of %zu programs have rows", v->table->file, matched, v->m->n_programs);
    for (size_t p = 0; p < v->m->n_programs; p++) {
        bool found = false;
        for (size_t i = 0; i < v->m->n_columns; i++)
            found = found || v->s[i].matched[p];
        if (!found)
            printf("%s%s", shown++ == 0 ? "; without a row: " : ", ", v->m->programs[p].name);
    }
    printf("\n");
}

/* The other counters of the table, of the first column. */
static void print_others(const suite_view_t *v)
{
    const hardware_comparison_t *c = &v->s[0].comparison;
    char error[FORMAT_MAX], median[FORMAT_MAX], bias[FORMAT_MAX], r[FORMAT_MAX];
    bool first = true;
    for (size_t i = 0; i < c->n_counters; i++) {
        const hardware_counter_t *k = &c->counters[i];
        size_t worst;
        if (k->n_pairs == 0)
            continue;
        if (first)
            printf("\n%-44s %8s %10s %10s %10s %7s\n", v->m->columns[0].label, "programs", "mean",
                   "median", "bias", "r");
        first = false;
        const hardware_score_t s = suite_hardware_score(&v->s[0], v->m, i, &worst);
        snprintf(r, sizeof(r), isfinite(s.r) ? "%.3f" : "-", s.r);
        printf("%-44.44s %8zu %10s %10s %10s %7s\n", k->label, s.n,
               format_error(error, s.error, k->share, false),
               format_error(median, s.median, k->share, false),
               format_error(bias, s.bias, k->share, true), r);
    }
    if (c->n_unknown > 0)
        printf("\n%zu columns of the table have no matching statistic\n", c->n_unknown);
}

static int label_width(const matrix_t *m)
{
    size_t width = strlen(row_titles[BIAS]);
    for (size_t i = 0; i < m->n_programs; i++) {
        const size_t n = strlen(m->programs[i].label);
        width = n > width ? n : width;
    }
    return (int)width;
}

void compare_write_head(bool suite, FILE *out)
{
    static const char *const head[] = {"counter", "statistic", "kernel",
                                       "launch",  "measured",  "simulated",
                                       "error",   "program",   "configuration"};
    csv_t csv = {.out = out};
    for (size_t i = 0; i < sizeof(head) / sizeof(head[0]) - (suite ? 0 : 2); i++)
        csv_text(&csv, head[i]);
    csv_end_row(&csv);
}

void compare_write_pairs(const hardware_comparison_t *c, const matrix_t *programs,
                         const char *configuration, FILE *out)
{
    csv_t csv = {.out = out};
    for (size_t i = 0; i < c->n_counters; i++) {
        const hardware_counter_t *k = &c->counters[i];
        for (size_t p = 0; p < k->n_pairs; p++) {
            const hardware_pair_t *pair = &k->pairs[p];
            csv_text(&csv, k->measured);
            csv_text(&csv, k->simulated);
            csv_text(&csv, pair->kernel);
            if (pair->launch > 0)
                csv_u64(&csv, pair->launch);
            else
                csv_text(&csv, NULL);
            csv_f64(&csv, pair->measured);
            csv_f64(&csv, pair->simulated);
            csv_f64(&csv, hardware_error(k, pair));
            if (programs != NULL) {
                csv_text(&csv, programs->programs[pair->run].name);
                csv_text(&csv, configuration);
            }
            csv_end_row(&csv);
        }
    }
}

static rb_code_t save(const suite_view_t *v, const char *path, rb_err_t *err)
{
    out_file_t f;
    RB_TRY(out_file_open_path(&f, path, err));
    compare_write_head(true, f.out);
    for (size_t i = 0; i < v->m->n_columns; i++)
        compare_write_pairs(&v->s[i].comparison, v->m, v->m->columns[i].label, f.out);
    return out_file_close(&f, RB_OK, err);
}

static void print_all(const suite_view_t *v)
{
    print_unmatched(v);
    print_head(v);
    for (size_t p = 0; p < v->m->n_programs; p++)
        print_program(v, p);
    print_scores(v);
    print_others(v);
}

rb_code_t compare_suite(const hardware_table_t *t, char *const *folders, size_t n,
                        const compare_suite_options_t *o, const char *pairs, rb_err_t *err)
{
    matrix_t m = {0};
    suite_hardware_t *s = NULL;
    suite_view_t v = {.table = t, .m = &m};
    rb_code_t rc = matrix_open(&m, folders, n, &o->choice, err);
    if (rc == RB_OK)
        rc = suite_hardware(&s, t, &m, err);
    if (rc == RB_OK)
        rc = suite_hardware_counter(s, &m, o->stat, &v.counter, err);
    if (rc == RB_OK) {
        v.s = s;
        v.share = s[0].comparison.counters[v.counter].share;
        v.width = label_width(&m);
        rc = pairs != NULL ? save(&v, pairs, err) : RB_OK;
    }
    if (rc == RB_OK)
        print_all(&v);
    suite_hardware_free(s, &m);
    matrix_close(&m);
    return rc;
}
