/*
 * The values of a launch that add up to those of a program, and statistics as sums of them or as quotients
 * of two such sums: the form in which the variance of a statistic can be computed.
 */
#ifndef RUBATO_ESTIMATE_LAUNCH_VALUES_H
#define RUBATO_ESTIMATE_LAUNCH_VALUES_H

#include "sampling/estimate/launch_error.h"

/* The values of a launch that add up to those of a run: those of launch_estimate_t, and the rest. */
enum {
    VALUE_CYCLES,
    VALUE_COUNTERS,
    VALUE_LAUNCH_CYCLES = LAUNCH_VALUES,
    VALUE_BLOCKS,
    VALUE_WARP_INSTS,
    VALUE_THREAD_INSTS,
    VALUE_COPIED_BYTES,
    STAT_VALUES
};

/* The place of a counter among them, such as VALUE_AT(l2.fills). */
#define VALUE_AT(member) (VALUE_COUNTERS + GPU_COUNTER_AT(member))

/* Adds weight times the values of a launch to sum. */
void launch_values_add(double sum[STAT_VALUES], const launch_result_t *r, double weight);

enum { FORM_TERMS_MAX = 24 };
typedef struct {
    linear_term_t term[FORM_TERMS_MAX];
    size_t n;
} linear_form_t;

typedef struct {
    linear_form_t num, den; /* den.n 0: not a quotient; num.n 0 too: the statistic has no error */
    double most;            /* upper limit; INFINITY: unknown */
} stat_form_t;

/* Statistics: first those that are sums, of which number 0 is the cycles, then the quotients. */
typedef struct {
    stat_form_t *form; /* owned by whoever made the list; n of them */
    size_t n, sums;
} stat_list_t;

double form_value(const linear_form_t *f, const double values[STAT_VALUES]);

#endif
