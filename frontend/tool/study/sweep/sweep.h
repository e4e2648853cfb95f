/*
 * The jobs of a study, and their folder:
 *
 *   jobs.tsv        one line per job: number, id, the command, trace, GPU and the point
 *   jobs/ID/        the folder of a run
 *   jobs/ID.log     messages of the run
 *   jobs/ID.failed  why it failed, if it did
 *   results.csv     one row per job and launch; jobs.csv: one row per job
 *   lock            held while a sweep runs here
 *
 * The id of a job is a hash of everything on which its results depend: the trace's bytes, the
 * resolved configuration, sampler, seed, profile, selection of launches, version and program. Equal
 * jobs are run once; a job that is complete under its id is never run again.
 */
#ifndef RUBATO_STUDY_SWEEP_H
#define RUBATO_STUDY_SWEEP_H

#include "frontend/tool/run/progress_line.h"
#include "frontend/tool/study/study.h"

enum { SWEEP_ID = 17 };

typedef enum {
    SWEEP_WAITING,
    SWEEP_RUNNING,
    SWEEP_STOPPED,
    SWEEP_FAILED,
    SWEEP_DONE
} sweep_state_t;
enum { SWEEP_STATES = SWEEP_DONE + 1 };
extern const char *const sweep_state_names[SWEEP_STATES];

typedef struct {
    char id[SWEEP_ID];
    char *folder;  /* owned: DIR/jobs/ID */
    char *command; /* owned; the run as a shell command */
    char **argv;   /* owned, like its elements; the run; NULL: read from jobs.tsv */
    char **fields; /* owned, like its elements; values of sweep_t.columns */
    char *label;   /* owned: the fields, for people */
    size_t same;   /* the first job with this id, which is the one that runs */
    size_t
        base; /* the job of whose choice of launches it takes a part, which runs before; itself: none */
    sweep_state_t state;
    char *reason; /* owned; why it failed in this process; NULL: its files tell */
} sweep_job_t;

typedef struct {
    char *folder;   /* owned */
    char **columns; /* owned, like its elements; "trace", "gpu", then the keys of the points */
    size_t n_columns;
    bool split;        /* the last column is the part of a split job, "2/8" */
    sweep_job_t *jobs; /* owned; by trace, GPU and point; parts come before their whole */
    size_t n_jobs, cap_jobs;
    int lock; /* descriptor; -1: none */
} sweep_t;

/* Name of the column of parts. */
extern const char sweep_part_column[];

/* Number of columns that describe a job, without that of the part. */
static inline size_t sweep_columns(const sweep_t *s)
{
    return s->n_columns - s->split;
}

/* Whether a job is a part; its results are merged into its whole. */
static inline bool sweep_is_part(const sweep_t *s, size_t job)
{
    return s->split && s->jobs[job].fields[s->n_columns - 1][0] != '\0';
}

/* Whether a job merges parts; *ready: all of them are done. */
bool sweep_is_whole(const sweep_t *s, size_t job, bool *ready);

/* The first columns; the others are keys of the points. */
enum { SWEEP_TRACE, SWEEP_GPU, SWEEP_POINT };

/* Does nothing for an empty sweep: zeroed, with lock -1. */
void sweep_free(sweep_t *s);

/*
 * Opens every trace, resolves every point and checks that each launch fits on each GPU, so that all
 * errors are reported before anything runs. tmpdir: NULL for the default.
 */
RB_CHECKED rb_code_t sweep_prepare(sweep_t *s, const study_t *study, const char *folder,
                                   const char *tmpdir, rb_err_t *err);

/* Creates the folder, takes its lock (RB_USAGE if another sweep holds it) and writes jobs.tsv. */
RB_CHECKED rb_code_t sweep_begin(sweep_t *s, rb_err_t *err);

/* Reads the jobs of a folder from its jobs.tsv. RB_USAGE if it has none. */
RB_CHECKED rb_code_t sweep_open(sweep_t *s, const char *folder, rb_err_t *err);

/* Updates the state of every job from its files. RB_IO: one cannot be read; the others are known. */
RB_CHECKED rb_code_t sweep_look(sweep_t *s, rb_err_t *err);

/*
 * Waits while a job runs elsewhere. A run on a lost node appears to run until its status is a
 * minute old.
 */
void sweep_await(sweep_t *s, size_t job);

/* Records how the run of a job ended: status is an exit status or 128 + signal. Writes or removes
 * marker files. */
RB_CHECKED rb_code_t sweep_mark(sweep_t *s, size_t job, int status, rb_err_t *err);

/* Why a job failed, in one line; the caller frees it. */
char *sweep_reason(const sweep_t *s, size_t job);

/* DIR/jobs/ID and an extension; the caller frees it. */
char *sweep_job_path(const sweep_job_t *job, const char *ending);

/* Runs one job, or all (SWEEP_ALL), or those whose parts are all done (SWEEP_WHOLES), or those that
 * take a part of the choice of a job that is done (SWEEP_REPEATS), except finished ones, at most n at a time.
 * RB_STOPPED on request. */
#define SWEEP_ALL     SIZE_MAX
#define SWEEP_WHOLES  (SIZE_MAX - 1)
#define SWEEP_REPEATS (SIZE_MAX - 2)
RB_CHECKED rb_code_t sweep_run(sweep_t *s, size_t only, size_t n, progress_when_t progress,
                               rb_err_t *err);

/* Formats the progress of a running job; the heading of such lines. */
enum { SWEEP_LINE = 512 };
extern const char sweep_line_head[];
void sweep_job_line(const sweep_t *s, size_t job, char line[SWEEP_LINE]);

/* Counts the jobs in each state. */
void sweep_count(const sweep_t *s, size_t count[SWEEP_STATES]);

#endif
