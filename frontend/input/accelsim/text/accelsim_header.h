/* The header of a kernel file: everything before the first line that begins with '#'. */
#ifndef RUBATO_ACCELSIM_HEADER_H
#define RUBATO_ACCELSIM_HEADER_H

#include "frontend/input/accelsim/text/accelsim_lines.h"
#include "sim/gpu/source/trace_source.h"

typedef struct {
    launch_info_t info; /* id is not set; name points to the member below, file to the path of the
                         * lines */
    char *name;         /* owned */
    unsigned version;   /* of the tracer */
    bool line_info;     /* each pc is preceded by a source line number */
    bool raw;           /* the body is not grouped by blocks */
} accelsim_header_t;

/*
 * Reads the header and moves to the first line of the body. RB_TRACE naming file and line for
 * values that no GPU supports, missing values and unsupported versions. The caller frees *h, also
 * after an error.
 */
RB_CHECKED rb_code_t accelsim_header_read(accelsim_lines_t *lines, accelsim_header_t *h,
                                          rb_err_t *err);

void accelsim_header_free(accelsim_header_t *h);

#endif
