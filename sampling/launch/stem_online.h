/*
 * Sequential STEM: sample sizes from the simulated cycles themselves, round by round, with no
 * profile. Whoever drives it simulates the launches of a round and reports their cycles:
 *
 *   stem_online_t *s = stem_online_create(options, &population, seed, &err);
 *   const uint64_t *ids;
 *   for (uint64_t n; (n = stem_online_round(s, &ids)) > 0;)
 *       for (uint64_t i = 0; i < n; i++)
 *           stem_online_result(s, i, cycles of launch ids[i]);
 *   estimate_t e = stem_online_estimate(s);
 *   stem_online_plan(s, &plan);     weights for every other statistic
 *   stem_online_free(s);
 *
 * Strata: launches with one name, grid, block, instruction counts and basic-block vector. Strata
 * that are small are joined with their neighbours by instruction count under the same name; one of
 * a single launch is taken whole. The first round is a pilot of at least two a stratum; each
 * further one is what allocate() asks for with the means and variances seen so far. After every
 * round the interval (stratified, finite-population term, Student's t with Satterthwaite's degrees
 * of freedom) is compared with the bound; each look spends an equal part of the error probability,
 * so that all of them together keep the confidence (Bonferroni). The variance of a stratum of
 * which little was seen is taken to be no less than what all strata together let expect.
 */
#ifndef RUBATO_STEM_ONLINE_H
#define RUBATO_STEM_ONLINE_H

#include "sampling/launch/estimate.h"
#include "sampling/launch/launch_sampler.h"

typedef struct stem_online stem_online_t;

/*
 * options: those of a choice whose method is stem_online. The population needs names or
 * instruction counts, no times; it must outlive the object. NULL after an error.
 */
stem_online_t *stem_online_create(const void *options, const population_t *pop, uint64_t seed,
                                  rb_err_t *err);
void stem_online_free(stem_online_t *s);

/* Begins anew with another seed, as if just created: the strata, which take longest, stay. */
void stem_online_restart(stem_online_t *s, uint64_t seed);

/*
 * Launch ids of the next round, in the program's order, valid until the next call; 0: done, or
 * every round was used. All results of the round before must have been given.
 */
uint64_t stem_online_round(stem_online_t *s, const uint64_t **ids);

/* Cycles of the i-th launch of the round: finite, not negative. */
void stem_online_result(stem_online_t *s, uint64_t i, double cycles);

/* The interval meets the bound (or everything was simulated). */
bool stem_online_met(const stem_online_t *s);

/* Rounds so far, and strata. */
unsigned stem_online_rounds(const stem_online_t *s);
uint32_t stem_online_strata(const stem_online_t *s);

/* Total cycles of all launches, after at least one round. */
estimate_t stem_online_estimate(const stem_online_t *s);

/* What was simulated, as a plan with weights. */
void stem_online_plan(const stem_online_t *s, plan_t *plan);

#endif
