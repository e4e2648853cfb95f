/* Prints the instructions of a thread block for people. */
#ifndef RUBATO_CLI_TRACE_CAT_H
#define RUBATO_CLI_TRACE_CAT_H

#include <stdio.h>

#include "sim/gpu/source/trace_source.h"

enum { TRACE_CAT_ALL_WARPS = -1 };

typedef struct {
    uint64_t launch; /* id; 0: the first */
    uint64_t block;  /* position in the launch, from 0 */
    int64_t warp;    /* TRACE_CAT_ALL_WARPS, or a single one */
} trace_cat_t;

/* RB_USAGE for a launch, block or warp that the trace does not have; errors of the source. */
RB_CHECKED rb_code_t trace_cat(trace_source_t *source, const trace_cat_t *what, FILE *out,
                               rb_err_t *err);

#endif
