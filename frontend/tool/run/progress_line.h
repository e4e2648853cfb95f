/*
 * The progress line on standard error: percentage, launch, rate, time left, memory; where
 * nobody knows how much there is to do (a program that runs), the percentage is that of the launch,
 * and the time is that gone by. It is redrawn
 * at most six times a second and steps aside for messages. The same goes into a run's status file.
 */
#ifndef RUBATO_RUN_PROGRESS_LINE_H
#define RUBATO_RUN_PROGRESS_LINE_H

#include <stdbool.h>

#include "sim/core/host_time.h" /* clock_seconds() */
#include "sim/gpu/gpu.h"

typedef enum { PROGRESS_AUTO, PROGRESS_ALWAYS, PROGRESS_NEVER } progress_when_t;
extern const char *const progress_when_words[]; /* in that order; ends with NULL */

typedef struct {
    bool on, shown;
    double started, begun,
        drawn;               /* seconds of clock_seconds(): of the begin, the first update, ... */
    uint64_t insts_at_begin; /* warp instructions at the first update */
    double share_at_begin;   /* of the work, at the first update */
    bool begun_known;
    unsigned columns;
    int status;    /* descriptor of run_status_open(); -1: none */
    double stated; /* when it was written last */
} progress_line_t;

/* Starts the clock and hooks into the log. p must live until progress_line_end(). */
void progress_line_begin(progress_line_t *p, progress_when_t when);

/* After the begin: the same is to be written to a descriptor of run_status_open() too. */
void progress_line_state(progress_line_t *p, int status);
void progress_line_update(progress_line_t *p, const gpu_progress_t *g);
void progress_line_end(progress_line_t *p);

/* Peak resident memory of the process. */
uint64_t clock_peak_rss_bytes(void);

/* Width of the terminal behind fd, or otherwise. */
unsigned terminal_columns(int fd, unsigned otherwise);

#endif
