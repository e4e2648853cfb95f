/*
 * The jobs of one or several sweeps as a matrix: a row per program (trace), a column per
 * configuration: GPU and point, and, with several sweeps, the sweep, for example of another build of
 * rubato.
 */
#ifndef RUBATO_STUDY_MATRIX_H
#define RUBATO_STUDY_MATRIX_H

#include "frontend/tool/io/text_list.h"
#include "frontend/tool/study/sweep/sweep.h"

#define MATRIX_NO_JOB SIZE_MAX

typedef struct {
    char *label;   /* owned; what distinguishes it from the other columns; never empty */
    size_t sweep;  /* index */
    char **fields; /* borrowed; of its first job, values of the sweep's columns */
} matrix_column_t;

typedef struct {
    char *name;  /* owned */
    char *label; /* owned; the name, or its first part if no other program shares it */
} matrix_program_t;

typedef struct {
    sweep_t *sweeps; /* owned */
    char **titles;   /* owned, like its elements; names of the sweeps' folders, distinct */
    size_t n_sweeps;
    matrix_program_t *programs; /* owned; in the order of the sweeps */
    size_t n_programs, cap_programs;
    matrix_column_t *columns; /* owned; in the order of the sweeps */
    size_t n_columns, cap_columns;
    size_t *jobs; /* owned; n_programs rows of n_columns: index in the column's sweep, or
                   * MATRIX_NO_JOB */
} matrix_t;

/* Which jobs are looked at. */
typedef struct {
    text_list_t match; /* patterns for names of programs (trace_tree.h); none: all */
    text_list_t where; /* settings or GPUs that jobs must have, such as "l2.size=3MiB" */
} matrix_choice_t;

/*
 * Opens the folders of sweeps and looks at the states of their jobs. RB_USAGE: not the folder of a
 * sweep, or no job is chosen; RB_IO. The caller frees m, also after an error.
 */
RB_CHECKED rb_code_t matrix_open(matrix_t *s, char *const *folders, size_t n,
                                 const matrix_choice_t *choice, rb_err_t *err);
void matrix_close(matrix_t *s);

/* The job of a program in a column; NULL: none. */
const sweep_job_t *matrix_job(const matrix_t *s, size_t program, size_t column);

/*
 * The column that text describes: its number from 1, or words separated by blanks or commas that
 * its label or its fields have ("l2.size=3MiB", "v100", the name of a sweep's folder). NULL: the
 * first. RB_USAGE, listing the columns, if none or several fit.
 */
RB_CHECKED rb_code_t matrix_find_column(const matrix_t *s, const char *text, size_t *column,
                                        rb_err_t *err);

#endif
