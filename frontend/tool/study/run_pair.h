/*
 * The changes of all statistics between two runs a and b. If both simulated the same launches, as pairs
 * (sampling/estimate/change/change.h); otherwise from the intervals of both, as if their errors had nothing to do
 * with each other, and why.
 */
#ifndef RUBATO_STUDY_RUN_PAIR_H
#define RUBATO_STUDY_RUN_PAIR_H

#include "frontend/tool/run/run_arm.h"
#include "frontend/tool/study/stat_table.h"

enum { RUN_PAIR_WHY = 256 };

/* A run that is compared, perhaps with several others. */
typedef struct {
    char *folder;       /* owned */
    stat_table_t stats; /* stats.csv */
    run_arm_t arm;      /* opened once a pair needs it */
    bool opened;
} run_side_t;

/* RB_TRACE, RB_IO: stats.csv cannot be read. The caller frees *s, also after an error. */
RB_CHECKED rb_code_t run_side_open(run_side_t *s, const char *folder, rb_err_t *err);
void run_side_free(run_side_t *s);

typedef struct {
    run_side_t *a, *b; /* borrowed */
    run_side_t own[2]; /* of run_pair_open() */
    bool paired;
    char why[RUN_PAIR_WHY]; /* if not paired: why; "": nothing was estimated in either */
    uint64_t launches;      /* that both simulated */
    const plan_t *plan;     /* whose strata are used: of a, of b, or of the run that both follow */
    double *values[2], *inside[2]; /* owned; per sample of the plan */
    bool *both;                    /* owned */
    const plan_t *part; /* of the run that simulated a part of the other one's choice; NULL: none */
    bool among;         /* ... both did, of a third run's */
    uint32_t *drawn;    /* owned; if part: how often each sample was drawn */
    double *cycles;     /* owned; if part: of each sample, in the run that chose it */
    uint64_t *kernel;   /* owned; if part: of each sample */
    paired_t *pairs;    /* owned; if paired: of launches */
    unit_pairs_t *units; /* owned; if paired: of units inside a launch */
} run_pair_t;

/* A warning that some estimates state no error; 0: nothing. */
void run_pair_warn(FILE *out, size_t estimates);

/* Files that cannot be read leave no pair, except in RB_IO. *p is zeroed; a and b must outlive it. The caller frees *p, also
 * after an error. */
RB_CHECKED rb_code_t run_pair_make(run_pair_t *p, run_side_t *a, run_side_t *b, rb_err_t *err);

/* The same with the runs in two folders. */
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
