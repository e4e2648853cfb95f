/*
 * Which files of an input were read, and the SHA-256 of each. The hash is computed from the bytes
 * as they are read: the file may have changed if it were read again later.
 *
 *   file_reads_add()       each file of the input, before anything is read
 *   file_reading_*()       around a pass over one of them, on any thread
 *   file_reads_complete()  hashes the rest of the files that were read in part
 */
#ifndef RUBATO_CORE_FILE_READS_H
#define RUBATO_CORE_FILE_READS_H

#include <stdbool.h>
#include <stddef.h>

#include "sim/core/err.h"
#include "sim/core/files/sha256.h"

typedef struct file_reads file_reads_t;
typedef struct file_reading file_reading_t; /* one pass */

typedef struct {
    const char *path, *name;  /* name: how the file is listed */
    char sha256[SHA256_TEXT]; /* valid if whole */
    bool used;                /* read, at least in part, or to be read */
    bool whole;               /* its hash is known */
} file_read_t;

/* Visitor for the files of an input. opened: the file was read when the input was opened; others
 * are read later or not at all. */
typedef void (*file_visit_fn)(void *ctx, const char *path, bool opened);

file_reads_t *file_reads_create(void);
void file_reads_destroy(file_reads_t *r); /* NULL is allowed */

/* Adds a file that may be read; adding it again changes nothing. Not during a pass. */
void file_reads_add(file_reads_t *r, const char *path, const char *name);

/* The files in the order in which they were added. Not during a pass. */
size_t file_reads_count(const file_reads_t *r);
const file_read_t *file_reads_at(const file_reads_t *r, size_t i);

/* The used files, in the order of their first use. Not during a pass. */
size_t file_reads_used(const file_reads_t *r);
const file_read_t *file_reads_used_at(const file_reads_t *r, size_t i);

/* Finds the file of that name and sets *i to its number (*i on entry: where to start). false:
 * none. */
bool file_reads_find(const file_reads_t *r, const char *name, size_t *i);

/* A pass over a file from its first byte. Returns NULL if r is NULL or does not list the file; the
 * other two functions accept NULL. Taking 0 bytes says that the end of the file was reached. */
file_reading_t *file_reading_begin(file_reads_t *r, const char *path);
void file_reading_take(file_reading_t *g, const void *data, size_t n);
void file_reading_end(file_reading_t *g);

/* Marks a file that is read by other means; file_reads_complete() hashes it. r may be NULL. */
void file_reads_use(file_reads_t *r, const char *path);

/* Says that file i had this hash when it was used. Returns false if it was read here with another
 * one. */
bool file_reads_learn(file_reads_t *r, size_t i, const char *sha256);

/* Hashes the rest of every used file; no pass may be running. RB_IO if a file cannot be read or
 * differed between two passes. */
RB_CHECKED rb_code_t file_reads_complete(file_reads_t *r, rb_err_t *err);

#endif
