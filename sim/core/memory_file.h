/*
 * A stream into memory, as open_memstream() makes it, but nothing that is written gets lost:
 * running out of memory ends the process, as everywhere (alloc.h), where open_memstream() leaves a
 * text that ends too early and, in glibc, no sign of it.
 */
#ifndef RUBATO_CORE_MEMORY_FILE_H
#define RUBATO_CORE_MEMORY_FILE_H

#include <stdio.h>

/* Stays where it is while the stream is open. */
typedef struct {
    FILE *out;  /* write here; NULL: not open */
    char *text; /* owned */
    size_t n, cap;
} memory_file_t;

/* Opens the stream, and returns it; never NULL. */
FILE *memory_file_open(memory_file_t *m);

/* Closes it. What was written, with a zero behind it, which *n (may be NULL) does not count; owned
 * by the caller. */
char *memory_file_close(memory_file_t *m, size_t *n);

#endif
