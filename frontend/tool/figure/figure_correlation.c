/* Points: simulated against measured values of each program, with the errors in the key. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/tool/figure/figure.h"
#include "frontend/tool/figure/suite_hardware.h"
#include "sim/core/alloc.h"

typedef struct {
    const suite_hardware_t *s; /* per column */
    size_t counter;
    bool share;
} correlation_t;

/* A row per program: what was measured, and what each configuration says. */
static void write_data(const figure_t *f, const correlation_t *c)
{
    const matrix_t *m = f->m;
    csv_t csv = {.out = f->data};
    csv_text(&csv, "program");
    csv_text(&csv, "measured");
    for (size_t i = 0; i < m->n_columns; i++)
        figure_put(f, &csv, m->columns[i].label);
    csv_end_row(&csv);
    for (size_t p = 0; p < m->n_programs; p++) {
        double measured, simulated;
        size_t first = 0;
        while (first < m->n_columns &&
               !suite_hardware_value(&c->s[first], c->counter, p, &measured, &simulated))
            first++;
        if (first == m->n_columns)
            continue;
        figure_put(f, &csv, m->programs[p].label);
        figure_number(&csv, measured);
        for (size_t i = 0; i < m->n_columns; i++) {
            const bool known = suite_hardware_value(&c->s[i], c->counter, p, &measured, &simulated);
            figure_number(&csv, known ? simulated : (double)NAN);
        }
        csv_end_row(&csv);
    }
}

/* "l2.size=3MiB: 12.3 % (median 8.0 %), r 0.98": a configuration and its errors. Owned. */
static char *title_of(const figure_t *f, const correlation_t *c, size_t column)
{
    size_t worst;
    const hardware_score_t s = suite_hardware_score(&c->s[column], f->m, c->counter, &worst);
    const char *unit = c->share ? "pp" : "%";
    char *errors =
        rb_format("error %.1f %s (median %.1f %s)", 100.0 * s.error, unit, 100.0 * s.median, unit);
    char *r = isfinite(s.log_r) ? rb_format(", r(log) %.3f", s.log_r) : rb_strdup("");
    char *title = f->m->n_columns > 1
                      ? rb_format("%s: %s%s", f->m->columns[column].label, errors, r)
                      : rb_format("%s%s", errors, r);
    free(errors);
    free(r);
    return title;
}

static void write_title(const figure_t *f, const correlation_t *c, size_t column)
{
    char *title = title_of(f, c, column);
    figure_quote(f, title);
    free(title);
}

/* Characters of the longest title. */
static size_t longest_title(const figure_t *f, const correlation_t *c)
{
    size_t longest = 0;
    for (size_t i = 0; i < f->m->n_columns; i++) {
        char *title = title_of(f, c, i);
        longest = strlen(title) > longest ? strlen(title) : longest;
        free(title);
    }
    return longest;
}

static void write_script(figure_t *f, const correlation_t *c)
{
    const double square = 3.0, line = 0.13;
    const size_t labelled = 20;
    const hardware_counter_t *k = &c->s[0].comparison.counters[c->counter];
    FILE *out;
    f->height = square + line * (double)f->m->n_columns;
    figure_begin(f);
    out = f->script;
    fprintf(out, "set xlabel ");
    char *label = rb_format("measured: %s", k->label);
    figure_quote(f, label);
    free(label);
    fprintf(out,
            " textcolor rgb ink\nset ylabel 'simulated' textcolor rgb ink\n"
            "set grid xtics\nset key above left maxcols 1 font ',%.1f'\n",
            figure_key_font(f, longest_title(f, c)));
    if (!c->share)
        fprintf(out, "set logscale xy\nset format xy '%%.0s %%c'\n");
    fprintf(out,
            "# The same range on both axes.\n"
            "low = high = NaN\n"
            "do for [i=2:%zu] {\n    stats data using i skip 1 nooutput\n"
            "    if (!(low <= STATS_min)) {low = STATS_min}\n"
            "    if (!(high >= STATS_max)) {high = STATS_max}\n}\n"
            "set xrange [%s]\nset yrange [%s]\n"
            "plot x with lines lc rgb ink lw 0.75 dt 2 notitle",
            f->m->n_columns + 2, c->share ? "0:1" : "low/2:high*2",
            c->share ? "0:1" : "low/2:high*2");
    for (size_t i = 0; i < f->m->n_columns; i++) {
        fprintf(out, ", \\\n     data using 2:%zu skip 1 with points linetype %zu ps 0.7 title ",
                i + 3, i + 1);
        write_title(f, c, i);
    }
    if (f->m->n_columns == 1 && f->m->n_programs <= labelled)
        fprintf(out, ", \\\n     data using 2:3:1 skip 1 with labels left offset 0.5,-0.3 font "
                     "',6' textcolor rgb ink notitle");
    fputs("\n", out);
}

rb_code_t figure_correlation(figure_t *f, rb_err_t *err)
{
    hardware_table_t t;
    suite_hardware_t *s = NULL;
    correlation_t c = {0};
    rb_code_t rc = hardware_table_read(&t, f->o->hardware, err);
    if (rc == RB_OK)
        rc = suite_hardware(&s, &t, f->m, err);
    if (rc == RB_OK)
        rc = suite_hardware_counter(s, f->m, f->o->stat, &c.counter, err);
    if (rc == RB_OK) {
        c.s = s;
        c.share = s[0].comparison.counters[c.counter].share;
        write_data(f, &c);
        write_script(f, &c);
    }
    suite_hardware_free(s, f->m);
    hardware_table_free(&t);
    return rc;
}
