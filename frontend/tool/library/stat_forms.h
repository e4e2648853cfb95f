/*
 * Each statistic as a sum of a launch's values, or as a quotient of two such sums: the form in which
 * its variance can be computed.
 */
#ifndef RUBATO_LIBRARY_STAT_FORMS_H
#define RUBATO_LIBRARY_STAT_FORMS_H

#include "frontend/tool/library/stat_values.h"
#include "sampling/launch/launch_error.h"

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

/* Totals with these values, rounded; launches and what was simulated are 0. */
run_totals_t totals_of_values(const double sum[STAT_VALUES], const gpu_spec_t *spec);

enum { FORM_TERMS_MAX = 24 };
typedef struct {
    linear_term_t term[FORM_TERMS_MAX];
    size_t n;
} linear_form_t;

typedef struct {
    linear_form_t num, den; /* den.n 0: not a quotient; num.n 0 too: the statistic has no error */
    double most;            /* upper limit; INFINITY: unknown */
} stat_form_t;

/* The forms of all statistics, stat_count() of them, in new memory. The caller frees them. */
stat_form_t *stat_forms(const gpu_spec_t *spec);

double form_value(const linear_form_t *f, const double values[STAT_VALUES]);

#endif
