/*
 * Maps measured columns to statistics of a run. A statistic with the name of an Nsight Compute
 * metric corresponds to the column of that name; a table has the others (cycles, durations, sums
 * and quotients, names of other tables).
 */
#ifndef RUBATO_HARDWARE_HARDWARE_FORMULA_H
#define RUBATO_HARDWARE_HARDWARE_FORMULA_H

#include <stdbool.h>
#include <stddef.h>

#include "frontend/tool/library/metrics.h"

/* The paths read from runs; the last one is the weight of a sampled launch. */
enum {
    HARDWARE_PATHS = SM_STAT_COUNT + L2_STAT_COUNT + DRAM_STAT_COUNT + METRIC_COUNT + 3,
    HARDWARE_PATH_WEIGHT = HARDWARE_PATHS - 1,
    HARDWARE_PLUS = 4,
    HARDWARE_MINUS = 2,
    HARDWARE_FORMULAS = 2, /* maximum per column */
};
extern const char *const hardware_paths[HARDWARE_PATHS];

/* (plus ... - minus ...) / over * factor, with indices of paths; over = HARDWARE_PATHS: no
 * division. */
typedef struct hardware_formula {
    size_t plus[HARDWARE_PLUS], n_plus, minus[HARDWARE_MINUS], n_minus, over;
    double factor;
    bool seconds;        /* cycles are divided by the core clock */
    bool share;          /* the value is a fraction of 1 */
    const char *variant; /* how it differs from the column's other formula; "": it is the only
                          * one */
} hardware_formula_t;

/*
 * Returns the number of formulas for a column. 0: no statistic corresponds. 2: elapsed cycles,
 * which include an unknown part of the launch overhead in profilers: without and with the launch
 * latency.
 */
size_t hardware_formulas(const char *column, hardware_formula_t f[HARDWARE_FORMULAS]);

/* The formula as text for people, at most cap bytes. */
void hardware_formula_describe(const hardware_formula_t *f, char *text, size_t cap);

/* Evaluates a formula. values: by path. clock_mhz: of the core. */
double hardware_formula_value(const hardware_formula_t *f, const double *values, double clock_mhz);

#endif
