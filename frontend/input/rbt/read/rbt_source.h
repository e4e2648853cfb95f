/*
 * A native trace file as a trace_source. Data is read only when needed: opening reads the root of
 * the index, a launch its page, a block its page and its frame.
 */
#ifndef RUBATO_RBT_SOURCE_H
#define RUBATO_RBT_SOURCE_H

#include "frontend/input/rbt/read/rbt_index_get.h"
#include "sim/gpu/source/trace_source.h"

/* Whether the file at path begins like an .rbt. */
bool rbt_detect(const char *path);

/* Returns NULL with *err set: RB_IO, RB_TRACE. Free with ops->destroy(). */
trace_source_t *rbt_open(const char *path, rb_err_t *err);

/* Whether a source is a native trace file, and that file. */
bool rbt_is_source(const trace_source_t *source);
rbt_file_t *rbt_source_file(const trace_source_t *source);

#endif
