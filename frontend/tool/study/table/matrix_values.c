#include "frontend/tool/study/table/matrix_values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/tool/study/run_pair.h"
#include "sim/conf/suggest.h"
#include "sim/core/alloc.h"

#define FORM_WORD_(name) #name,
const char *const matrix_form_words[MATRIX_FORM_COUNT + 1] = {MATRIX_FORMS(FORM_WORD_) NULL};

rb_code_t matrix_read(const matrix_t *s, const char *const *paths, size_t n, double **values,
                      rb_err_t *err)
{
    const size_t cells = s->n_programs * s->n_columns;
    double *all = rb_calloc(cells * n + 1, sizeof(*all));
    *values = all;
    for (size_t i = 0; i < cells * n; i++)
        all[i] = (double)NAN;
    for (size_t i = 0; i < cells; i++) {
        const sweep_job_t *job = matrix_job(s, i / s->n_columns, i % s->n_columns);
        if (job != NULL && job->state == SWEEP_DONE)
            RB_TRY(stat_values_read(job->folder, paths, n, all + i * n, err));
    }
    return RB_OK;
}

/* The first finished job; NULL: none. */
static const sweep_job_t *first_done(const matrix_t *s)
{
    for (size_t i = 0; i < s->n_programs * s->n_columns; i++) {
        const sweep_job_t *job = matrix_job(s, i / s->n_columns, i % s->n_columns);
        if (job != NULL && job->state == SWEEP_DONE)
            return job;
    }
    return NULL;
}

/* The part of a path after its last dot. */
static const char *last_part(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot != NULL ? dot + 1 : path;
}

/* The row of a name, the whole path or its last part; NULL with the nearest in *like. */
static const stat_row_t *find_row(const stat_table_t *t, const char *name, suggest_t *like)
{
    const stat_row_t *found = stat_table_find(t, name, 0);
    suggest_begin(like, name);
    for (size_t i = 0; found == NULL && i < t->n; i++) {
        if (strcmp(last_part(t->rows[i].path), name) == 0)
            found = &t->rows[i];
        suggest_offer(like, last_part(t->rows[i].path));
        suggest_offer(like, t->rows[i].path);
    }
    return found;
}

rb_code_t matrix_find_stat(const matrix_t *s, const char *name, char **path, char **unit,
                           rb_err_t *err)
{
    const sweep_job_t *job = first_done(s);
    stat_table_t t;
    suggest_t like;
    *path = *unit = NULL;
    if (job == NULL)
        return rb_fail(err, RB_USAGE, "%s: no job is done", s->sweeps[0].folder);
    RB_TRY(stat_table_read(&t, job->folder, err));
    const stat_row_t *row = find_row(&t, name, &like);
    rb_code_t rc = RB_OK;
    if (row != NULL) {
        *path = rb_strdup(row->path);
        *unit = rb_strdup(row->unit);
    } else if (like.best != NULL) {
        rc = rb_fail(err, RB_USAGE, "there is no statistic '%.100s'; did you mean '%s'?", name,
                     like.best);
    } else {
        rc = rb_fail(err, RB_USAGE,
                     "there is no statistic '%.100s'; 'rubato stats explain' lists them", name);
    }
    stat_table_free(&t);
    return rc;
}

static double shown(matrix_form_t form, double value, double base)
{
    return form == MATRIX_value ? value : form == MATRIX_ratio ? value / base : base / value;
}

/* A value that has an interval of its own. */
static rb_code_t own_interval(matrix_values_t *v, const char *folder, size_t cell, rb_err_t *err)
{
    char *low = rb_format("%s:low", v->path), *high = rb_format("%s:high", v->path);
    double ends[2];
    const rb_code_t rc = stat_values_read(folder, (const char *const[]){low, high}, 2, ends, err);
    v->low[cell] = ends[0];
    v->high[cell] = ends[1];
    free(low);
    free(high);
    return rc;
}

/* Sets the interval of a cell, if something in it was estimated. */
static rb_code_t set_interval(matrix_values_t *v, const matrix_t *s, size_t cell, rb_err_t *err)
{
    const size_t program = cell / s->n_columns, column = cell % s->n_columns;
    const size_t of_base = program * s->n_columns + v->base;
    const sweep_job_t *job = matrix_job(s, program, column);
    const sweep_job_t *base = matrix_job(s, program, v->base);
    run_pair_t pair;
    if (!isfinite(v->shown[cell]) || !(v->estimated[cell] || v->estimated[of_base]))
        return RB_OK;
    if (v->form == MATRIX_value)
        return own_interval(v, job->folder, cell, err);
    if (cell == of_base)
        return RB_OK;
    const rb_code_t rc = run_pair_open(&pair, base->folder, job->folder, err);
    if (rc == RB_OK) {
        const change_t c = run_pair_change_as(&pair, v->path, CHANGE_RELATIVE);
        const bool speedup = v->form == MATRIX_speedup;
        if (isfinite(c.change))
            v->shown[cell] = speedup ? 1 / (1 + c.change) : 1 + c.change;
        v->low[cell] = speedup ? 1 / (1 + c.high) : 1 + c.low;
        v->high[cell] = speedup ? 1 / (1 + c.low) : 1 + c.high;
    }
    run_pair_free(&pair);
    return rc;
}

