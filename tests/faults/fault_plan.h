/*
 * What the preloaded library libfaults.so is told, and what it tells: one page of memory that the
 * test and every process under it share, a mapped file whose name is in the environment variable
 * RUBATO_FAULTS. Calls are counted over all of these processes, also if they are killed.
 */
#ifndef RUBATO_TESTS_FAULT_PLAN_H
#define RUBATO_TESTS_FAULT_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#define FAULT_PLAN_VARIABLE "RUBATO_FAULTS"

typedef enum {
    FAULT_NONE,
    FAULT_ALLOC,    /* malloc(), calloc(), realloc(), ... */
    FAULT_OPEN,     /* open(), fopen(), opendir(), mkostemp(), ... */
    FAULT_READ,     /* read(), pread(), and those that stdio makes */
    FAULT_WRITE,    /* write(), pwrite(), and those that stdio makes */
    FAULT_CLOSE,    /* close(), fclose() */
    FAULT_SYNC,     /* fsync(), fdatasync() */
    FAULT_RENAME,   /* rename(), link() */
    FAULT_MAP,      /* mmap() */
    FAULT_UNLINK,   /* unlink(), rmdir(), remove() */
    FAULT_MKDIR,    /* mkdir(), mkdtemp(), mkfifo() */
    FAULT_TRUNCATE, /* ftruncate() */
    FAULT_KINDS
} fault_kind_t;

/* Instead of an error: half of the bytes are read or written, which is no failure. */
enum { FAULT_SHORT = -1 };

enum { FAULT_TEXT = 512 };

typedef struct {
    /* The test writes: */
    fault_kind_t kind;    /* which calls fail */
    uint64_t nth;         /* the first of them that does, from 1; 0: none */
    bool onwards;         /* all calls from then on */
    int error;            /* errno, or FAULT_SHORT */
    bool first_only;      /* only the calls of the first process count */
    char log[FAULT_TEXT]; /* changes of files are appended to this file (fault_log.h); "": none */
    /* The library writes: */
    int32_t first; /* process */
    uint64_t calls[FAULT_KINDS];
    uint64_t failed;          /* calls that failed */
    char path[FAULT_TEXT];    /* file of the first of them; "": it has none */
    char second[FAULT_TEXT];  /* the new name that it was to have */
    char library[FAULT_TEXT]; /* the file of the program or library that made that call */
} fault_plan_t;

#endif
