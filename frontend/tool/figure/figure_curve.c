/* Lines against the values of one axis: what a change of one size brings. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/tool/figure/figure_axes.h"
#include "sim/core/alloc.h"
#include "sim/core/files/memory_file.h"

enum { LINES_MAX = 8 };

typedef struct {
    figure_axis_t axis;
    matrix_values_t v;
    size_t *first; /* owned; for each combination of the other axes, its first column */
    size_t n;
    bool programs;  /* the other axes do not vary: a line per program, too */
    bool intervals; /* values have intervals: each is followed by its ends */
} curve_t;

static void find_lines(const figure_t *f, curve_t *c)
{
    c->first = rb_calloc(f->m->n_columns, sizeof(*c->first));
    for (size_t i = 0; i < f->m->n_columns; i++) {
        size_t k = 0;
        while (k < c->n && !figure_axis_same(f, c->first[k], i, &c->axis, NULL))
            k++;
        if (k == c->n)
            c->first[c->n++] = i;
    }
    c->programs = c->n == 1 && f->m->n_programs > 1 && f->m->n_programs <= LINES_MAX;
}

/* "sm.count=40": the other axes of a combination; the caller frees it. */
static char *title_of(const figure_t *f, const curve_t *c, size_t line)
{
    const sweep_t *s = &f->m->sweeps[0];
    memory_file_t text;
    FILE *out = memory_file_open(&text);
    for (size_t i = SWEEP_GPU; i < sweep_columns(s); i++) {
        bool varies = false;
        for (size_t k = 1; k < c->n; k++)
            varies = varies || strcmp(f->m->columns[c->first[k]].fields[i],
                                      f->m->columns[c->first[0]].fields[i]) != 0;
        if (!varies)
            continue;
        fputs(ftell(out) > 0 ? ", " : "", out);
        if (i != SWEEP_GPU)
            fprintf(out, "%s=", s->columns[i]);
        fputs(f->m->columns[c->first[line]].fields[i], out);
    }
    if (ftell(out) == 0)
        fputs("geomean", out);
    return memory_file_close(&text, NULL);
}

/* The column of a combination at a value of the axis; SIZE_MAX: none. */
static size_t column_at(const figure_t *f, const curve_t *c, size_t line, size_t value)
{
    for (size_t i = 0; i < f->m->n_columns; i++) {
        if (figure_axis_at(f, &c->axis, i) == value &&
            figure_axis_same(f, c->first[line], i, &c->axis, NULL))
            return i;
    }
    return SIZE_MAX;
}

/* A value, and its ends if values have any; an exact one is its own. */
static void put_value(csv_t *csv, const curve_t *c, double value, double low, double high)
{
    figure_number(csv, value);
    if (!c->intervals)
        return;
    figure_number(csv, isfinite(low) ? low : value);
    figure_number(csv, isfinite(high) ? high : value);
}

static void put_name(const figure_t *f, csv_t *csv, const curve_t *c, const char *name)
{
    figure_put(f, csv, name);
    if (c->intervals) {
        csv_text(csv, "low");
        csv_text(csv, "high");
    }
}

static void write_head(const figure_t *f, const curve_t *c)
{
    csv_t csv = {.out = f->data};
    csv_text(&csv, c->axis.title);
    for (size_t i = 0; i < c->n; i++) {
        char *title = title_of(f, c, i);
        put_name(f, &csv, c, title);
        free(title);
    }
    if (c->n == 1)
        csv_text(&csv, "spread");
    for (size_t i = 0; c->programs && i < f->m->n_programs; i++)
        put_name(f, &csv, c, f->m->programs[i].label);
    csv_end_row(&csv);
}

/* A row per value of the axis: means of each combination; with one, its spread and programs. */
static void write_data(const figure_t *f, const curve_t *c)
{
    const matrix_t *m = f->m;
    csv_t csv = {.out = f->data};
    write_head(f, c);
    for (size_t x = 0; x < c->axis.n; x++) {
        figure_put(f, &csv, c->axis.values[x][0] != '\0' ? c->axis.values[x] : "as it is");
        for (size_t i = 0; i < c->n; i++) {
            const size_t column = column_at(f, c, i, x);
            const matrix_mean_t mean = column != SIZE_MAX ? matrix_column_mean(m, &c->v, column)
                                                          : matrix_mean(c->v.shown, 0, 1);
            put_value(&csv, c, mean.mean, mean.low, mean.high);
            if (c->n == 1)
                figure_number(&csv, mean.deviation);
        }
        for (size_t i = 0; c->programs && i < m->n_programs; i++) {
            const size_t cell = i * m->n_columns + column_at(f, c, 0, x);
            put_value(&csv, c, c->v.shown[cell], c->v.low[cell], c->v.high[cell]);
        }
        csv_end_row(&csv);
    }
}

static void write_plot(const figure_t *f, const curve_t *c)
{
    FILE *out = f->script;
    if (c->intervals) {
        /* Behind the means of one combination is the column of their spread. */
        const size_t lines = c->programs ? f->m->n_programs + 1 : c->n;
        fprintf(out,
                "# Bars are 95 %% intervals of each value, or of the mean.\n"
                "at(i) = 3*i+2%s\n"
                "plot for [i=0:%zu] data using 0:at(i):at(i)+1:at(i)+2:xtic(1) title "
                "columnheader(at(i)) with yerrorlines linetype i+1\n",
                c->n == 1 ? "+(i > 0)" : "", lines - 1);
    } else if (c->n > 1) {
        fprintf(out,
                "# Each line is a geometric mean over the programs.\n"
                "plot for [i=2:%zu] data using 0:i:xtic(1) with linespoints linetype i-1\n",
                c->n + 1);
    } else if (c->programs) {
        fprintf(out,
                "# Column 2 is the geometric mean, column 3 its spread, the others are programs.\n"
                "plot for [i=4:%zu] data using 0:i:xtic(1) with linespoints linetype i-3, \\\n"
                "     data using 0:2 with lines lc rgb ink lw 3\n",
                f->m->n_programs + 3);
    } else {
        fprintf(out, "# The geometric mean of the programs; bars: its spread, a factor.\n"
                     "set key off\n"
                     "plot data using 0:2:($2/$3):($2*$3):xtic(1) with yerrorbars linetype 1, \\\n"
                     "     data using 0:2 with lines linetype 1\n");
    }
}

rb_code_t figure_curve(figure_t *f, rb_err_t *err)
{
    curve_t c = {0};
    rb_code_t rc = figure_axis(f, 0, &c.axis, err);
    if (rc == RB_OK)
        rc = figure_values(f, &c.v, err);
    if (rc == RB_OK) {
        find_lines(f, &c);
        c.intervals = matrix_has_intervals(f->m, &c.v);
        write_data(f, &c);
        figure_begin(f);
        figure_label(f, &c.v, "y");
        fprintf(f->script, "set xlabel ");
        figure_quote(f, c.axis.title);
        fprintf(f->script,
                " textcolor rgb ink\nset xrange [-0.3:%g]\nset offsets 0, 0, graph 0.05, 0\n"
                "set key above horizontal left autotitle columnheader\n",
                (double)c.axis.n - 0.7);
        write_plot(f, &c);
    }
    matrix_values_free(&c.v);
    free(c.axis.values);
    free(c.first);
    return rc;
}
