/*
 * The progress of a run, in a small file of its folder: rewritten about once per second while the
 * run simulates, and removed afterwards. For monitoring many runs, on this machine or others.
 */
#ifndef RUBATO_RUN_RUN_STATUS_H
#define RUBATO_RUN_RUN_STATUS_H

#include <stdbool.h>
#include <stdint.h>

enum { RUN_STATUS_HOST = 65 };

typedef struct {
    double share; /* fraction of the work, 0 to 1; negative: unknown */
    uint64_t launch, launches;
    double rate;         /* warp instructions per host second; negative: not yet known */
    double seconds_left; /* negative: not yet known */
    uint64_t rss_bytes;
    int64_t when;               /* time() of the writer; set by run_status_write() */
    char host[RUN_STATUS_HOST]; /* host of the writer; set by run_status_write() */
} run_status_t;

/* Creates the file in a folder; returns its descriptor, or -1, with which the run continues without
 * it. */
int run_status_open(const char *folder);
void run_status_write(int fd, const run_status_t *s);
void run_status_close(int fd, const char *folder);

/* Removes the file that a killed process left, if there is one. */
void run_status_remove(const char *folder);

/* False: there is none, or it is incomplete. */
bool run_status_read(const char *folder, run_status_t *s);

/*
 * Whether a run currently simulates in the folder: its status is recent and, if it runs on this
 * host, it holds the lock on its journal.
 */
bool run_status_alive(const char *folder, const run_status_t *s);

#endif
