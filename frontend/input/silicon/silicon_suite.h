/*
 * The suite: kernels and tests of them, read from the listings (*.sil) of a folder.
 * docs/listings.md describes the text.
 */
#ifndef RUBATO_SILICON_SUITE_H
#define RUBATO_SILICON_SUITE_H

#include "frontend/input/silicon/silicon_kernel.h"

/* One launch of a test. All texts are owned by the suite. */
typedef struct {
    const char *kernel;
    kernel_param_t *params; /* owned */
    size_t n_params;
} suite_run_t;

/* Expected values of a test on some GPUs. */
typedef struct {
    const char *gpus;   /* "v100,titan_v" */
    const char *source; /* card, clock and publication */
    bool gates;         /* the row decides pass or fail; otherwise it is only reported */
    double *values;     /* owned; one per point; NULL: from a file */
    size_t n_values;
    const char *file, *x_column, *y_column; /* file and columns of a published table, or NULL */
    double tolerance;
    bool relative; /* the tolerance is a fraction of the value; otherwise it has the value's unit */
} suite_expect_t;

/* The measurement of a test on some GPUs was used to build their models. */
typedef struct {
    const char *gpus; /* "v100,titan_v" */
    const char *what; /* settings, "l2.latency,dram.latency", or "rule": a rule of the model */
} suite_calibration_t;

typedef struct {
    const char *id, *title, *harness, *unit, *file;
    unsigned line;
    suite_run_t *runs;       /* owned */
    kernel_param_t *shorts;  /* owned: parameters of the short form */
    const char **sets;       /* owned: settings, "key=value" */
    const char *value;       /* expression over the results, one value per point */
    const char *points;      /* name of the varying parameter, or NULL: one point */
    const char **point;      /* owned; values of the parameter; none if a file gives them */
    const char *note;        /* may be NULL */
    uint64_t pick;           /* how many points to take from a file's table; 0: all */
    uint64_t pick_short;     /* the same in the short form */
    suite_expect_t *expects; /* owned */
    suite_calibration_t *calibrations; /* owned */
    size_t n_runs, n_shorts, n_sets, n_points, n_expects, n_calibrations;
    size_t cap_runs, cap_shorts, cap_sets, cap_points, cap_expects, cap_calibrations;
} suite_test_t;

typedef struct {
    kernel_text_t *kernels; /* owned */
    suite_test_t *tests;    /* owned, in the order of the files' names */
    kernel_text_t program;  /* of a listing that is a program; no name: there is none */
    const char *summary;    /* of the program; NULL: none */
    size_t n_kernels, n_tests, cap_kernels, cap_tests;
    char **texts; /* owned; all texts that the members above borrow */
    size_t n_texts, cap_texts;
} suite_t;

/* Reads the listings of folder; NULL: silicon_folder_find(). RB_IO; RB_TRACE with file and line. */
RB_CHECKED rb_code_t suite_read(suite_t *s, const char *folder, rb_err_t *err);

/* Reads one listing. RB_IO; RB_TRACE with file and line. */
RB_CHECKED rb_code_t suite_read_file(suite_t *s, const char *path, rb_err_t *err);

void suite_free(suite_t *s);

/* The kernel with that name, or NULL. */
const kernel_text_t *suite_kernel(const suite_t *s, const char *name);

/* The expected values of a test on a GPU (the name of its configuration); NULL: none published. */
const suite_expect_t *suite_expect(const suite_test_t *t, const char *gpu);

/* What the measurement of a test on a GPU was used for ("lat.fp32", "rule"); NULL: it is evidence. */
const char *suite_calibrates(const suite_test_t *t, const char *gpu);

#endif
