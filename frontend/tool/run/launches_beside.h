/*
 * Simulates launches that do not depend on each other side by side: child processes take the next one each, and this
 * process passes on their results in the order of one process.
 */
#ifndef RUBATO_RUN_LAUNCHES_BESIDE_H
#define RUBATO_RUN_LAUNCHES_BESIDE_H

#include "frontend/tool/run/run_parts.h"

typedef struct {
    void *ctx;
    /* In a child: simulates the launch at a position and appends its records to the journal. RB_STOPPED: it was asked to
     * stop. */
    rb_code_t (*simulate)(void *ctx, uint64_t position, journal_t *to, rb_err_t *err);
    const run_parts_taker_t *take; /* borrowed; in this process, after all launches */
    bool (*stop)(void);            /* whether this process was asked to stop */
} launches_beside_t;

/*
 * positions: n of them, ascending. This process must have no other threads. tmpdir: for journals. Adds the processor time of
 * the children to *cpu_seconds. RB_STOPPED: nothing was passed on. The first error of a child; RB_IO.
 */
RB_CHECKED rb_code_t launches_beside(const launches_beside_t *b, const uint64_t *positions,
                                     size_t n, size_t processes, const char *tmpdir,
                                     double *cpu_seconds, rb_err_t *err);

#endif
