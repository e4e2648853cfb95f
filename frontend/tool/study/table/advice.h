/*
 * What bounds the kernels of a run, and what changes would bring: the same trace on the same GPU with
 * parts that are perfect, or larger, as a study.
 */
#ifndef RUBATO_STUDY_ADVICE_H
#define RUBATO_STUDY_ADVICE_H

#include <stdio.h>

#include "frontend/tool/study/sweep/sweep.h"

/* X(name, key, value, title): the changes; the first point of the study is the run itself. */
#define ADVICE_CHANGES(X)                                                                          \
    X(DRAM, "dram.perfect", "true", "DRAM")                                                        \
    X(L2, "l2.perfect", "true", "L2")                                                              \
    X(L1, "l1.perfect", "true", "L1")                                                              \
    X(XBAR, "icnt.perfect", "true", "crossbar")                                                    \
    X(ICACHE, "icache.perfect", "true", "instruction caches")                                      \
    X(IDEAL, "sm.ideal", "true", "SM without stalls")                                              \
    X(CACHES, "delta", "stem_cache_x2", "twice the caches")                                        \
    X(BIG_L1, "l1.scale", "2", "twice the L1")                                                     \
    X(SMS, "delta", "stem_sm_x2", "twice the SMs")

#define ADVICE_ENUM_(name, key, value, title) ADVICE_##name,
enum { ADVICE_CHANGES(ADVICE_ENUM_) ADVICE_COUNT };

/* Adds the points of the advice to a study. RB_USAGE. */
RB_CHECKED rb_code_t advice_points(study_t *study, rb_err_t *err);

enum { ADVICE_STATES_MAX = 32 };

/* The launches of a kernel together, each as often as it stands for. */
typedef struct {
    char *name; /* owned; as in the trace */
    double launches, cycles;
    double changed[ADVICE_COUNT];     /* cycles; NAN: that job is not done */
    double states[ADVICE_STATES_MAX]; /* warp cycles; see advice_state() */
} advice_kernel_t;

typedef struct {
    advice_kernel_t *kernels; /* owned; the longest first */
    size_t n, cap;
    double cycles; /* of all */
} advice_t;

/* The name of a warp state ("long_scoreboard"); NULL: there are no more. */
const char *advice_state(size_t i);

/* Reads the results of a sweep of advice_points() for one trace and GPU. RB_USAGE: its first job is
 * not done; RB_TRACE, RB_IO. The caller frees a, also after an error. */
RB_CHECKED rb_code_t advice_read(advice_t *a, const sweep_t *s, rb_err_t *err);
void advice_free(advice_t *a);

/* The part that bounds a kernel, an index of ADVICE_CHANGES: the one whose perfection saves most, of a
 * level of the memory beyond the level below it. ADVICE_COUNT: none saves a tenth of the cycles, so
 * what its warps do in the SM bounds it. */
size_t advice_bound(const advice_kernel_t *k);

/* Prints what is known of a kernel in at most five lines. */
void advice_print(const advice_t *a, const advice_kernel_t *k, FILE *out);

#endif
