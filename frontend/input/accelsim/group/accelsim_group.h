/*
 * Groups a raw trace, whose lines are in the order in which the GPU's warps wrote them: an external
 * merge sort by block and warp that preserves the order within each warp. The output is the text of
 * a grouped file without instruction counts. Each line begins with its line number in the raw file,
 * then the source line number if the header announces them.
 */
#ifndef RUBATO_ACCELSIM_GROUP_H
#define RUBATO_ACCELSIM_GROUP_H

#include "frontend/input/accelsim/accelsim.h"
#include "frontend/input/accelsim/text/accelsim_header.h"
#include "frontend/input/accelsim/text/accelsim_lines.h"

typedef struct accelsim_group accelsim_group_t;

/*
 * Reads and sorts all lines; lines must be positioned after the header. Returns NULL with *err set:
 * RB_TRACE if the file is malformed or truncated, RB_IO if the temporary folder is full or not
 * writable.
 */
accelsim_group_t *accelsim_group_create(accelsim_lines_t *lines, const accelsim_header_t *header,
                                        const accelsim_options_t *opts, rb_err_t *err);

/* Reads the grouped text; an accelsim_read_fn whose ctx is the accelsim_group_t. */
RB_CHECKED rb_code_t accelsim_group_read(void *ctx, char *buf, size_t cap, size_t *got,
                                         rb_err_t *err);

void accelsim_group_destroy(accelsim_group_t *g);

#endif
