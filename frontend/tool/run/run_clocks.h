/*
 * The clock reads of a run (--clock-reads): clock_reads.csv in its folder, a row per read with the
 * launch, the block and warp, the number of the read within the warp, and the cycle since the
 * launch's start.
 */
#ifndef RUBATO_RUN_RUN_CLOCKS_H
#define RUBATO_RUN_RUN_CLOCKS_H

#include "sim/gpu/gpu.h"

#define RUN_CLOCKS_FILE "clock_reads.csv"

typedef struct run_clocks run_clocks_t;

/* RB_IO. */
RB_CHECKED rb_code_t run_clocks_open(run_clocks_t **out, const char *folder, rb_err_t *err);

/* Adds the n reads of a launch, ordered by block, warp and execution. */
void run_clocks_add(run_clocks_t *x, const launch_info_t *info, const clock_read_t *reads,
                    size_t n);

/* Completes the file. RB_IO. Does nothing for NULL. */
RB_CHECKED rb_code_t run_clocks_finish(run_clocks_t *x, rb_err_t *err);

/* Releases x and discards an unfinished file; NULL is allowed. */
void run_clocks_free(run_clocks_t *x);

#endif
