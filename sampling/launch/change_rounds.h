/*
 * Chooses from the launches that another run of the program chose (its base), in rounds, as few as show the change
 * of the cycles: until half of its 95 % interval is at most a bound. How launches are drawn, and what the change is then:
 * estimate/change_part.h.
 *
 * The first round draws CHANGE_FIRST launches in each group; groups with no more are taken whole. Each later
 * round allocates by the spread of the groups so far (Neyman; Cochran, Sampling Techniques, 1977, 5.5), at most
 * CHANGE_GROWTH times as many draws, for at most CHANGE_ROUNDS rounds; then all launches of the base are taken. Looking several
 * times makes an interval hold less often than it says, if few draws may end it. Here none ends before three degrees
 * of freedom per group, and the interval allows for the state of the chip besides; test_change_rounds.c says how often
 * it holds.
 */
#ifndef RUBATO_LAUNCH_CHANGE_ROUNDS_H
#define RUBATO_LAUNCH_CHANGE_ROUNDS_H

#include "sampling/estimate/estimate.h"

enum { CHANGE_FIRST = 4, CHANGE_GROWTH = 4, CHANGE_ROUNDS = 4 };

typedef struct change_rounds change_rounds_t;

/* plan: the base's, random; cycles: of its samples in the base, above 0; kernel: equal for those of the same
 * one; all borrowed. */
change_rounds_t *change_rounds_create(const plan_t *plan, const double *cycles,
                                      const uint64_t *kernel, double bound, uint64_t seed);
void change_rounds_free(change_rounds_t *r);

/* Ids of the launches to simulate next, ascending, valid until the next call; none: done. All results of the
 * round before must have been given. */
uint64_t change_rounds_next(change_rounds_t *r, const uint64_t **ids);

/* Cycles of the i-th launch of the round. variance: of that number, if a sampler left out a part of the
 * launch; NAN: unknown. */
void change_rounds_result(change_rounds_t *r, uint64_t i, double cycles, double variance);

unsigned change_rounds_count(const change_rounds_t *r);

/* The change of the cycles as known so far, after the first round. */
change_t change_rounds_change(const change_rounds_t *r);

/* Whether all launches of the base were simulated: then its plan is that of this run, too. */
bool change_rounds_is_whole(const change_rounds_t *r);

/* After the last round: what was simulated, as a plan with a cluster per group. */
void change_rounds_plan(const change_rounds_t *r, plan_t *plan);

#endif
