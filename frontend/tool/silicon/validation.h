/*
 * The suite of microbenchmarks on one GPU: values measured on the card beside those of the
 * model.
 */
#ifndef RUBATO_HARDWARE_VALIDATION_H
#define RUBATO_HARDWARE_VALIDATION_H

#include <stdio.h>

#include "frontend/tool/silicon/config_guesses.h"
#include "frontend/tool/silicon/silicon_measure.h"

/* Rows without a gate neither pass nor fail: they are within what they allow, or beyond it. */
typedef enum {
    VERDICT_PASS,
    VERDICT_FAIL,
    VERDICT_REPORT,
    VERDICT_BEYOND,
    VERDICT_NO_TABLE
} verdict_t;

typedef struct {
    char *point; /* owned; NULL: a test of one point */
    double measured, simulated;
} validation_point_t;

typedef struct {
    const suite_test_t *test;     /* borrowed */
    const suite_expect_t *expect; /* borrowed */
    validation_point_t *points;   /* owned */
    size_t n_points;
    /*
     * A fraction of the measured value or a difference, like the tolerance. One point: signed;
     * points of a listing: the worst one; a published curve: the mean of absolute errors.
     */
    double error;
    verdict_t verdict;
    const char
        *calibrates; /* settings that were chosen by the measured value, or "rule": the row is
                             * calibration. NULL: it is evidence. Borrowed */
} validation_row_t;

typedef struct {
    const char *gpu;       /* name of the configuration */
    const char *only;      /* NULL: all; otherwise "C1,M": identifiers or prefixes of them */
    const char *published; /* folder of published tables, or NULL */
    const char **sets;     /* settings, "key=value" */
    size_t n_sets;
    int threads;
    bool short_form;
    /* Called before each test; may be NULL. */
    void (*progress)(const suite_test_t *t, const char *point);
} validation_options_t;

typedef struct {
    const char *gpu;
    char name[64]; /* of the card */
    double clock_mhz;
    bool changed;           /* changed by settings of the command line */
    validation_row_t *rows; /* owned */
    size_t n, cap;
    size_t unmeasured; /* number of tests without a published value for this card */
    config_guesses_t guesses;
} validation_t;

/* Runs the suite. RB_USAGE if only matches no test. */
RB_CHECKED rb_code_t validation_run(validation_t *v, const suite_t *suite,
                                    const validation_options_t *o, rb_err_t *err);
void validation_free(validation_t *v);

size_t validation_count(const validation_t *v, verdict_t verdict);

/* The same among the rows that are calibration, or among those that are evidence. */
size_t validation_count_kind(const validation_t *v, verdict_t verdict, bool calibration);

/* "calibration", "evidence". */
const char *validation_kind(const validation_row_t *r);

/* "pass", "FAIL", "report", "BEYOND", "no table". */
const char *verdict_text(verdict_t verdict);

/* A value with four significant digits; an error or tolerance in the format of the expectation. */
enum { VALIDATION_TEXT = 32 };
const char *validation_number(char text[VALIDATION_TEXT], double v);
const char *validation_error(char text[VALIDATION_TEXT], const validation_row_t *r);
const char *validation_tolerance(char text[VALIDATION_TEXT], const suite_expect_t *e);

/* Output for people; the same as files: one row per point, everything, plots of curves. */
void validation_print(const validation_t *v, bool guesses, FILE *out);
void validation_write_csv(const validation_t *v, size_t n, FILE *out);
void validation_write_json(const validation_t *v, size_t n, FILE *out);
void validation_write_html(const validation_t *v, size_t n, FILE *out);

#endif
