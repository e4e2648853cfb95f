/* A statistic of every job of a suite, relative to a base, and its means over the programs. */
#ifndef RUBATO_STUDY_MATRIX_VALUES_H
#define RUBATO_STUDY_MATRIX_VALUES_H

#include "frontend/tool/study/table/matrix.h"

/*
 * Reads statistics of all finished jobs: values[(program * n_columns + column) * n + i] is that of
 * paths[i] (stat_values_read()); NAN: no finished job, or nothing to measure. The caller frees
 * *values, also after an error.
 */
RB_CHECKED rb_code_t matrix_read(const matrix_t *s, const char *const *paths, size_t n,
                                 double **values, rb_err_t *err);

/*
 * The path and unit of a statistic by its path ("metrics.ipc") or the last part of it ("ipc"), in
 * new memory. RB_USAGE, with the nearest name, if the finished jobs have none such; also if no job
 * is finished.
 */
RB_CHECKED rb_code_t matrix_find_stat(const matrix_t *s, const char *name, char **path, char **unit,
                                      rb_err_t *err);

/* How a table or a figure shows a value: itself, over that of the base, or the base's over it. */
#define MATRIX_FORMS(X)         X(value) X(ratio) X(speedup)
#define MATRIX_FORM_ENUM_(name) MATRIX_##name,
typedef enum { MATRIX_FORMS(MATRIX_FORM_ENUM_) MATRIX_FORM_COUNT } matrix_form_t;
extern const char *const matrix_form_words[MATRIX_FORM_COUNT + 1];

/* One statistic. */
typedef struct {
    matrix_form_t form;
    char *path, *unit; /* owned */
    size_t base;       /* column */
    double *value;     /* owned; n_programs rows of n_columns; NAN: unknown */
    double *shown; /* owned; the same in this form; relative to the base by the launches that both
                        * simulated, where that is known */
    double *low, *high; /* owned; interval of shown; NAN: it has none, or is exact */
    bool *estimated;    /* owned; the run was sampled */
} matrix_values_t;

/* stat, base: as in matrix_find_stat() and matrix_find_column(). The caller frees v, also after an
 * error. */
RB_CHECKED rb_code_t matrix_values_read(matrix_values_t *v, const matrix_t *s, const char *stat,
                                        const char *base, matrix_form_t form, rb_err_t *err);
void matrix_values_free(matrix_values_t *v);

/* The programs of a column taken together. */
typedef struct {
    size_t n;         /* number of programs with a value above 0; others are left out */
    double mean;      /* geometric mean; NAN: none */
    double deviation; /* geometric standard deviation, a factor >= 1; NAN: fewer than 2 */
    double least, most;
    double low, high; /* interval of the mean from those of the values; NAN: one has none */
} matrix_mean_t;

/* values: n of them, stride apart; low and high are those of the result NAN. */
matrix_mean_t matrix_mean(const double *values, size_t n, size_t stride);

/* The mean of a column of the shown values, with its interval. */
matrix_mean_t matrix_column_mean(const matrix_t *s, const matrix_values_t *v, size_t column);

/* Whether any shown value has an interval. */
bool matrix_has_intervals(const matrix_t *s, const matrix_values_t *v);

/* Prints a table with a row per program and the means below; or CSV with a row per program and
 * column. */
void matrix_print(const matrix_t *s, const matrix_values_t *v, FILE *out);
void matrix_print_csv(const matrix_t *s, const matrix_values_t *v, FILE *out);

#endif
