/*
 * The timeline of a run: launches, the blocks on every SM, warp states, and what waits where, as a
 * file for ui.perfetto.dev. A cycle is a nanosecond there. The file is there when the run has ended
 * or was stopped; its size is bounded.
 */
#ifndef RUBATO_RUN_RUN_TIMELINE_H
#define RUBATO_RUN_RUN_TIMELINE_H

#include "sim/gpu/gpu.h"

typedef struct run_timeline run_timeline_t;

/* "launch=3-5,cycles=0-20k,step=500", any of them; NULL: everything. RB_USAGE. */
RB_CHECKED rb_code_t run_timeline_range(const char *text, chip_view_plan_t *out, rb_err_t *err);

/* RB_USAGE, RB_IO: the file cannot be made. */
RB_CHECKED rb_code_t run_timeline_open(run_timeline_t **t, const char *path, rb_err_t *err);

/* Draws a view. */
void run_timeline_view(run_timeline_t *t, const chip_view_t *v);

/* Puts the file in place. RB_IO. Nothing on NULL. */
RB_CHECKED rb_code_t run_timeline_finish(run_timeline_t *t, rb_err_t *err);

/* Releases t, and what is not finished; NULL is allowed. */
void run_timeline_free(run_timeline_t *t);

#endif
