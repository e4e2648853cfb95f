/* Internals of libfaults.so: decides which calls fail, logs changes, finds the originals. */
#ifndef RUBATO_TESTS_FAULT_CALLS_H
#define RUBATO_TESTS_FAULT_CALLS_H

#include <stddef.h>

#include "tests/faults/fault_log.h"
#include "tests/faults/fault_plan.h"

/* The original function of that name, which libfaults.so replaces. */
typedef void (*fault_function_t)(void);
fault_function_t fault_behind(const char *name);
#define BEHIND(name) ((__typeof__(&name))fault_behind(#name))

#define FAULT_EXPORT __attribute__((visibility("default")))

/*
 * Counts a call on a file: path, or the descriptor fd if path is NULL (fd -1: no file). caller: an
 * address in the code that made the call. Returns 0 if the call must proceed, FAULT_SHORT if it
 * must do half of its work, and otherwise the errno, which is set, with which it must fail.
 */
int fault_count(fault_kind_t kind, const char *path, int fd, const void *caller);

/* The same for a call that gives the file at path another name, `second`. */
int fault_count_rename(const char *path, const char *second, const void *caller);
#define FAULT_HERE(kind, path, fd) fault_count(kind, path, fd, __builtin_return_address(0))

/* open() on behalf of another function's caller. */
int fault_open(const char *path, int flags, unsigned mode, const void *caller);

/* Appends a change to the log, if the plan names one. */
void fault_log(change_kind_t kind, int fd, uint64_t at, const char *path, const char *second,
               const void *data, size_t n);

#endif
