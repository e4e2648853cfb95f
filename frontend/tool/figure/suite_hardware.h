/* The programs of a suite against measurements on a GPU. */
#ifndef RUBATO_FIGURE_SUITE_HARDWARE_H
#define RUBATO_FIGURE_SUITE_HARDWARE_H

#include "frontend/tool/silicon/hardware_compare.h"
#include "frontend/tool/study/table/matrix.h"

/* The comparison of one column, and which programs have a row in the table. */
typedef struct {
    hardware_comparison_t comparison; /* pairs have the number of the program as their run */
    bool *matched;                    /* owned; per program */
    size_t n_matched;
} suite_hardware_t;

/*
 * Compares the finished jobs of columns with a table: s[column] for all columns of m. Programs
 * without a row, or without a kernel in common, are left out. RB_USAGE: no program has one; RB_TRACE,
 * RB_IO: a run cannot be read. The caller frees *s, also after an error.
 */
RB_CHECKED rb_code_t suite_hardware(suite_hardware_t **s, const hardware_table_t *t,
                                    const matrix_t *m, rb_err_t *err);
void suite_hardware_free(suite_hardware_t *s, const matrix_t *m);

/*
 * The counter of a table's column: name is the measured column, or its label with the variant; NULL:
 * the first with pairs. RB_USAGE lists the columns.
 */
RB_CHECKED rb_code_t suite_hardware_counter(const suite_hardware_t *s, const matrix_t *m,
                                            const char *name, size_t *counter, rb_err_t *err);

/* The values of a program for a counter: sums over its pairs, or means of shares. False: it has
 * none. */
bool suite_hardware_value(const suite_hardware_t *s, size_t counter, size_t program,
                          double *measured, double *simulated);

/* The score of a column's programs for a counter; *worst: the program with the largest error. */
hardware_score_t suite_hardware_score(const suite_hardware_t *s, const matrix_t *m, size_t counter,
                                      size_t *worst);

#endif
