/* Two columns of a published table (CSV with a header). */
#ifndef RUBATO_HARDWARE_PUBLISHED_TABLE_H
#define RUBATO_HARDWARE_PUBLISHED_TABLE_H

#include <stddef.h>

#include "sim/core/err.h"

typedef struct {
    char **x;  /* owned; unchanged text */
    double *y; /* owned */
    size_t n, cap_x, cap_y;
} published_table_t;

/* Skips rows whose y is not a number. RB_TRACE: a column is missing; RB_IO. */
RB_CHECKED rb_code_t published_table_read(published_table_t *t, const char *path, const char *x,
                                          const char *y, rb_err_t *err);
void published_table_free(published_table_t *t);

/* Keeps n evenly spaced rows, including the first and the last; 0 or more than there are: all. */
void published_table_thin(published_table_t *t, size_t n);

#endif
