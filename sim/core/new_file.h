/*
 * Where a file may go that is written under a temporary name and then renamed. A rename takes the
 * place of whatever has the name: of a device too, for who may do that.
 */
#ifndef RUBATO_CORE_NEW_FILE_H
#define RUBATO_CORE_NEW_FILE_H

#include <stdbool.h>

#include "sim/core/err.h"

/*
 * The name to rename to, in new memory: path, or the file that it is a link to, so that the link
 * stays. NULL with RB_USAGE if path is a folder or no regular file, or, unless it may be replaced,
 * if it is there at all.
 */
char *new_file_name(const char *path, bool replace, rb_err_t *err);

/* The same check alone, for who wants to know before hours of work. */
RB_CHECKED rb_code_t new_file_check(const char *path, bool replace, rb_err_t *err);

/* Makes the names in a folder durable after a rename. Failure is ignored: not every file system
 * can, and the data itself was synced. */
void new_file_sync_folder(const char *folder);

/* The same of the folder that a file is in. */
void new_file_sync_folder_of(const char *path);

#endif
