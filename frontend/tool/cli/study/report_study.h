/* The sections of a report page about a study. */
#ifndef RUBATO_CLI_REPORT_STUDY_H
#define RUBATO_CLI_REPORT_STUDY_H

#include <stdio.h>

#include "frontend/tool/silicon/hardware_compare.h"

/* Writes the section of a sweep's folder. */
RB_CHECKED rb_code_t report_study(const char *folder, FILE *out, rb_err_t *err);

/* Writes a section of measurements against runs. programs: names by the pairs' numbers of runs; NULL:
 * pairs are named by their kernels. */
void report_hardware(FILE *out, const char *title, const hardware_comparison_t *c,
                     const char *const *programs);

/* Writes a section for each configuration of a sweep that has results, at most eight. Each begins a
 * new section of the page. */
RB_CHECKED rb_code_t report_study_hardware(const char *folder, const hardware_table_t *t, FILE *out,
                                           rb_err_t *err);

#endif
