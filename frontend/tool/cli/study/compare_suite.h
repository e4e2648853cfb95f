/* rubato compare of studies: the programs of a suite against measurements. */
#ifndef RUBATO_CLI_COMPARE_SUITE_H
#define RUBATO_CLI_COMPARE_SUITE_H

#include "frontend/tool/figure/suite_hardware.h"

typedef struct {
    matrix_choice_t choice;
    const char *stat; /* column of the table; NULL: the first that can be compared */
} compare_suite_options_t;

/*
 * Prints a row per program and a column per configuration with the errors, and their means below.
 * pairs: also writes every pair as CSV; NULL: not. Errors as suite_hardware().
 */
RB_CHECKED rb_code_t compare_suite(const hardware_table_t *t, char *const *folders, size_t n,
                                   const compare_suite_options_t *o, const char *pairs,
                                   rb_err_t *err);

/* Writes the pairs of a comparison as CSV rows, after a head. programs, configuration: NULL for single
 * runs, whose rows have no such columns. */
void compare_write_pairs(const hardware_comparison_t *c, const matrix_t *programs,
                         const char *configuration, FILE *out);
void compare_write_head(bool suite, FILE *out);

#endif
