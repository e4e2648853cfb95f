/*
 * How far a run is, in a small file of its folder: rewritten about once a second while the run
 * simulates, gone when it does not. For who watches many runs, on this machine or on another.
 */
#ifndef RUBATO_RUN_RUN_STATUS_H
#define RUBATO_RUN_RUN_STATUS_H

#include <stdbool.h>
#include <stdint.h>

enum { RUN_STATUS_HOST = 65 };

typedef struct {
    double share; /* of the work, 0 to 1; negative: not known */
    uint64_t launch, launches;
    double rate;         /* warp instructions per host second; negative: not known yet */
    double seconds_left; /* negative: not known yet */
    uint64_t rss_bytes;
    int64_t when;               /* time() of the writer; set by run_status_write() */
    char host[RUN_STATUS_HOST]; /* of the writer; set by run_status_write() */
} run_status_t;

/* Creates the file in a folder; returns its descriptor, or -1: a run does without. */
int run_status_open(const char *folder);
void run_status_write(int fd, const run_status_t *s);
void run_status_close(int fd, const char *folder);

/* Removes the file, if there is one: of a process that could not. */
void run_status_remove(const char *folder);

/* false: there is none, or it is not whole. */
bool run_status_read(const char *folder, run_status_t *s);

/*
 * Whether a run simulates in the folder now: its status is not old, and, if it runs on this host,
 * it holds its journal.
 */
bool run_status_alive(const char *folder, const run_status_t *s);

#endif
