/* Stacked bars: the warp states of each program in one configuration. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/tool/figure/figure.h"
#include "frontend/tool/library/metrics.h"
#include "sim/core/alloc.h"

enum { STATES_MAX = 7 }; /* shown by themselves; the rest is "other" */

typedef struct {
    char *path, *name; /* owned */
    double sum;        /* over the programs */
    size_t index;      /* in the values that were read */
} state_t;

/* Finds the statistics that are shares of warp states. */
static size_t find_states(state_t states[METRIC_COUNT])
{
    size_t n = 0;
    for (size_t i = 0; i < METRIC_COUNT; i++) {
        size_t length;
        const char *state = metric_state(metric_defs[i].name, &length);
        if (state == NULL)
            continue;
        states[n] = (state_t){.path = rb_format("metrics.%s", metric_defs[i].name),
                              .name = rb_format("%.*s", (int)length, state),
                              .index = n};
        n++;
    }
    return n;
}

static int by_sum(const void *a, const void *b)
{
    const state_t *x = a, *y = b;
    return (x->sum < y->sum) - (x->sum > y->sum);
}

/* Of a program in the column of the base. */
static double share(const figure_t *f, const double *values, size_t n, size_t base, size_t program,
                    size_t state)
{
    const double v = values[(program * f->m->n_columns + base) * n + state];
    return isfinite(v) ? v : 0.0;
}

static void write_data(const figure_t *f, state_t *states, size_t n, const double *values,
                       size_t base)
{
    const size_t shown = n < STATES_MAX ? n : STATES_MAX;
    csv_t csv = {.out = f->data};
    for (size_t k = 0; k < n; k++) {
        for (size_t i = 0; i < f->m->n_programs; i++)
            states[k].sum += share(f, values, n, base, i, states[k].index);
    }
    qsort(states, n, sizeof(*states), by_sum);
    csv_text(&csv, "program");
    for (size_t k = 0; k < shown; k++)
        figure_put(f, &csv, states[k].name);
    csv_text(&csv, "other");
    csv_end_row(&csv);
    for (size_t i = 0; i < f->m->n_programs; i++) {
        double other = 0.0;
        figure_put(f, &csv, f->m->programs[i].label);
        for (size_t k = 0; k < n; k++) {
            const double v = share(f, values, n, base, i, states[k].index);
            if (k < shown)
                figure_number(&csv, v);
            else
                other += v;
        }
        figure_number(&csv, other);
        csv_end_row(&csv);
    }
}

rb_code_t figure_stack(figure_t *f, rb_err_t *err)
{
    state_t states[METRIC_COUNT];
    const char *paths[METRIC_COUNT];
    const double height = 2.6, narrow_key = 0.4;
    double *values = NULL;
    size_t base, n = find_states(states);
    for (size_t i = 0; i < n; i++)
        paths[i] = states[i].path;
    rb_code_t rc = matrix_find_column(f->m, f->o->base, &base, err);
    if (rc == RB_OK)
        rc = matrix_read(f->m, paths, n, &values, err);
    if (rc == RB_OK) {
        write_data(f, states, n, values, base);
        f->height = height + (f->o->columns > 1 ? 0.0 : narrow_key);
        figure_begin(f);
        if (f->m->n_columns > 1)
            figure_title(f, f->m->columns[base].label);
        fprintf(f->script, "set ylabel 'share of warp cycles' textcolor rgb ink\nset yrange [0:1]\n"
                           "set style data histograms\nset style histogram rowstacked\n"
                           "set style fill solid 0.9 border rgb paper\nset boxwidth 0.8\n");
        figure_program_tics(f, f->m->n_programs);
        fprintf(f->script,
                "set key above horizontal left autotitle columnheader maxrows %u "
                "font ',7'\n"
                "plot for [i=2:%zu] data using i:xtic(1) linetype i-1\n",
                f->o->columns > 1 ? 2U : 4U, (n < STATES_MAX ? n : STATES_MAX) + 2);
    }
    for (size_t i = 0; i < n; i++) {
        free(states[i].path);
        free(states[i].name);
    }
    free(values);
    return rc;
}
