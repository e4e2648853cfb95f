/*
 * Opens input files that the user named. A pipe with a writer, as a shell makes it for <(command),
 * works like a file. A pipe without a writer would block forever and is refused.
 */
#ifndef RUBATO_CORE_IN_FILE_H
#define RUBATO_CORE_IN_FILE_H

#include <stdio.h>

#include "sim/core/err.h"

/* Opens a file for reading and returns its descriptor. -1 with RB_IO: it cannot be opened, it is a
 * folder or a device, or it is a pipe that nobody has opened for writing within a second. */
int in_file_descriptor(const char *path, rb_err_t *err);

/* The same as a stream; NULL with RB_IO. */
FILE *in_file_open(const char *path, rb_err_t *err);

/* The same for a file that is read more than once: pipes are refused too. */
int in_file_regular(const char *path, rb_err_t *err);

#endif
