/* Prints the index of a native trace; the trace itself is not read. */
#ifndef RUBATO_CLI_INFO_INDEX_H
#define RUBATO_CLI_INFO_INDEX_H

#include <stdio.h>

#include "sim/gpu/source/trace_source.h"

typedef enum { INDEX_LAUNCHES, INDEX_BLOCKS, INDEX_CODE, INDEX_BBV } index_view_t;

/* Prints a view as columns separated by blanks. RB_USAGE if source is not a native file. */
RB_CHECKED rb_code_t info_index(trace_source_t *source, index_view_t view, FILE *out,
                                rb_err_t *err);

#endif
