/*
 * The progress line on standard error: percentage, launch, rate, time left, memory. If the amount
 * of work is unknown (a running program), the percentage is that of the launch, and the time is the
 * elapsed time. It is redrawn at most six times per second and makes room for messages. The same
 * data goes into a run's status file.
 */
#ifndef RUBATO_RUN_PROGRESS_LINE_H
#define RUBATO_RUN_PROGRESS_LINE_H

#include <stdbool.h>

#include "sim/core/host_time.h" /* clock_seconds() */
#include "sim/gpu/gpu.h"

typedef enum { PROGRESS_AUTO, PROGRESS_ALWAYS, PROGRESS_NEVER } progress_when_t;
extern const char *const progress_when_words[]; /* in the order above; ends with NULL */

typedef struct {
    bool on, shown;
    double started, begun, drawn; /* clock_seconds() of the start, the first update, ... */
    uint64_t insts_at_begin;      /* warp instructions at the first update */
    double share_at_begin;        /* fraction of the work done at the first update */
    bool begun_known;
    unsigned columns;
    int status;    /* descriptor of run_status_open(); -1: none */
    double stated; /* time of the last write to it */
} progress_line_t;

/* Starts the clock and registers with the log. p must live until progress_line_end(). */
void progress_line_begin(progress_line_t *p, progress_when_t when);

/* After the start: also writes the progress to a descriptor of run_status_open(). */
void progress_line_state(progress_line_t *p, int status);
void progress_line_update(progress_line_t *p, const gpu_progress_t *g);
void progress_line_end(progress_line_t *p);

/* Peak resident memory of the process. */
uint64_t clock_peak_rss_bytes(void);

/* Width of the terminal behind fd, or otherwise if there is none. */
unsigned terminal_columns(int fd, unsigned otherwise);

#endif
