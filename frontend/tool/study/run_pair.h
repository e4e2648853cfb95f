/*
 * The changes of all statistics between two runs a and b. If both simulated the same launches, as pairs
 * (sampling/estimate/change.h); otherwise from the intervals of both, as if their errors had nothing to do
 * with each other, and why.
 */
#ifndef RUBATO_STUDY_RUN_PAIR_H
#define RUBATO_STUDY_RUN_PAIR_H

#include "frontend/tool/study/run_arm.h"

enum { RUN_PAIR_WHY = 256 };

typedef struct {
    run_arm_t a, b;
    bool paired;
    char why[RUN_PAIR_WHY];        /* if not paired: why; "": nothing was estimated in either */
    uint64_t launches;             /* that both simulated */
    const plan_t *plan;            /* of a or of b: whose strata are used */
    double *values[2], *inside[2]; /* owned; per sample of the plan */
    bool *both;                    /* owned */
    paired_t *pairs;               /* owned; if paired */
} run_pair_t;

/* Files that cannot be read leave no pair, except stats.csv: RB_TRACE, RB_IO. The caller frees *p, also
 * after an error. */
RB_CHECKED rb_code_t run_pair_open(run_pair_t *p, const char *a, const char *b, rb_err_t *err);
void run_pair_free(run_pair_t *p);

/* The change of the statistic in a row of stats.csv: in points if it is a share. */
change_t run_pair_change(const run_pair_t *p, const char *path);

/* The same, in the way that is asked for. */
change_t run_pair_change_as(const run_pair_t *p, const char *path, change_kind_t kind);

/* "+1.23 +-0.04 %", "none +-0.04 %" if it contains no change, "+1.2 %" if it is exact, "+1.2 % ?" without an
 * interval; in points: pp. */
enum { RUN_PAIR_TEXT = 48 };
const char *run_pair_text(char text[RUN_PAIR_TEXT], const change_t *c);

#endif
