/* Inside libfaults.so: which calls fail, what is noted of them, and the calls behind them. */
#ifndef RUBATO_TESTS_FAULT_CALLS_H
#define RUBATO_TESTS_FAULT_CALLS_H

#include <stddef.h>

#include "tests/faults/fault_log.h"
#include "tests/faults/fault_plan.h"

/* The function of that name in the library behind this one. */
typedef void (*fault_function_t)(void);
fault_function_t fault_behind(const char *name);
#define BEHIND(name) ((__typeof__(&name))fault_behind(#name))

#define FAULT_EXPORT __attribute__((visibility("default")))

/*
 * Counts a call of that kind, on a file (path, or the descriptor fd if that is NULL; -1: none).
 * caller: an address in the code that made it. Returns 0 if the call is to be made, FAULT_SHORT if
 * it is to do half of its work; else it is to fail, with errno set.
 */
int fault_count(fault_kind_t kind, const char *path, int fd, const void *caller);

/* The same of a call that gives a file another name. */
int fault_count_rename(const char *path, const char *second, const void *caller);
#define FAULT_HERE(kind, path, fd) fault_count(kind, path, fd, __builtin_return_address(0))

/* open() for a caller elsewhere. */
int fault_open(const char *path, int flags, unsigned mode, const void *caller);

/* Appends a change to the log, if there is one. */
void fault_log(change_kind_t kind, int fd, uint64_t at, const char *path, const char *second,
               const void *data, size_t n);

#endif
