/*
 * A temporary folder for a test, with subfolders; it is removed with its contents. One at a time.
 */
#ifndef RUBATO_TESTS_TEMP_FOLDER_H
#define RUBATO_TESTS_TEMP_FOLDER_H

#include <stddef.h>

/* Prefix of the name of every such folder. */
#define TEMP_FOLDER_NAME "temp-folder-"

/* Creates an empty folder in the working folder; panics if it cannot. */
void temp_folder_create(void);
void temp_folder_remove(void);

/* The two as set-up and tear-down of cmocka. */
int temp_folder_begin(void **state);
int temp_folder_end(void **state);

/* Path of a file in the folder ("": the folder itself); valid until the second next call. */
const char *temp_path(const char *name);

/* Writes a file in the folder, and creates the folders in its name. */
void temp_write(const char *name, const char *text);
void temp_write_bytes(const char *name, const void *data, size_t n);

#endif
