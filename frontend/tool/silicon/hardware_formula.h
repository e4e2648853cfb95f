/*
 * Which statistics of a run stand for a measured column: those that carry the name of an Nsight
 * Compute metric stand for the column of that name; a table has the rest (cycles, durations, sums
 * and quotients, names of other tables).
 */
#ifndef RUBATO_HARDWARE_HARDWARE_FORMULA_H
#define RUBATO_HARDWARE_HARDWARE_FORMULA_H

#include <stdbool.h>
#include <stddef.h>

#include "frontend/tool/library/metrics.h"

/* What is read of runs: paths of values, the last of which is the weight of a sampled launch. */
enum {
    HARDWARE_PATHS = SM_STAT_COUNT + L2_STAT_COUNT + DRAM_STAT_COUNT + METRIC_COUNT + 3,
    HARDWARE_PATH_WEIGHT = HARDWARE_PATHS - 1,
    HARDWARE_PLUS = 4,
    HARDWARE_MINUS = 2,
    HARDWARE_FORMULAS = 2, /* for a column, at most */
};
extern const char *const hardware_paths[HARDWARE_PATHS];

/* (plus ... - minus ...) / over * factor, of indices of paths; over: HARDWARE_PATHS: nothing. */
typedef struct hardware_formula {
    size_t plus[HARDWARE_PLUS], n_plus, minus[HARDWARE_MINUS], n_minus, over;
    double factor;
    bool seconds;        /* cycles are divided by the core clock */
    bool share;          /* the value is a share of 1 */
    const char *variant; /* what tells it from the column's other formula; "": there is one */
} hardware_formula_t;

/*
 * The formulas that stand for a column; returns how many. 0: no statistic does. 2: elapsed cycles,
 * of which a profiler counts an unknown part of the launch's overhead: with the launch latency
 * taken off, and with it in.
 */
size_t hardware_formulas(const char *column, hardware_formula_t f[HARDWARE_FORMULAS]);

/* The formula for people, at most cap bytes. */
void hardware_formula_describe(const hardware_formula_t *f, char *text, size_t cap);

/* values: of the paths. clock_mhz: of the core. */
double hardware_formula_value(const hardware_formula_t *f, const double *values, double clock_mhz);

#endif
