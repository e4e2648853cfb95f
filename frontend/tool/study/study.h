/*
 * A study: traces, GPUs, and points at which each trace is run on each GPU. A point is a set of
 * assignments: to settings of the configuration ("l2.size"), and to run options (delta, sample,
 * plan, seed, launches), called words.
 *
 * Points come from axes (their full product), from a list, or from both (each listed point with
 * each point of the product). Their order is that of the study: the first point of the first GPU is
 * the baseline of a trace.
 */
#ifndef RUBATO_STUDY_STUDY_H
#define RUBATO_STUDY_STUDY_H

#include <stdbool.h>
#include <stddef.h>

#include "sim/core/err.h"

enum { STUDY_JOBS_MAX = 100000 }; /* a larger study is refused as a mistake */

typedef struct {
    char *key, *value; /* owned */
    int line;          /* in the study file; 0: none */
} study_assignment_t;

/* A set of assignments. */
typedef struct {
    study_assignment_t *item; /* owned */
    size_t n, cap;
} study_set_t;

typedef struct {
    char *path;    /* owned */
    char *name;    /* owned; name in tables, unique in the study */
    char *profile; /* owned; profile for samplers; NULL: none */
    char *match;   /* owned; which traces of a folder (trace_tree_match()); NULL: all */
    bool named;    /* the user chose the name */
    int line;      /* in the study file; 0: none */
} study_trace_t;

typedef struct {
    char *key;     /* owned */
    int line;      /* in the study file; 0: none */
    char **values; /* owned */
    size_t n, cap;
} study_axis_t;

/* A named change, defined in the study file. */
typedef struct {
    char *name; /* owned */
    study_set_t set;
} study_delta_t;

typedef struct {
    char *file; /* owned; name of the study file for messages; NULL: from a command line */
    study_trace_t *traces;
    size_t n_traces, cap_traces;
    char **gpus; /* as for conf_load_gpu(); none: each trace's default */
    size_t n_gpus, cap_gpus;
    study_set_t common; /* assigned at every point */
    study_axis_t *axes;
    size_t n_axes, cap_axes;
    bool samplers_may_fail; /* a sampler that cannot work on a trace fails its job instead of the
                             * study */
    bool chooses_once;      /* points take launches that the first one chose */
    bool detectors;         /* jobs with samplers keep the detectors' observations */
    size_t split;           /* number of processes that share the launches of a job; 0: one
                             * process */
    study_set_t *listed;
    size_t n_listed, cap_listed;
    study_delta_t *deltas;
    size_t n_deltas, cap_deltas;

    char **unpacked; /* owned, like its elements; folders made by study_expand() */
    size_t n_unpacked, cap_unpacked;

    /* Set by study_finish(): the points as a table. */
    char **columns; /* owned; keys that differ between points, in order of first occurrence */
    size_t n_columns, cap_columns;
    const char **cells; /* owned; n_points rows of n_columns; NULL: not assigned at this point */
    size_t n_points;
} study_t;

study_t *study_create(void);
void study_destroy(study_t *s); /* NULL is allowed */

/* Copies its arguments; name and profile may be NULL. line: in the study file, 0 without. RB_USAGE
 * (RB_CONFIG with a file) names the mistake. */
RB_CHECKED rb_code_t study_add_trace(study_t *s, const char *path, const char *name,
                                     const char *profile, int line, rb_err_t *err);

/* Frees the contents of a trace. */
void study_trace_free(study_trace_t *trace);

/* A pattern such as "plans/{trace}.json" with the name of the trace; the caller frees it. */
char *study_name_pattern(const char *pattern, const char *trace);
RB_CHECKED rb_code_t study_add_gpu(study_t *s, const char *gpu, int line, rb_err_t *err);

/* Adds an axis, which must not exist, without values. */
RB_CHECKED rb_code_t study_add_axis(study_t *s, const char *key, int line, study_axis_t **axis,
                                    rb_err_t *err);
RB_CHECKED rb_code_t study_add_value(const study_t *s, study_axis_t *axis, const char *value,
                                     int line, rb_err_t *err);

/* Adds a listed point, to which values can be assigned; valid until the next one is added. */
study_set_t *study_add_point(study_t *s);

/* Adds an assignment to s->common, a listed point or a delta; a key may occur once per set. */
RB_CHECKED rb_code_t study_assign(const study_t *s, study_set_t *set, const char *key,
                                  const char *value, int line, rb_err_t *err);

/* Adds "key=value" of -s as a common setting. */
RB_CHECKED rb_code_t study_add_setting(study_t *s, const char *text, rb_err_t *err);

/* Adds "l2.size=1.5MiB,3MiB" of a command line as an axis. */
RB_CHECKED rb_code_t study_add_vary(study_t *s, const char *text, rb_err_t *err);

/* Reads a study file (format: docs/sweep.md). Paths are relative to its folder. */
RB_CHECKED rb_code_t study_read_file(study_t *s, const char *path, rb_err_t *err);

/* Checks the complete study and computes the points. */
RB_CHECKED rb_code_t study_finish(study_t *s, rb_err_t *err);

/* The cell of a point; NULL: not assigned. */
const char *study_cell(const study_t *s, size_t point, size_t column);

/* A path of the study, relative to the folder of its file if it has one; the caller frees it. */
char *study_path(const study_t *s, const char *path);

/* Distinguishes files from names like conf_load_gpu(). */
bool study_gpu_is_file(const char *gpu);

/* The last component of a path without trailing slashes; *n: its length. */
const char *study_last_part(const char *path, size_t *n);

/* The value of a word ("seed") at a point; NULL: none. */
const char *study_word(const study_t *s, size_t point, const char *word);

/* "l2.size=3MiB sm.count=40"; "as it is" for a point without columns. The caller frees it. */
char *study_point_text(const study_t *s, size_t point);

/* Words that a point may set besides settings; NULL-terminated. */
extern const char *const study_words[];

/*
 * Fails with why's code and reason, naming the point and, if known, the study file and line. trace:
 * the job's trace; NULL: all traces.
 */
RB_CHECKED rb_code_t study_point_fail(const study_t *s, size_t point, const char *trace,
                                      const char *gpu, const rb_err_t *why, rb_err_t *err);

/* Fails with the prefix "FILE:LINE: ", as far as they are known. */
rb_code_t study_fail(const study_t *s, int line, rb_err_t *err, const char *fmt, ...)
    RB_PRINTF(4, 5);

#endif
