/*
 * The timeline of a run: launches, blocks on every SM, warp states and queues, as a file for
 * ui.perfetto.dev, in which a cycle is a nanosecond. The file appears when the run has ended or was
 * stopped; its size is bounded.
 */
#ifndef RUBATO_RUN_RUN_TIMELINE_H
#define RUBATO_RUN_RUN_TIMELINE_H

#include "sim/gpu/gpu.h"

typedef struct run_timeline run_timeline_t;

/* Parses "launch=3-5,cycles=0-20k,step=500", with any of its parts; NULL: everything. RB_USAGE. */
RB_CHECKED rb_code_t run_timeline_range(const char *text, chip_view_plan_t *out, rb_err_t *err);

/* RB_USAGE, RB_IO: the file cannot be created. */
RB_CHECKED rb_code_t run_timeline_open(run_timeline_t **t, const char *path, rb_err_t *err);

/* Draws a view. */
void run_timeline_view(run_timeline_t *t, const chip_view_t *v);

/* Draws a track for each stream, of launches that overlapped, instead of views. name_of: the name of a
 * launch, valid until the next call. */
void run_timeline_work(run_timeline_t *t, const stream_graph_t *g, const stream_op_time_t *times,
                       const char *(*name_of)(void *ctx, uint64_t launch), void *ctx);

/* Renames the file to its final name. RB_IO. Does nothing for NULL. */
RB_CHECKED rb_code_t run_timeline_finish(run_timeline_t *t, rb_err_t *err);

/* Releases t and discards an unfinished file; NULL is allowed. */
void run_timeline_free(run_timeline_t *t);

#endif
