/*
 * Tells the preloaded library libfaults.so which calls must fail, and returns what it counted. The
 * plan is a file that the test and all processes under it map as shared memory; the environment
 * variable RUBATO_FAULTS has its name. Calls of killed processes stay counted.
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
    FAULT_READ,     /* read(), pread(), also those made by stdio */
    FAULT_WRITE,    /* write(), pwrite(), also those made by stdio */
    FAULT_CLOSE,    /* close(), fclose() */
    FAULT_SYNC,     /* fsync(), fdatasync() */
    FAULT_RENAME,   /* rename(), link() */
    FAULT_MAP,      /* mmap() */
    FAULT_UNLINK,   /* unlink(), rmdir(), remove() */
    FAULT_MKDIR,    /* mkdir(), mkdtemp(), mkfifo() */
    FAULT_TRUNCATE, /* ftruncate() */
    FAULT_KINDS
} fault_kind_t;

/* In place of an errno: the call succeeds, but reads or writes only half of the bytes. */
enum { FAULT_SHORT = -1 };

enum { FAULT_TEXT = 512 };

typedef struct {
    /* Written by the test: */
    fault_kind_t kind;    /* kind of the calls that fail */
    uint64_t nth;         /* number of the failing call, from 1; 0: none */
    bool onwards;         /* all later calls of the kind fail, too */
    int error;            /* errno, or FAULT_SHORT */
    bool first_only;      /* count only the calls of the first process */
    char log[FAULT_TEXT]; /* file for the log of changes (fault_log.h); "": none */
    /* Written by the library: */
    int32_t first; /* id of the first process */
    uint64_t calls[FAULT_KINDS];
    uint64_t failed;          /* calls that failed */
    char path[FAULT_TEXT];    /* file of the first failed call; "": it has none */
    char second[FAULT_TEXT];  /* the new name, if that call was a rename or link */
    char library[FAULT_TEXT]; /* program or library that made that call */
} fault_plan_t;

#endif
