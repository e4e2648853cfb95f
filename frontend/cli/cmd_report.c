/* rubato report: a page about a sweep. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/cli/out_file.h"
#include "frontend/cli/sweep_results.h"
#include "frontend/cli/text_format.h"
#include "frontend/report/html_page.h"
#include "frontend/report/line_chart.h"
#include "sim/core/alloc.h"

enum { PLACES_MAX = 256, SERIES_MAX = 512 };

/* The jobs of a trace over the values of one column; the other columns tell the series apart. */
typedef struct {
    const sweep_t *sweep;
    const sweep_result_t *results;
    size_t first, end; /* jobs of the trace */
    size_t column;
    const char *places[PLACES_MAX]; /* values of the column, in order of first mention */
    size_t n_places;
    line_series_t series[SERIES_MAX];
    char *names[SERIES_MAX]; /* owned */
    double *values[SERIES_MAX];
    size_t n_series;
    bool *names_column; /* owned: columns that tell the series apart */
} view_t;

/* Index of the value of a job's column; PLACES_MAX: there is no room for it. */
static size_t place_of(view_t *v, size_t job)
{
    const char *value = v->sweep->jobs[job].fields[v->column];
    size_t i = 0;
    if (value[0] == '\0')
        value = "as it is";
    while (i < v->n_places && strcmp(v->places[i], value) != 0)
        i++;
    if (i == v->n_places && i < PLACES_MAX)
        v->places[v->n_places++] = value;
    return i;
}

/* Whether the jobs of the view differ in a column. */
static bool varies(const view_t *v, size_t column)
{
    const sweep_job_t *jobs = v->sweep->jobs;
    for (size_t i = v->first + 1; i < v->end; i++) {
        if (strcmp(jobs[i].fields[column], jobs[v->first].fields[column]) != 0)
            return true;
    }
    return false;
}

/* What a job has in the other columns that vary: the name of its series; to be freed. */
static char *series_name(const view_t *v, size_t job)
{
    const sweep_t *s = v->sweep;
    char *text = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&text, &n);
    RB_INVARIANT(out != NULL, "no memory stream");
    for (size_t i = SWEEP_GPU; i < s->n_columns; i++) {
        const char *value = s->jobs[job].fields[i];
        if (!v->names_column[i] || value[0] == '\0')
            continue;
        if (i == SWEEP_GPU)
            fputs(value, out);
        else
            fprintf(out, "%s%s %s", ftell(out) > 0 ? ", " : "", s->columns[i], value);
    }
    if (ftell(out) == 0)
        fputs("cycles", out);
    fclose(out);
    return text;
}

static size_t series_of(view_t *v, size_t job)
{
    char *name = series_name(v, job);
    size_t i = 0;
    while (i < v->n_series && strcmp(v->names[i], name) != 0)
        i++;
    if (i < v->n_series || i == SERIES_MAX) {
        free(name);
        return i;
    }
    v->names[i] = name;
    v->values[i] = rb_calloc(PLACES_MAX, sizeof(double));
    for (size_t k = 0; k < PLACES_MAX; k++)
        v->values[i][k] = (double)NAN;
    v->series[i] = (line_series_t){.name = name, .y = v->values[i]};
    v->n_series++;
    return i;
}

/* A chart of one column, unless it has one value only. */
static void write_view(view_t *v, FILE *out)
{
    const sweep_t *s = v->sweep;
    v->names_column = rb_calloc(s->n_columns, sizeof(bool));
    for (size_t i = SWEEP_GPU; i < s->n_columns; i++)
        v->names_column[i] = i != v->column && varies(v, i);
    for (size_t i = v->first; i < v->end; i++) {
        size_t place = place_of(v, i), series = series_of(v, i);
        if (place < PLACES_MAX && series < SERIES_MAX)
            v->values[series][place] = v->results[i].value[RESULT_cycles];
    }
    char title[256];
    snprintf(title, sizeof(title), "%.100s: cycles against %.100s",
             s->jobs[v->first].fields[SWEEP_TRACE], s->columns[v->column]);
    if (v->n_places > 1)
        line_chart_write(out, &(line_chart_t){
                                  .title = title,
                                  .x_label = s->columns[v->column],
                                  .y_label = "cycles",
                                  .places = v->places,
                                  .n_places = v->n_places,
                                  .series = v->series,
                                  .n_series = v->n_series,
                              });
    for (size_t i = 0; i < v->n_series; i++) {
        free(v->names[i]);
        free(v->values[i]);
    }
    free(v->names_column);
}

static void write_charts(const sweep_t *s, const sweep_result_t *results, FILE *out)
{
    for (size_t first = 0, end; first < s->n_jobs; first = end) {
        end = first;
        while (end < s->n_jobs && results[end].baseline == results[first].baseline)
            end++;
        html_heading(out, s->jobs[first].fields[SWEEP_TRACE]);
        for (size_t column = SWEEP_GPU; column < s->n_columns; column++) {
            view_t *v = rb_calloc(1, sizeof(*v));
            v->sweep = s;
            v->results = results;
            v->first = first;
            v->end = end;
            v->column = column;
            write_view(v, out);
            free(v);
        }
    }
}

