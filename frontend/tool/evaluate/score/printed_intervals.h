/* The intervals of all statistics that a run printed, from its run.json. */
#ifndef RUBATO_EVALUATE_PRINTED_INTERVALS_H
#define RUBATO_EVALUATE_PRINTED_INTERVALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/core/err.h"

typedef struct {
    uint64_t launch;  /* 0: of the whole run */
    char *name;       /* owned: the path below "interval": "cycles", "ipc", "sm.warp_insts" */
    double low, high; /* NAN: none */
    char *note; /* owned; what the interval does not cover, or why there is none; NULL: nothing */
} printed_interval_t;

typedef struct {
    printed_interval_t *list; /* owned; sorted by launch, then name */
    size_t n, cap;
} printed_intervals_t;

/*
 * Reads every member of "totals.interval" and of each launch's "interval", whatever their names.
 * path: run.json. RB_TRACE with file and line if it is not JSON; RB_IO. The caller frees r, also
 * after an error.
 */
RB_CHECKED rb_code_t printed_intervals_read(printed_intervals_t *r, const char *path,
                                            rb_err_t *err);
void printed_intervals_free(printed_intervals_t *r);

/* NULL if there is none. */
const printed_interval_t *printed_intervals_find(const printed_intervals_t *r, uint64_t launch,
                                                 const char *name);

/* Whether the cycles of a launch have an interval: its other statistics that have none are exact. */
bool printed_intervals_any(const printed_intervals_t *r, uint64_t launch);

#endif
