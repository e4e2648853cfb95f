/*
 * How good estimates and their intervals are: one number, such as the cycles of a program, estimated
 * by several runs with different seeds and compared with its true value.
 */
#ifndef RUBATO_EVALUATE_INTERVAL_COVERAGE_H
#define RUBATO_EVALUATE_INTERVAL_COVERAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One estimate. */
typedef struct {
    double truth, value;
    double low, high;   /* of the interval; NAN: none was printed */
    bool exact;         /* nothing was left out: no interval is needed */
    const char *reason; /* why there is no interval; NULL: not known; borrowed */
} estimate_case_t;

/* A reason for which runs have no interval. */
typedef struct {
    char *text; /* owned */
    uint64_t runs;
} missing_reason_t;

/* Zeroed: no estimates yet. Free with coverage_free(). */
typedef struct {
    bool share;    /* a fraction: errors are differences, not relative */
    double *error; /* owned; signed; NAN: the truth is 0 or unknown */
    size_t n, cap;
    double half_sum; /* of relative half-widths */
    uint64_t intervals, covered, silent, exact, none;
    missing_reason_t *reasons; /* owned */
    size_t n_reasons, cap_reasons;
} coverage_t;

void coverage_add(coverage_t *c, const estimate_case_t *e);
void coverage_free(coverage_t *c);

/* Errors and half-widths are relative to the truth, or differences if the number is a share. NAN:
 * unknown. */
typedef struct {
    uint64_t runs;                 /* the four kinds below add up to it */
    uint64_t intervals;            /* runs with an interval, and how many of these ... */
    uint64_t covered;              /* ... contain the truth; */
    uint64_t silent;               /* ... are off by more than twice their half-width */
    uint64_t exact, none;          /* runs that left nothing out; runs without an interval */
    double coverage, silent_share; /* of the intervals */
    double half_width;             /* mean */
    double bias;                   /* mean of the signed errors */
    double error_mean, error_p95, error_max;
} coverage_summary_t;

coverage_summary_t coverage_summary(const coverage_t *c);

/* Share of the runs whose error is at most bound; NAN if the bound or the errors are unknown. */
double coverage_within(const coverage_t *c, double bound);

#endif
