/*
 * Which files of an input were read, and the SHA-256 of each, taken from its bytes as they go by: a
 * second look at a file might find another one there.
 *
 *   file_reads_add()       each file of the input, before anything is read
 *   file_reading_*()       around a pass over one of them, on any thread
 *   file_reads_complete()  what was read in part is hashed to its end
 */
#ifndef RUBATO_CORE_FILE_READS_H
#define RUBATO_CORE_FILE_READS_H

#include <stdbool.h>
#include <stddef.h>

#include "sim/core/err.h"
#include "sim/core/sha256.h"

typedef struct file_reads file_reads_t;
typedef struct file_reading file_reading_t; /* one pass */

typedef struct {
    const char *path, *name;  /* name: under which it is listed */
    char sha256[SHA256_TEXT]; /* once whole */
    bool used;                /* read at least in part, or to be */
    bool whole;               /* its hash is known */
} file_read_t;

/* For who lists the files of an input. opened: it was read when the input was opened; others are
 * read later, or not at all. */
typedef void (*file_visit_fn)(void *ctx, const char *path, bool opened);

file_reads_t *file_reads_create(void);
void file_reads_destroy(file_reads_t *r); /* NULL is allowed */

/* A file that may be read; once more changes nothing. Not while a pass is under way. */
void file_reads_add(file_reads_t *r, const char *path, const char *name);

/* The files in the order in which they were added. Not while a pass is under way. */
size_t file_reads_count(const file_reads_t *r);
const file_read_t *file_reads_at(const file_reads_t *r, size_t i);

/* Those that were used, in the order of their first use. Not while a pass is under way. */
size_t file_reads_used(const file_reads_t *r);
const file_read_t *file_reads_used_at(const file_reads_t *r, size_t i);

/* The file of a name, its number in *i; false: there is none. */
bool file_reads_find(const file_reads_t *r, const char *name, size_t *i);

/* A pass over a file from its first byte. NULL if r is NULL or has no such file; the other two
 * allow that. n 0: the end of the file was seen. */
file_reading_t *file_reading_begin(file_reads_t *r, const char *path);
void file_reading_take(file_reading_t *g, const void *data, size_t n);
void file_reading_end(file_reading_t *g);

/* A file that is read by other means: file_reads_complete() hashes it. r NULL is allowed. */
void file_reads_use(file_reads_t *r, const char *path);

/* It is known from elsewhere that file i had this hash when it was used. False: it was read here
 * and has another. */
bool file_reads_learn(file_reads_t *r, size_t i, const char *sha256);

/* Hashes the rest of every file that was used, while no pass is under way. RB_IO; also if a file
 * was not the same in two passes. */
RB_CHECKED rb_code_t file_reads_complete(file_reads_t *r, rb_err_t *err);

#endif
