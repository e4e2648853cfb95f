/*
 * Plan files: rubato's own JSON, MacSim's sampled_kernels_info.txt, and the list of the STEM
 * artifact. docs/plan.md describes them.
 */
#ifndef RUBATO_RUN_PLAN_FILE_H
#define RUBATO_RUN_PLAN_FILE_H

#include <stdio.h>

#include "sampling/plan/plan.h"
#include "sim/core/err.h"

/* The plan of a sampled run in its folder. */
#define PLAN_FILE_NAME "plan.json"

typedef enum { PLAN_FORMAT_JSON, PLAN_FORMAT_MACSIM, PLAN_FORMAT_LIST } plan_format_t;
extern const char *const plan_format_words[]; /* in the order above; ends with NULL */

/*
 * RB_USAGE if the format cannot hold the plan's weights. The caller checks ferror() for write
 * errors.
 */
RB_CHECKED rb_code_t plan_file_write(const plan_t *plan, plan_format_t format, FILE *out,
                                     rb_err_t *err);

/* Writes a complete file or none, like plan_file_write(); RB_IO. */
RB_CHECKED rb_code_t plan_file_save(const char *path, const plan_t *plan, plan_format_t format,
                                    rb_err_t *err);

/*
 * Reads a plan in any of the formats, recognised by content. Formats other than JSON have neither
 * names nor the number of launches of the program: n_launches is then the sum of the clusters. path may
 * be the folder of a sampled run.
 * RB_TRACE with file and line; RB_IO.
 */
RB_CHECKED rb_code_t plan_file_read(plan_t *plan, const char *path, rb_err_t *err);

#endif
