/*
 * Sequential STEM: takes the sample sizes from the simulated cycles themselves, round by round,
 * without a profile. The caller simulates the launches of a round and reports their cycles:
 *
 *   stem_online_t *s = stem_online_create(options, &population, seed, &err);
 *   const uint64_t *ids;
 *   for (uint64_t n; (n = stem_online_round(s, &ids)) > 0;)
 *       for (uint64_t i = 0; i < n; i++)
 *           stem_online_result(s, i, cycles of launch ids[i], 0);
 *   estimate_t e = stem_online_estimate(s);
 *   stem_online_plan(s, method, &plan);    weights for every other statistic
 *   stem_online_free(s);
 *
 * stem_strata.h says how launches are divided into strata, and how many of each the first round takes.
 * Each further round takes what allocate() requires with the means and variances so far: samples of a
 * stratum in proportion to its launches and its spread over the root of what they cost to simulate.
 *
 * After every round the interval (online_state.h) is compared with the bound. Each look uses an equal
 * part of the error probability, so that all looks together keep the confidence (Bonferroni).
 */
#ifndef RUBATO_STEM_ONLINE_H
#define RUBATO_STEM_ONLINE_H

#include "sampling/estimate/estimate.h"
#include "sampling/launch/launch_sampler.h"

typedef struct stem_online stem_online_t;

extern const param_group_t stem_online_group;

/* options: those of a choice of the method stem_online. The population needs names or instruction
 * counts but no times; it must outlive the object. NULL after an error. */
stem_online_t *stem_online_create(const void *options, const population_t *pop, uint64_t seed,
                                  rb_err_t *err);
void stem_online_free(stem_online_t *s);

/* Starts again with another seed, as if just created; keeps the strata, which are expensive. */
void stem_online_restart(stem_online_t *s, uint64_t seed);

/* Launch ids of the next round, in program order, valid until the next call. Returns 0 when the
 * bound is met or all rounds were used. All results of the previous round must have been given. */
uint64_t stem_online_round(stem_online_t *s, const uint64_t **ids);

/* Cycles of the i-th launch of the round: finite, not negative. variance: of that number, if a sampler
 * left out a part of the launch; 0: it was simulated completely; NAN: unknown. */
void stem_online_result(stem_online_t *s, uint64_t i, double cycles, double variance);

/* The share of the program's cost that sampling would have had, if that is so much that all launches are
 * simulated instead; 0: it pays. */
double stem_online_too_dear(const stem_online_t *s);

/* Whether the interval, errors inside launches included, meets the bound (or everything was
 * simulated). */
bool stem_online_met(const stem_online_t *s);

/* Number of rounds so far, and of strata. */
unsigned stem_online_rounds(const stem_online_t *s);
uint32_t stem_online_strata(const stem_online_t *s);

/* Estimate of the total cycles of all launches, after at least one round. Its interval is about the
 * choice of launches only: the caller adds the errors inside them. */
estimate_t stem_online_estimate(const stem_online_t *s);

/* What the interval of the estimate assumes, or why it has none and what it would take, as a sentence
 * without a full stop; NULL if everything was simulated. Valid until the next call of a function that
 * changes s. */
const char *stem_online_note(stem_online_t *s);

/* The simulated launches as a plan with weights. method: the sampler that the plan names. */
void stem_online_plan(const stem_online_t *s, const launch_method_t *method, plan_t *plan);

#endif
