/*
 * Files that appear complete or not at all: written under a temporary name in their folder, synced,
 * then renamed. Unless stated otherwise, errors are RB_IO with the file's name and the system's
 * reason.
 */
#ifndef RUBATO_IO_OUT_FILE_H
#define RUBATO_IO_OUT_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "sim/core/err.h"

typedef struct {
    FILE *out;       /* write here; NULL after out_file_finish() */
    char *path;      /* owned: final name */
    char *temporary; /* owned; name before the commit */
} out_file_t;

/* Creates the temporary file for path. RB_USAGE if path exists and is not a regular file. */
RB_CHECKED rb_code_t out_file_open_path(out_file_t *f, const char *path, rb_err_t *err);

/* The same for folder/name. */
RB_CHECKED rb_code_t out_file_open(out_file_t *f, const char *folder, const char *name,
                                   rb_err_t *err);

/* After the last write: flushes, syncs and closes the temporary file. */
RB_CHECKED rb_code_t out_file_finish(out_file_t *f, rb_err_t *err);

/* Renames it to its final name and releases f. Call it after out_file_finish(). */
RB_CHECKED rb_code_t out_file_commit(out_file_t *f, rb_err_t *err);

/* Completes a single file. If its content is good (rc is RB_OK), finishes and commits it and makes
 * its name durable; otherwise abandons it. Returns rc or the first error. */
RB_CHECKED rb_code_t out_file_close(out_file_t *f, rb_code_t rc, rb_err_t *err);

/* Removes the temporary file, if any, and releases f. Does nothing for a zeroed or released f. */
void out_file_abandon(out_file_t *f);

/*
 * Registers a temporary file, or a folder with all it has, for removal if a signal ends the process, until
 * out_unguard(). The name is borrowed until then.
 */
void out_guard(const char *temporary);
void out_unguard(const char *temporary);

/* Returns folder/name in new memory, owned by the caller. */
char *out_path(const char *folder, const char *name);

/* Whether there is a folder/name. */
bool out_has(const char *folder, const char *name);

/* Creates a folder and its parents; *made tells whether it was missing. RB_USAGE if one of them
 * exists and is not a folder. */
RB_CHECKED rb_code_t out_make_folder(const char *folder, bool *made, rb_err_t *err);

/* Flushes stdout; RB_IO if some output could not be written. */
RB_CHECKED rb_code_t out_flush_stdout(rb_err_t *err);

#endif
