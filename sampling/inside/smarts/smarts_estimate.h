/*
 * The estimate of smarts: from measured units to the cycles and counters of what was left out, and
 * how far they may be off.
 *
 * A unit stands for the instructions that were left out of its stratum. Each counter of a unit is a
 * rate per warp instruction. If the rates of cycles follow a count that the survey knows for units
 * and for what was left out (a regressor), the weights of the units are changed so that they also
 * give the exact sum of that count (regression estimator). One set of weights serves cycles and
 * counters, so that sums of counters stay sums. Counters of the L2 and the DRAM are instead
 * estimated as ratios to the survey's counts if that fits the units better.
 *
 * The error follows from the residuals of the units: with the larger of the plain spread and that
 * of successive differences. Replicates are linearised: each leaves out the influence of another
 * unit. Beside it they have errors that more units would not reduce: what all units may share, and
 * what the survey counts otherwise than the units.
 */
#ifndef RUBATO_SMARTS_ESTIMATE_H
#define RUBATO_SMARTS_ESTIMATE_H

#include <stdbool.h>

#include "sim/gpu/sampled/launch_estimate.h"
#include "sim/gpu/warming/shadow.h"

/* A measured unit. */
typedef struct {
    double cycles, insts;     /* measured; insts > 0 */
    double weight;            /* left-out warp instructions that it stands for */
    gpu_counters_t counters;  /* measured */
    shadow_counts_t surveyed; /* of the blocks that ran meanwhile */
} smarts_unit_t;

/* What the survey knows of blocks that may explain their cycles. */
typedef enum {
    SMARTS_BY_NOTHING,
    SMARTS_BY_DRAM,    /* sectors that the DRAM moves */
    SMARTS_BY_LOOKUPS, /* sectors looked up in the L2 */
    SMARTS_BY_WAITS,   /* a prediction: cycles that their reads take on an idle chip */
    SMARTS_BY_MOVED,   /* sectors that the DRAM moved while units ran; the survey knows their sum */
} smarts_regressor_t;

typedef struct {
    const smarts_unit_t *units;
    size_t n;
    shadow_counts_t left; /* of what was left out */
    shadow_counts_t all;  /* of the launch; no instructions: not known */
    double confidence;
    double explain;  /* |t| from which a regressor is used */
    double bias;     /* error that all units may share, relative */
    double l2, dram; /* cycles of a read that hits in the L2, and of one that does not */
} smarts_question_t;

typedef struct {
    smarts_regressor_t by;
    double t;       /* slope of the regressor in standard errors */
    double *weight; /* owned: of each unit, in warp instructions */
    double df;      /* degrees of freedom of the error */
    double scale;   /* of times: units and survey differ in what the DRAM moves */
    double left;    /* cycles left out */
    double spread;  /* their standard error according to the spread of the units */
    double half;    /* half the interval of all cycles, in cycles, at most `left`; INFINITY: too few
                      * units */
} smarts_answer_t;

/* Estimates the left-out cycles. Free with smarts_answer_free(). */
void smarts_answer(smarts_answer_t *a, const smarts_question_t *q);
void smarts_answer_free(smarts_answer_t *a);

/*
 * Adds what was left out to *whole, which holds the simulated part, and writes the n replicates of
 * the result. Their variance of the cycles gives the half-width of the answer again, with n - 1
 * degrees of freedom.
 */
void smarts_complete(const smarts_answer_t *a, const smarts_question_t *q, launch_estimate_t *whole,
                     launch_estimate_t *replicates);

/*
 * Whether most of what was left out waits for atomics that miss in the L2, or for stores to scattered places that do.
 * Then blocks take tens of waves to get out of step, which units do not last: how full the SMs are, and what warps
 * wait for, has no known error. That "most" is half of the misses, and "scattered" fewer than two sectors an access, is
 * a guess.
 */
static inline bool smarts_waits_in_queues(const shadow_counts_t *left)
{
    const uint64_t atomics = left->atomic_sectors - left->atomic_hits,
                   stores = left->write_sectors - left->write_hits,
                   reads = left->read_sectors - left->read_hits;
    const uint64_t sectors = left->atomic_sectors + left->write_sectors + left->read_sectors;
    return atomics > reads || (atomics + stores > reads && 2 * left->requests > sectors);
}

/* Whether most of what misses are stores to scattered places: to fewer than two sectors of a line. */
static inline bool smarts_scatters(const shadow_counts_t *c)
{
    const uint64_t stores = c->write_sectors - c->write_hits,
                   others = c->read_sectors - c->read_hits + c->atomic_sectors - c->atomic_hits;
    return stores > others && 2 * c->write_requests > c->write_sectors;
}

/* Lines of the L2 that so many accesses take, if as many sectors of each miss as of all. */
static inline double smarts_lines(const shadow_counts_t *c)
{
    const double sectors = (double)(c->read_sectors + c->write_sectors + c->atomic_sectors);
    const double hits = (double)(c->read_hits + c->write_hits + c->atomic_hits);
    return sectors > 0 ? (double)c->requests * (1 - hits / sectors) : 0;
}

/*
 * The share of the fills that order decides. The survey's order of use is exact to an eighth of the L2
 * (touch_reach()), and units after a gap begin with that order. So fills of lines that an L2 with an eighth more
 * ways would hold may be hits in truth: half of them, if the order is off as often one way as the other.
 */
static inline double smarts_late(const shadow_counts_t *left)
{
    return left->fills > 0 ? (double)left->late_fills / (double)left->fills / 2 : 0;
}

/* The survey's count, in all and per warp instruction. */
double smarts_count(const smarts_question_t *q, const shadow_counts_t *c, smarts_regressor_t by);
double smarts_rate(const smarts_question_t *q, const shadow_counts_t *c, smarts_regressor_t by);

/* The same of a unit, per warp instruction. */
double smarts_unit_rate(const smarts_question_t *q, const smarts_unit_t *u, smarts_regressor_t by);

#endif
