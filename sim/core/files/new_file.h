/*
 * Checks for files that are written under a temporary name and then renamed. A rename replaces
 * whatever has the name, even a device if the user may do that.
 */
#ifndef RUBATO_CORE_NEW_FILE_H
#define RUBATO_CORE_NEW_FILE_H

#include <stdbool.h>

#include "sim/core/err.h"

/* The name to rename to, in new memory: path, or the file that path is a symbolic link to, so that
 * the link stays. NULL with RB_USAGE if path is a folder or not a regular file, or if it exists and
 * replace is false. */
char *new_file_name(const char *path, bool replace, rb_err_t *err);

/* The same check alone, for callers that want to know before hours of work. */
RB_CHECKED rb_code_t new_file_check(const char *path, bool replace, rb_err_t *err);

/* Makes the names in a folder durable after a rename. Failure is ignored: not every file system
 * supports it, and the data itself was synced. */
void new_file_sync_folder(const char *folder);

/* The same for the folder that contains path. */
void new_file_sync_folder_of(const char *path);

#endif
