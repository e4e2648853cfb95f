/*
 * Trace files for tests of their reader: a temporary folder that is removed, and the traces as text
 * that is easy to compare.
 */
#ifndef RUBATO_TESTS_TRACE_FILES_H
#define RUBATO_TESTS_TRACE_FILES_H

#include "sim/gpu/source/trace_source.h"

/* cmocka set-up and tear-down of a folder; its path is trace_folder(). */
int trace_folder_create(void **state);
int trace_folder_remove(void **state);
const char *trace_folder(void);

/* Path of a file in the folder; valid until the second next call. */
const char *trace_path(const char *name);

/* Writes a file of the folder. */
void trace_write(const char *name, const char *text);
void trace_write_bytes(const char *name, const void *data, size_t n);

/* A header of arch 70, grid (2,1,1), block (64,1,1), and the lines in more (replacing others). */
const char *trace_header(unsigned version, const char *more);

/* Opens a file of the folder, which must succeed. */
trace_source_t *trace_open(const char *name);

/* One launch, open. */
typedef struct {
    trace_source_t *source;
    launch_info_t info;
    trace_launch_t *launch;
} trace_reading_t;

/* Opens launch 1 of a file of the folder, which must succeed. */
trace_reading_t trace_start(const char *name);
trace_block_t *trace_next(trace_reading_t *r, uint64_t index); /* must succeed; NULL at the end */
void trace_stop(trace_reading_t *r);

/*
 * All launches of a file as text: for each launch, block, warp and instruction one line with pc,
 * mask, mnemonic class, dense registers and lane addresses; or "error CODE: message". Free it.
 */
char *trace_text(const char *path, size_t sort_bytes);

/* The same for any source, which is destroyed. NULL: it could not be opened; err says why. */
char *trace_source_text(trace_source_t *s, rb_err_t *err);

/* The text printed on stderr between the two calls. Free it. */
void trace_capture_stderr(void);
char *trace_captured(void);

/* cmocka set-up and tear-down: the folder of temp_folder.h, and warnings are not printed. */
int quiet_folder_create(void **state);
int quiet_folder_remove(void **state);

#endif
