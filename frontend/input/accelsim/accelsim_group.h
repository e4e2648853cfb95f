/*
 * Grouping of a raw trace, whose lines come in the order in which the GPU's warps wrote them: an
 * external merge sort by block and warp that keeps each warp's order. The result reads as the text
 * of a grouped file without instruction counts, each line led by its number in the raw file (then
 * the source line number, if the header says that there are some).
 */
#ifndef RUBATO_ACCELSIM_GROUP_H
#define RUBATO_ACCELSIM_GROUP_H

#include "frontend/input/accelsim/accelsim.h"
#include "frontend/input/accelsim/accelsim_header.h"
#include "frontend/input/accelsim/accelsim_lines.h"

typedef struct accelsim_group accelsim_group_t;

/*
 * Reads all lines (which stand behind the header) and sorts them. NULL with *err set: RB_TRACE for
 * a malformed or truncated file, RB_IO if the temporary folder is full or cannot be written.
 */
accelsim_group_t *accelsim_group_create(accelsim_lines_t *lines, const accelsim_header_t *header,
                                        const accelsim_options_t *opts, rb_err_t *err);

/* The grouped text, as accelsim_read_fn; ctx is the accelsim_group_t. */
RB_CHECKED rb_code_t accelsim_group_read(void *ctx, char *buf, size_t cap, size_t *got,
                                         rb_err_t *err);

void accelsim_group_destroy(accelsim_group_t *g);

#endif
