/*
 * A stream that writes to memory, like open_memstream(). When memory runs out the process ends, as
 * everywhere (alloc.h); glibc's open_memstream() truncates the text without any error.
 */
#ifndef RUBATO_CORE_MEMORY_FILE_H
#define RUBATO_CORE_MEMORY_FILE_H

#include <stdio.h>

/* Must not move while the stream is open. */
typedef struct {
    FILE *out;  /* write here; NULL: not open */
    char *text; /* owned */
    size_t n, cap;
} memory_file_t;

/* Opens the stream and returns it, never NULL. */
FILE *memory_file_open(memory_file_t *m);

/* Closes the stream and returns the written bytes, owned by the caller. They end with a zero, which
 * *n does not count. n may be NULL. */
char *memory_file_close(memory_file_t *m, size_t *n);

#endif
