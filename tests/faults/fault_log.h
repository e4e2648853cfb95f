/*
 * The log of changes of files that libfaults.so writes: for each change a head, then as many bytes
 * as it says of the path, the second path (of a rename) and the data.
 */
#ifndef RUBATO_TESTS_FAULT_LOG_H
#define RUBATO_TESTS_FAULT_LOG_H

#include <stdint.h>

typedef enum {
    CHANGE_OPEN,     /* fd of path; at: 1 if what was in it is gone */
    CHANGE_CLOSE,    /* fd */
    CHANGE_WRITE,    /* data at offset `at` of fd */
    CHANGE_TRUNCATE, /* fd gets `at` bytes */
    CHANGE_SYNC,     /* fd */
    CHANGE_RENAME,   /* path to second */
    CHANGE_UNLINK,   /* path */
    CHANGE_MKDIR,    /* path */
} change_kind_t;

typedef struct {
    uint32_t kind;
    int32_t fd;
    uint64_t at;
    uint32_t path, second, data; /* bytes that follow */
    uint32_t reserved;
} change_head_t;

#endif
