/* Cells: the means of two axes, or programs and configurations. */
#include <math.h>
#include <stdlib.h>

#include "frontend/tool/figure/figure_axes.h"

typedef struct {
    bool axes; /* of two axes; otherwise of programs and columns */
    figure_axis_t x, y;
    matrix_values_t v;
    size_t rows, columns;
} heatmap_t;

/* The value of a cell. Axes that are not shown have the values of the base. */
static double cell(const figure_t *f, const heatmap_t *h, size_t row, size_t column)
{
    const matrix_t *m = f->m;
    if (!h->axes)
        return h->v.shown[row * m->n_columns + column];
    for (size_t i = 0; i < m->n_columns; i++) {
        if (figure_axis_at(f, &h->x, i) == column && figure_axis_at(f, &h->y, i) == row &&
            figure_axis_same(f, i, h->v.base, &h->x, &h->y))
            return matrix_mean(h->v.shown + i, m->n_programs, m->n_columns).mean;
    }
    return (double)NAN;
}

/* An axis' value may be empty: the setting is not changed there. */
static const char *shown(const char *value)
{
    return value[0] != '\0' ? value : "as it is";
}

/* The least and the largest value, and 1. */
typedef struct {
    double low, high;
} heat_range_t;

/* A matrix with a head per row and column. */
static heat_range_t write_data(const figure_t *f, const heatmap_t *h)
{
    csv_t csv = {.out = f->data};
    heat_range_t range = {1.0, 1.0};
    csv_text(&csv, h->axes ? h->y.title : "program");
    for (size_t i = 0; i < h->columns; i++)
        figure_put(f, &csv, h->axes ? shown(h->x.values[i]) : f->m->columns[i].label);
    csv_end_row(&csv);
    for (size_t row = 0; row < h->rows; row++) {
        figure_put(f, &csv, h->axes ? shown(h->y.values[row]) : f->m->programs[row].label);
        for (size_t i = 0; i < h->columns; i++) {
            const double v = cell(f, h, row, i);
            if (isfinite(v))
                figure_number(&csv, v);
            else
                csv_text(&csv, "NaN");
            range.low = fmin(range.low, v); /* NAN changes nothing */
            range.high = fmax(range.high, v);
        }
        csv_end_row(&csv);
    }
    return range;
}

/* A colour between white and blue (d to 1) or red (d to -1), as "#rrggbb". */
static const char *shade(char text[8], double d)
{
    static const int colours[][3] = {{0xb2, 0x18, 0x2b},
                                     {0xf4, 0xa5, 0x82},
                                     {0xf7, 0xf7, 0xf7},
                                     {0x92, 0xc5, 0xde},
                                     {0x21, 0x66, 0xac}};
    const double at = 2.0 * (fmax(-1.0, fmin(1.0, d)) + 1.0);
    const int k = at >= 3.0 ? 3 : (int)at;
    int c[3];
    for (int i = 0; i < 3; i++)
        c[i] = (int)lround(colours[k][i] + (at - k) * (colours[k + 1][i] - colours[k][i]));
    snprintf(text, 8, "#%02x%02x%02x", (unsigned)c[0] & 0xff, (unsigned)c[1] & 0xff,
             (unsigned)c[2] & 0xff);
    return text;
}

/* Colours by the logarithm of a value relative to 1, which is white: twice is as far as half. */
static void write_palette(FILE *out, heat_range_t range)
{
    enum { STEPS = 4 };
    const double least = log(1.05), low = log(range.low), high = fmax(log(range.high), low + least);
    const double far = fmax(least, fmax(-low, high));
    char colour[8];
    fprintf(out,
            "# White is 1: nothing changes.\nset logscale cb 2\nset cbrange [%.6g:%.6g]\n"
            "set palette defined (",
            exp(low), exp(high));
    for (int i = 0; i <= 2 * STEPS; i++) {
        const double at = i < STEPS ? low * (STEPS - i) / STEPS : high * (i - STEPS) / STEPS;
        fprintf(out, "%s%.4f '%s'", i > 0 ? ", " : "", at, shade(colour, at / far));
    }
    fprintf(out, ")\ndark(v) = abs(log(v)) > %.6g\n", 0.6 * far);
}

static void write_script(figure_t *f, const heatmap_t *h, heat_range_t range)
{
    const double row = 0.22, rest = 0.9;
    const char *const labels[] = {h->axes ? h->x.title : "", h->axes ? h->y.title : ""};
    f->height = fmax(f->height, rest + row * (double)h->rows);
    figure_begin(f);
    figure_label(f, &h->v, "cb");
    if (h->axes)
        figure_held(f, h->v.base, &h->x, &h->y);
    for (int i = 0; i < 2; i++) {
        fprintf(f->script, "set %clabel ", "xy"[i]);
        figure_quote(f, labels[i]);
        fprintf(f->script, " textcolor rgb ink\n");
    }
    fprintf(f->script,
            "unset key\nunset grid\nset border 0\nset tics scale 0\nset datafile missing 'NaN'\n"
            "set cbtics textcolor rgb ink\nset xrange [-0.5:%g]\nset yrange [%g:%g]\n",
            (double)h->columns - 0.5, h->axes ? -0.5 : (double)h->rows - 0.5,
            h->axes ? (double)h->rows - 0.5 : -0.5);
    if (!h->axes)
        fprintf(f->script, "set xtics rotate by 40 right\n");
    if (h->v.form == MATRIX_value)
        fprintf(f->script, "set palette defined (0 '#f7fbff', 1 '#08519c')\ndark(v) = 0\n");
    else
        write_palette(f->script, range);
    fprintf(f->script,
            "plot data matrix rowheaders columnheaders using 1:2:3 with image pixels, \\\n"
            "     data matrix rowheaders columnheaders "
            "using 1:2:(sprintf('%%.%s', $3)):(dark($3) ? 0xffffff : 0x1b1b1b) "
            "with labels textcolor rgb variable font ',7'\n",
            h->v.form == MATRIX_value ? "3g" : "2f");
}

rb_code_t figure_heatmap(figure_t *f, rb_err_t *err)
{
    heatmap_t h = {.axes = f->o->axes.n == 2 || figure_axis_count(f) >= 2,
                   .rows = f->m->n_programs,
                   .columns = f->m->n_columns};
    rb_code_t rc = figure_values(f, &h.v, err);
    if (rc == RB_OK && h.axes)
        rc = figure_axis(f, 0, &h.x, err);
    if (rc == RB_OK && h.axes)
        rc = figure_axis(f, 1, &h.y, err);
    if (rc == RB_OK && h.axes) {
        h.rows = h.y.n;
        h.columns = h.x.n;
    }
    if (rc == RB_OK)
        write_script(f, &h, write_data(f, &h));
    matrix_values_free(&h.v);
    free(h.x.values);
    free(h.y.values);
    return rc;
}
