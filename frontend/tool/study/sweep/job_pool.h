/*
 * Child processes, limited in number. Each is in its own process group, so that a Ctrl-C at the
 * terminal reaches only this process, which decides what to pass on. Each gets SIGTERM if this
 * process dies.
 *
 * Between job_pool_begin() and job_pool_end() SIGCHLD, SIGINT, SIGTERM and SIGUSR2 are blocked:
 * job_pool_wait() reports them, except stop requests that this process was started to ignore.
 */
#ifndef RUBATO_STUDY_JOB_POOL_H
#define RUBATO_STUDY_JOB_POOL_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "sim/core/err.h"

typedef struct {
    pid_t pid; /* 0: free */
    size_t job;
    double begun; /* monotonic seconds */
} job_slot_t;

typedef struct {
    job_slot_t *slots; /* owned */
    size_t n_slots, running;
    unsigned stops; /* number of stop requests received */
    sigset_t awaited, mask_before;
    struct sigaction child_before;
} job_pool_t;

void job_pool_begin(job_pool_t *p, size_t n_slots);

/*
 * Starts argv (argv[0]: path of the program) in a free slot, which must exist. Standard input and
 * output are /dev/null, standard error is appended to the file log. RB_IO.
 */
RB_CHECKED rb_code_t job_pool_start(job_pool_t *p, size_t job, char *const *argv, const char *log,
                                    rb_err_t *err);

typedef enum { JOB_NOTHING, JOB_ENDED, JOB_STOP } job_event_t;

/*
 * Waits for at most this many seconds. JOB_ENDED: *job ended with *status, an exit status or 128 +
 * signal; JOB_STOP: this process was asked to stop.
 */
job_event_t job_pool_wait(job_pool_t *p, double seconds, size_t *job, int *status);

/* Sends a signal to all running jobs. */
void job_pool_signal(const job_pool_t *p, int signal_number);

/* No job may be running. */
void job_pool_end(job_pool_t *p);

#endif
