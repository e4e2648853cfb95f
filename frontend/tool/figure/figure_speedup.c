/* Bars of each program relative to the base, and their geometric mean. */
#include <math.h>
#include <string.h>

#include "frontend/tool/figure/figure.h"

/* Whether a column is drawn: the base, relative to itself, is 1 everywhere. */
static bool is_drawn(const figure_t *f, const matrix_values_t *v, size_t column)
{
    return v->form == MATRIX_value || column != v->base || f->m->n_columns == 1;
}

/* A bar: its value, and with intervals, its ends; an exact value is its own. */
static void put_bar(csv_t *csv, double value, double low, double high, bool intervals)
{
    figure_number(csv, value);
    if (!intervals)
        return;
    figure_number(csv, isfinite(low) ? low : value);
    figure_number(csv, isfinite(high) ? high : value);
}

/* A row per program, an empty one, and the means. */
static void write_data(const figure_t *f, const matrix_values_t *v)
{
    const bool intervals = matrix_has_intervals(f->m, v);
    const matrix_t *m = f->m;
    csv_t csv = {.out = f->data};
    csv_text(&csv, "program");
    for (size_t i = 0; i < m->n_columns; i++) {
        if (!is_drawn(f, v, i))
            continue;
        figure_put(f, &csv, m->columns[i].label);
        if (intervals) {
            csv_text(&csv, "low");
            csv_text(&csv, "high");
        }
    }
    csv_end_row(&csv);
    for (size_t row = 0; row < m->n_programs + 2; row++) {
        const bool gap = row == m->n_programs, mean = row > m->n_programs;
        figure_put(f, &csv, gap ? " " : mean ? "geomean" : m->programs[row].label);
        for (size_t i = 0; i < m->n_columns; i++) {
            if (!is_drawn(f, v, i))
                continue;
            const size_t cell = row * m->n_columns + i;
            const matrix_mean_t all = matrix_column_mean(m, v, i);
            if (gap)
                put_bar(&csv, (double)NAN, (double)NAN, (double)NAN, intervals);
            else if (mean)
                put_bar(&csv, all.mean, all.low, all.high, intervals);
            else
                put_bar(&csv, v->shown[cell], v->low[cell], v->high[cell], intervals);
        }
        csv_end_row(&csv);
    }
}

rb_code_t figure_speedup(figure_t *f, rb_err_t *err)
{
    matrix_values_t v;
    const double key_row = 0.12; /* inches */
    size_t drawn = 0, longest = 0;
    rb_code_t rc = figure_values(f, &v, err);
    if (rc == RB_OK) {
        for (size_t i = 0; i < f->m->n_columns; i++) {
            const size_t characters = strlen(f->m->columns[i].label);
            drawn += is_drawn(f, &v, i);
            if (is_drawn(f, &v, i) && characters > longest)
                longest = characters;
        }
        write_data(f, &v);
        const bool intervals = matrix_has_intervals(f->m, &v);
        const size_t rows = figure_key_rows(f, drawn, longest);
        f->height += key_row * ((double)rows - 1.0);
        figure_begin(f);
        figure_label(f, &v, "y");
        fprintf(f->script,
                "# One row per program; the last one is the geometric mean.\n"
                "set style data histograms\nset style histogram %s gap 1\n"
                "set style fill solid 0.9 noborder\nset boxwidth 0.9\n"
                "set yrange [0:*]\n"
                "set key above horizontal left autotitle columnheader maxrows %zu "
                "font ',6'\n",
                intervals ? "errorbars lw 0.75" : "clustered", rows);
        figure_program_tics(f, f->m->n_programs + 2);
        if (drawn == 1 && f->m->n_columns > 1)
            fprintf(f->script, "set key noautotitle\n");
        if (v.form != MATRIX_value)
            fprintf(f->script, "set arrow from graph 0, first 1 to graph 1, first 1 nohead "
                               "lc rgb ink lw 0.75 dt 2 front\n");
        if (intervals)
            fprintf(f->script,
                    "# Bars end at the 95 %% interval of each value, and of the mean.\n"
                    "plot for [i=0:%zu] data using 3*i+2:3*i+3:3*i+4:xtic(1) title "
                    "columnheader(3*i+2) linetype i+1\n",
                    drawn - 1);
        else
            fprintf(f->script, "plot for [i=2:%zu] data using i:xtic(1) linetype i-1\n", drawn + 1);
    }
    matrix_values_free(&v);
    return rc;
}
