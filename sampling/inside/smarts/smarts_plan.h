/*
 * Where smarts measures. The launch begins with a ramp and ends with a tail; both are simulated. The
 * blocks between them are divided into strata of equal size (smarts_look_place()), each with one
 * unit at a random place. Strata are made one after the other, so that later ones may be shorter if
 * the units so far vary more than expected.
 */
#ifndef RUBATO_SMARTS_PLAN_H
#define RUBATO_SMARTS_PLAN_H

#include "sampling/inside/smarts/smarts_estimate.h"
#include "sampling/inside/smarts/smarts_look.h"
#include "sampling/inside/smarts/smarts_options.h"
#include "sampling/math/rng.h"

/* Blocks [first, end) of a stratum, and the first one that is simulated before its unit. */
typedef struct {
    uint64_t first, end, start;
} smarts_stratum_t;

typedef struct {
    const smarts_options_t *options; /* borrowed */
    const smarts_look_t *look;       /* borrowed */
    rng_t rng;
    uint64_t ramp, tail; /* blocks before ramp and from tail on are simulated */
    double settle, unit; /* waves before a unit, and of it */
    double late;         /* waves for which both last longer, because they end with an interval */
    size_t units;        /* strata in all, as planned now */
    double width; /* of the strata, as planned first: part of the launch (smarts_look_place()) */
} smarts_plan_t;

/* The plan before the launch begins. */
smarts_plan_t smarts_plan_make(const smarts_options_t *o, const smarts_look_t *look, rng_t rng);

/* Once a wave is known to take this many cycles: settling and units must take at least `least`, and end with an
 * interval of that many. */
void smarts_plan_settle(smarts_plan_t *p, double wave_cycles, double least, double interval);

/* Settles for so many waves more: until units displace from the L2 what simulated blocks left there. */
void smarts_plan_turn_over(smarts_plan_t *p, double waves);

/* Takes the lengths of blocks into account, as far as they are known now. */
void smarts_plan_look(smarts_plan_t *p);

/* Where the tail of the launch begins. */
uint64_t smarts_plan_tail(const smarts_plan_t *p);

/* Share of the launch that the plan simulates. */
double smarts_plan_share(const smarts_plan_t *p);

/* After n measured units, which `a` describes: plans as many as the bound needs. total: cycles of the
 * launch, as far as known. */
void smarts_plan_revise(smarts_plan_t *p, const smarts_answer_t *a, size_t n, double total);

/* Strata that begin at block `first` or later, after n units. */
double smarts_plan_left(const smarts_plan_t *p, size_t n, uint64_t first);

/* The next stratum, which begins at block `first`, when n units are measured. */
smarts_stratum_t smarts_plan_next(smarts_plan_t *p, size_t n, uint64_t first);

#endif
