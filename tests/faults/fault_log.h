/*
 * The log of changes of files, written by libfaults.so. Each change is a head followed by the path,
 * the second path (of a rename) and the data, with the lengths in the head.
 */
#ifndef RUBATO_TESTS_FAULT_LOG_H
#define RUBATO_TESTS_FAULT_LOG_H

#include <stdint.h>

typedef enum {
    CHANGE_OPEN,     /* path, opened as fd; at: 1 if it was truncated, else 0 */
    CHANGE_CLOSE,    /* fd */
    CHANGE_WRITE,    /* data at offset `at` of fd */
    CHANGE_TRUNCATE, /* fd, to a length of `at` bytes */
    CHANGE_SYNC,     /* fd */
    CHANGE_RENAME,   /* path to second */
    CHANGE_UNLINK,   /* path */
    CHANGE_MKDIR,    /* path */
} change_kind_t;

typedef struct {
    uint32_t kind;
    int32_t fd;
    uint64_t at;
    uint32_t path, second, data; /* lengths in bytes */
    uint32_t reserved;
} change_head_t;

#endif