rb_code_t matrix_values_read(matrix_values_t *v, const matrix_t *s, const char *stat,
                             const char *base, matrix_form_t form, rb_err_t *err)
{
    enum { PATHS = 2 };
    const size_t cells = s->n_programs * s->n_columns;
    double *read = NULL;
    *v = (matrix_values_t){.form = form};
    RB_TRY(matrix_find_column(s, base, &v->base, err));
    RB_TRY(matrix_find_stat(s, stat, &v->path, &v->unit, err));
    rb_code_t rc =
        matrix_read(s, (const char *const[PATHS]){v->path, "totals.estimated"}, PATHS, &read, err);
    v->value = rb_calloc(cells, sizeof(*v->value));
    v->shown = rb_calloc(cells, sizeof(*v->shown));
    v->estimated = rb_calloc(cells, sizeof(*v->estimated));
    for (size_t i = 0; i < cells; i++) {
        v->value[i] = read[PATHS * i];
        v->estimated[i] = read[PATHS * i + 1] > 0.0;
    }
    for (size_t i = 0; i < cells; i++)
        v->shown[i] = shown(form, v->value[i], v->value[i / s->n_columns * s->n_columns + v->base]);
    free(read);
    v->low = rb_calloc(cells, sizeof(*v->low));
    v->high = rb_calloc(cells, sizeof(*v->high));
    for (size_t i = 0; i < cells; i++)
        v->low[i] = v->high[i] = (double)NAN;
    for (size_t i = 0; rc == RB_OK && i < cells; i++)
        rc = set_interval(v, s, i, err);
    return rc;
}

void matrix_values_free(matrix_values_t *v)
{
    free(v->path);
    free(v->unit);
    free(v->value);
    free(v->shown);
    free(v->low);
    free(v->high);
    free(v->estimated);
    *v = (matrix_values_t){0};
}

matrix_mean_t matrix_mean(const double *values, size_t n, size_t stride)
{
    matrix_mean_t m = {
        .least = (double)NAN, .most = (double)NAN, .low = (double)NAN, .high = (double)NAN};
    double sum = 0.0, squares = 0.0;
    for (size_t i = 0; i < n; i++) {
        const double v = values[i * stride];
        if (!isfinite(v) || v <= 0.0)
            continue;
        m.n++;
        sum += log(v);
        m.least = fmin(m.least, v); /* NAN gives the other one */
        m.most = fmax(m.most, v);
    }
    const double mean = sum / (double)m.n;
    for (size_t i = 0; i < n; i++) {
        const double v = values[i * stride];
        if (isfinite(v) && v > 0.0)
            squares += (log(v) - mean) * (log(v) - mean);
    }
    m.mean = m.n > 0 ? exp(mean) : (double)NAN;
    m.deviation = m.n > 1 ? exp(sqrt(squares / (double)(m.n - 1))) : (double)NAN;
    return m;
}

matrix_mean_t matrix_column_mean(const matrix_t *s, const matrix_values_t *v, size_t column)
{
    matrix_mean_t m = matrix_mean(v->shown + column, s->n_programs, s->n_columns);
    double below = 0, above = 0;
    bool any = false;
    for (size_t i = column; i < s->n_programs * s->n_columns; i += s->n_columns) {
        if (!isfinite(v->shown[i]) || v->shown[i] <= 0)
            continue;
        if (!isfinite(v->low[i]) && v->estimated[i] && column != v->base)
            return m;
        if (!isfinite(v->low[i]))
            continue;
        any = true;
        below = hypot(below, log(v->shown[i] / v->low[i]));
        above = hypot(above, log(v->high[i] / v->shown[i]));
    }
    if (any && isfinite(below) && isfinite(above)) {
        m.low = m.mean * exp(-below / (double)m.n);
        m.high = m.mean * exp(above / (double)m.n);
    }
    return m;
}

bool matrix_has_intervals(const matrix_t *s, const matrix_values_t *v)
{
    for (size_t i = 0; i < s->n_programs * s->n_columns; i++)
        if (isfinite(v->low[i]))
            return true;
    return false;
}