/* A number for people, and the same for sorting. */
static void write_number(FILE *out, const char *text, double value)
{
    char key[40] = "";
    if (isfinite(value))
        snprintf(key, sizeof(key), "%.10g", value);
    html_cell(out, isfinite(value) ? text : "", key);
}

static void write_job(const sweep_t *s, size_t i, const sweep_result_t *r, FILE *out)
{
    char text[FORMAT_MAX], change[FORMAT_MAX];
    const double *v = r->value;
    html_row_begin(out);
    for (size_t k = 0; k < s->n_columns; k++)
        html_cell(out, s->jobs[i].fields[k], NULL);
    html_cell(out, sweep_state_names[s->jobs[i].state], NULL);
    write_number(out,
                 isfinite(v[RESULT_cycles]) ? format_grouped(text, (uint64_t)v[RESULT_cycles]) : "",
                 v[RESULT_cycles]);
    html_cell(out, v[RESULT_estimated] > 0.0 ? "estimated" : "", NULL);
    snprintf(change, sizeof(change), "%+.1f %%", 100.0 * (r->relative - 1.0));
    write_number(out, change, r->relative);
    snprintf(text, sizeof(text), "%.3f", v[RESULT_ipc]);
    write_number(out, text, v[RESULT_ipc]);
    write_number(out, format_share(text, v[RESULT_l2_hit_rate]), v[RESULT_l2_hit_rate]);
    write_number(out, format_share(text, v[RESULT_dram_utilization]), v[RESULT_dram_utilization]);
    html_row_end(out);
}

static void write_table(const sweep_t *s, const sweep_result_t *results, FILE *out)
{
    static const char *const more[] = {"state", "cycles",  "how", "change",
                                       "ipc",   "L2 hits", "DRAM"};
    enum { MORE = sizeof(more) / sizeof(more[0]) };
    const char **headings = rb_calloc(s->n_columns + MORE, sizeof(*headings));
    for (size_t i = 0; i < s->n_columns; i++)
        headings[i] = s->columns[i];
    for (size_t i = 0; i < MORE; i++)
        headings[s->n_columns + i] = more[i];
    html_heading(out, "All jobs");
    html_paragraph(out, "change: cycles against the first job of the trace. A click on a heading "
                        "sorts.");
    html_table_begin(out, headings, s->n_columns + MORE);
    for (size_t i = 0; i < s->n_jobs; i++)
        write_job(s, i, &results[i], out);
    html_table_end(out);
    free(headings);
}

static void write_page(const sweep_t *s, const sweep_result_t *results, FILE *out)
{
    size_t count[SWEEP_STATES];
    char text[128];
    sweep_count(s, count);
    snprintf(text, sizeof(text), "%zu jobs, %zu of them done.", s->n_jobs, count[SWEEP_DONE]);
    html_begin(out, s->folder);
    html_paragraph(out, text);
    write_charts(s, results, out);
    write_table(s, results, out);
    html_end(out);
}

static rb_code_t write_report(const char *folder, const char *output, rb_err_t *err)
{
    sweep_t s = {.lock = -1};
    sweep_result_t *results = NULL;
    out_file_t f = {0};
    rb_code_t rc = sweep_open(&s, folder, err);
    if (rc == RB_OK) {
        sweep_look(&s);
        rc = sweep_read_results(&s, &results, err);
    }
    if (rc == RB_OK)
        rc = output != NULL ? out_file_open_path(&f, output, err)
                            : out_file_open(&f, folder, "report.html", err);
    if (rc == RB_OK) {
        write_page(&s, results, f.out);
        rc = out_file_finish(&f, err);
    }
    if (rc == RB_OK)
        rc = out_file_commit(&f, err);
    out_file_abandon(&f);
    free(results);
    sweep_free(&s);
    return rc;
}

static rb_code_t report(int argc, char **argv, rb_err_t *err)
{
    const char *output = NULL;
    cli_parser_t p;
    const cli_command_t *command = cli_find_command("report");
    cli_parser_init(&p, command, argc, argv);
    for (;;) {
        cli_option_id_t id;
        RB_TRY(cli_parser_next(&p, &id, err));
        if (id == CLI_END)
            break;
        if (id == CLI_HELP) {
            cli_print_help(command, stdout);
            return cli_flush_stdout(err);
        }
        output = p.value;
    }
    RB_TRY(cli_check_operands(&p, 1, 1, err));
    return write_report(p.operands[0], output, err);
}

int cmd_report(int argc, char **argv)
{
    rb_err_t err = {0};
    return report(argc, argv, &err) == RB_OK ? 0 : cli_report(&err);
}
