/* The statistics of a run, read from its stats.csv: paths, values, units. */
#ifndef RUBATO_STUDY_STAT_TABLE_H
#define RUBATO_STUDY_STAT_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "sim/core/err.h"

typedef struct {
    char *path, *text, *unit; /* owned; text: the unparsed value */
    double value;             /* NAN: there was nothing to measure */
    double low, high;         /* of its interval; NAN: none */
} stat_row_t;

typedef struct {
    stat_row_t *rows; /* owned, in the order of the file */
    size_t n, cap;
    bool estimated; /* part of the run was not simulated: values without interval are uncertain */
} stat_table_t;

/* where: stats.csv, or a folder with one. RB_TRACE with file and line; RB_IO. */
RB_CHECKED rb_code_t stat_table_read(stat_table_t *t, const char *where, rb_err_t *err);
void stat_table_free(stat_table_t *t);

/* hint: the probable row. NULL: there is no such path. */
const stat_row_t *stat_table_find(const stat_table_t *t, const char *path, size_t hint);

/* Reads the values of only some paths, which is much faster; NAN: missing. "PATH:low" and "PATH:high"
 * are the ends of an interval. Errors as above. */
RB_CHECKED rb_code_t stat_values_read(const char *where, const char *const *paths, size_t n,
                                      double *values, rb_err_t *err);

/* A row that differs between two tables. */
typedef struct {
    const char *path, *unit;             /* borrowed */
    double a, b;                         /* NAN: missing */
    double a_low, a_high, b_low, b_high; /* intervals; NAN: none */
    /* The intervals overlap, so the difference may be due to sampling. A value of a run without
     * estimates counts as an interval of width 0. */
    bool overlap;
    double relative; /* (b - a) / a; NAN if a is 0 or one is missing */
    double share;    /* fraction of all changes among the counters of its group and unit; NAN: not a
                   * counter */
} stat_change_t;

/*
 * Returns the differing rows in new memory: first totals and ratios by relative change, then
 * counters by their fraction. Rows of only one table count as changes from or to nothing.
 */
stat_change_t *stat_changes(const stat_table_t *a, const stat_table_t *b, size_t *n);

#endif
