/* Makes tar archives for tests, good and hostile. */
#ifndef RUBATO_TESTS_TAR_FILES_H
#define RUBATO_TESTS_TAR_FILES_H

#include <stddef.h>

typedef struct {
    char *data; /* owned */
    size_t n, cap;
} tar_file_t;

/* Adds a member of a type ('0': a file, '5': a folder, '2': a link ...). content may be NULL. */
void tar_add(tar_file_t *t, const char *name, char type, const void *content, size_t n);

/* The same for a text. */
void tar_add_text(tar_file_t *t, const char *name, char type, const char *text);

/* Adds the two blocks that end an archive. */
void tar_end(tar_file_t *t);

/* Writes the archive, compressed with gzip or plain, and frees it. Panics if it cannot. */
void tar_write(tar_file_t *t, const char *path);
void tar_write_gzip(tar_file_t *t, const char *path);

#endif
