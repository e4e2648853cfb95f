/*
 * Files to read that a user has named. A pipe with a writer, as a shell makes it for <(command), is
 * as good as a file; one that nobody writes to would be waited for without end.
 */
#ifndef RUBATO_CORE_IN_FILE_H
#define RUBATO_CORE_IN_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "sim/core/err.h"

/* A file descriptor that reads a file from its beginning; -1 with RB_IO: it cannot be opened, it is
 * a folder or a device, or a pipe that nobody has begun to write to for a second. */
int in_file_descriptor(const char *path, rb_err_t *err);

/* The same as a stream; NULL with RB_IO. */
FILE *in_file_open(const char *path, rb_err_t *err);

/* The same for a file that is read more than once: a pipe is refused, too. */
int in_file_regular(const char *path, rb_err_t *err);

/* Whether there is a folder at path. */
bool in_file_is_folder(const char *path);

#endif
