/*
 * Plans as files: rubato's own JSON, MacSim's sampled_kernels_info.txt, and the list of the STEM
 * artifact. docs/plan.md describes them.
 */
#ifndef RUBATO_RUN_PLAN_FILE_H
#define RUBATO_RUN_PLAN_FILE_H

#include <stdio.h>

#include "sampling/launch/plan.h"
#include "sim/core/err.h"

typedef enum {
    PLAN_FORMAT_JSON,
    PLAN_FORMAT_MACSIM,
    PLAN_FORMAT_LIST,
    PLAN_FORMAT_PICKLE
} plan_format_t;
extern const char *const plan_format_words[]; /* in that order; ends with NULL */

/*
 * RB_USAGE if the format has no place for the plan's weights. Whether all of it reached the file is
 * the file's: check ferror().
 */
RB_CHECKED rb_code_t plan_file_write(const plan_t *plan, plan_format_t format, FILE *out,
                                     rb_err_t *err);

/* Writes a file whole or not at all. As plan_file_write(); RB_IO. */
RB_CHECKED rb_code_t plan_file_save(const char *path, const plan_t *plan, plan_format_t format,
                                    rb_err_t *err);

/*
 * Reads a plan of any of the formats, told apart by content. The formats other than JSON do not
 * tell how many launches the program has, nor names: n_launches is then the sum of the clusters.
 * RB_TRACE with file and line; RB_IO.
 */
RB_CHECKED rb_code_t plan_file_read(plan_t *plan, const char *path, rb_err_t *err);

#endif
