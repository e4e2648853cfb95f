/*
 * A study: traces, GPUs and the points at which each trace is run on each GPU. A point is a set of
 * assignments: to settings of the configuration ("l2.size"), and to words about the run (delta,
 * sample, plan, seed, launches).
 *
 * Points come from axes (their full product), from a list, or from both (each listed point with
 * each point of the product). The order is the order of the study: the first point of the first GPU
 * is the baseline of a trace.
 */
#ifndef RUBATO_STUDY_STUDY_H
#define RUBATO_STUDY_STUDY_H

#include <stdbool.h>
#include <stddef.h>

#include "sim/core/err.h"

enum { STUDY_JOBS_MAX = 100000 }; /* a larger study is refused: it is a mistake */

typedef struct {
    char *key, *value; /* owned */
    int line;          /* of the study file; 0: none */
} study_assignment_t;

/* What is assigned together. */
typedef struct {
    study_assignment_t *item; /* owned */
    size_t n, cap;
} study_set_t;

typedef struct {
    char *path;    /* owned */
    char *name;    /* owned: in tables; unique in the study */
    char *profile; /* owned: for samplers; NULL: none */
} study_trace_t;

typedef struct {
    char *key;     /* owned */
    int line;      /* of the study file; 0: none */
    char **values; /* owned */
    size_t n, cap;
} study_axis_t;

/* A change with a name, of the study file. */
typedef struct {
    char *name; /* owned */
    study_set_t set;
} study_delta_t;

typedef struct {
    char *file; /* owned: the study file, for messages; NULL: from a command line */
    study_trace_t *traces;
    size_t n_traces, cap_traces;
    char **gpus; /* as conf_load_gpu() takes them; none: each trace's default */
    size_t n_gpus, cap_gpus;
    study_set_t common; /* of every point */
    study_axis_t *axes;
    size_t n_axes, cap_axes;
    bool samplers_may_fail; /* one that cannot work on a trace is a job that fails, no refusal */
    bool detectors;         /* jobs with samplers keep what these looked at */
    size_t split;           /* processes that share the launches of a job; 0: one has them all */
    study_set_t *listed;
    size_t n_listed, cap_listed;
    study_delta_t *deltas;
    size_t n_deltas, cap_deltas;

    /* study_finish(): the points as a table. */
    char **columns; /* owned: keys that differ between points, in order of first mention */
    size_t n_columns, cap_columns;
    const char **cells; /* owned; n_points rows of n_columns; NULL: the point says nothing */
    size_t n_points;
} study_t;

study_t *study_create(void);
void study_destroy(study_t *s); /* NULL is allowed */

/* Copies. line: of the study file, 0 without. RB_USAGE (RB_CONFIG with a file) names the mistake.
 */
RB_CHECKED rb_code_t study_add_trace(study_t *s, const char *path, const char *name,
                                     const char *profile, int line, rb_err_t *err);
RB_CHECKED rb_code_t study_add_gpu(study_t *s, const char *gpu, int line, rb_err_t *err);

/* A new axis, to which values are added; it must not exist yet. */
RB_CHECKED rb_code_t study_add_axis(study_t *s, const char *key, int line, study_axis_t **axis,
                                    rb_err_t *err);
RB_CHECKED rb_code_t study_add_value(const study_t *s, study_axis_t *axis, const char *value,
                                     int line, rb_err_t *err);

/* A new listed point, to which values are assigned; valid until the next one. */
study_set_t *study_add_point(study_t *s);

/* Adds to s->common, a listed point or a delta; a key may stand in a set once. */
RB_CHECKED rb_code_t study_assign(const study_t *s, study_set_t *set, const char *key,
                                  const char *value, int line, rb_err_t *err);

/* "key=value" of -s as a common setting. */
RB_CHECKED rb_code_t study_add_setting(study_t *s, const char *text, rb_err_t *err);

/* "l2.size=1.5MiB,3MiB" of a command line as an axis. */
RB_CHECKED rb_code_t study_add_vary(study_t *s, const char *text, rb_err_t *err);

/* Reads a study file; docs/sweep.md says what is in it. Paths in it are relative to its folder. */
RB_CHECKED rb_code_t study_read_file(study_t *s, const char *path, rb_err_t *err);

/* Everything is said: checks the whole and makes the points. */
RB_CHECKED rb_code_t study_finish(study_t *s, rb_err_t *err);

/* The cell of a point; NULL: not said. */
const char *study_cell(const study_t *s, size_t point, size_t column);

/* A path as the study has it, relative to the folder of its file if there is one; to be freed. */
char *study_path(const study_t *s, const char *path);

/* As conf_load_gpu() tells files from names. */
bool study_gpu_is_file(const char *gpu);

/* The last part of a path without the slashes at its end; *n: its length. */
const char *study_last_part(const char *path, size_t *n);

/* Value that a point gives to a word about the run ("seed"); NULL: none. */
const char *study_word(const study_t *s, size_t point, const char *word);

/* "l2.size=3MiB sm.count=40"; "as it is" for a point without columns. To be freed. */
char *study_point_text(const study_t *s, size_t point);

/* Words about the run that a point may set besides settings; NULL-terminated. */
extern const char *const study_words[];

/*
 * Fails with why's code and reason, naming the point and as far as they are known the study file
 * and its line. trace: whose job it is; NULL: all traces'.
 */
RB_CHECKED rb_code_t study_point_fail(const study_t *s, size_t point, const char *trace,
                                      const char *gpu, const rb_err_t *why, rb_err_t *err);

/* Fails with "FILE:LINE: " in front, as far as they are known. */
rb_code_t study_fail(const study_t *s, int line, rb_err_t *err, const char *fmt, ...)
    RB_PRINTF(4, 5);

#endif
