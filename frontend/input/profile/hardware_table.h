/*
 * Counters measured on a GPU, as tables in text:
 *
 *   Nsight Compute   CSV: of --page raw, a row per launch and a row of units below the header; of other
 *                    pages, a row per launch and metric with its unit beside it; of --print-summary, a
 *                    row per kernel and metric. What the program and the tool print around it is skipped
 *   tables           a header; a column of kernel names ("Kernel") or of programs ("app",
 *                    "Benchmark"), or both; every other column of numbers is a counter: a row per
 *                    kernel, or per program
 *
 * Values are converted to plain units: fractions instead of per cent, seconds, no prefixes. The decimal mark
 * is found from all values together.
 */
#ifndef RUBATO_HARDWARE_TABLE_H
#define RUBATO_HARDWARE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/core/err.h"

/* What a row describes. */
typedef enum { HARDWARE_LAUNCH, HARDWARE_KERNEL, HARDWARE_PROGRAM } hardware_row_kind_t;

typedef struct {
    char *program, *kernel;     /* owned; NULL: there is no such column */
    uint32_t grid[3], block[3]; /* 0: there is no such column */
    double *values;             /* owned; one per column; NAN: not measured */
    size_t n_values;
    uint64_t line;
} hardware_row_t;

typedef struct {
    char *file;          /* owned */
    char **columns;      /* owned: counters */
    char **unknown_unit; /* owned; one per column: a unit that is not known; NULL: none */
    size_t n_columns, cap_columns;
    hardware_row_kind_t kind;
    bool has_shape; /* grid and block are known */
    hardware_row_t *rows;
    size_t n_rows, cap_rows;
} hardware_table_t;

/* RB_TRACE with file and line; RB_IO. The caller frees t, also after an error. */
RB_CHECKED rb_code_t hardware_table_read(hardware_table_t *t, const char *path, rb_err_t *err);
void hardware_table_free(hardware_table_t *t);

#endif
