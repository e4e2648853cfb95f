/* The intervals of all statistics that a run printed, from its run.json. */
#ifndef RUBATO_EVALUATE_RUN_INTERVALS_H
#define RUBATO_EVALUATE_RUN_INTERVALS_H

#include <stddef.h>
#include <stdint.h>

#include "sim/core/err.h"

typedef struct {
    uint64_t launch;  /* 0: of the whole run */
    char *name;       /* owned: the path below "interval": "cycles", "ipc", "sm.warp_insts" */
    double low, high; /* NAN: none */
    char *note; /* owned; what the interval does not cover, or why there is none; NULL: nothing */
} run_interval_t;

typedef struct {
    run_interval_t *list; /* owned; sorted by launch, then name */
    size_t n, cap;
} run_intervals_t;

/*
 * Reads every member of "totals.interval" and of each launch's "interval", whatever their names.
 * path: run.json. RB_TRACE with file and line if it is not JSON; RB_IO. The caller frees r, also
 * after an error.
 */
RB_CHECKED rb_code_t run_intervals_read(run_intervals_t *r, const char *path, rb_err_t *err);
void run_intervals_free(run_intervals_t *r);

/* NULL if there is none. */
const run_interval_t *run_intervals_find(const run_intervals_t *r, uint64_t launch,
                                         const char *name);

#endif
