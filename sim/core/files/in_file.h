/*
 * Opens input files that the user named. A pipe with a writer, as a shell makes it for <(command),
 * works like a file. A pipe without a writer would block forever and is refused.
 */
#ifndef RUBATO_CORE_IN_FILE_H
#define RUBATO_CORE_IN_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "sim/core/err.h"

/* Opens a file for reading and returns its descriptor. -1 with RB_IO: it cannot be opened, it is a
 * folder or a device, or it is a pipe that nobody has opened for writing within a second. */
int in_file_descriptor(const char *path, rb_err_t *err);

/* The same as a stream; NULL with RB_IO. */
FILE *in_file_open(const char *path, rb_err_t *err);

/* The same for a file that is read more than once: pipes are refused too. */
int in_file_regular(const char *path, rb_err_t *err);

/* Whether path is a folder. */
bool in_file_is_folder(const char *path);

/* Reads n bytes at an offset, repeating short reads. Returns the number of bytes read, which is less
 * than n only at the end of the file; -1 with errno. */
ssize_t in_file_read(int fd, void *data, size_t n, uint64_t offset);

#endif
