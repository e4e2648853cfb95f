/*
 * Launch samplers that choose while the program runs, round by round: each round may look at the
 * cycles of the launches simulated so far. Whoever drives one simulates the launches of a round
 * and reports their cycles:
 *
 *   launch_online_t s = {.ops = choice.method->online};
 *   s.state = s.ops->create(&choice, &population, seed, &err);
 *   while (s.ops->round(s.state, &ids, &n, &err) == RB_OK && n > 0)
 *       for (uint64_t i = 0; i < n; i++)
 *           s.ops->result(s.state, i, cycles of launch ids[i]);
 *   s.ops->finish(s.state, &plan, &estimate, &err);
 *   s.ops->destroy(s.state);
 */
#ifndef RUBATO_LAUNCH_ONLINE_H
#define RUBATO_LAUNCH_ONLINE_H

#include "sampling/launch/estimate.h"
#include "sampling/launch/launch_sampler.h"

typedef struct launch_online_ops {
    /*
     * The state of a sampler with the options of a choice of this method. The population and the
     * choice must outlive it. NULL after an error.
     */
    void *(*create)(const launch_choice_t *choice, const population_t *pop, uint64_t seed,
                    rb_err_t *err);
    void (*destroy)(void *state);

    /* Begins anew with another seed, as if just created. */
    void (*restart)(void *state, uint64_t seed);

    /*
     * Launch ids of the next round, ascending, valid until the next call; *n is 0: it is done. All
     * results of the round before must have been given. A launch is asked for once.
     */
    rb_code_t (*round)(void *state, const uint64_t **ids, uint64_t *n, rb_err_t *err);

    /* Cycles of the i-th launch of the round: finite, not negative. */
    void (*result)(void *state, uint64_t i, double cycles);

    /* After the last round: what was simulated as a plan with weights, and the total cycles. */
    rb_code_t (*finish)(void *state, plan_t *plan, estimate_t *cycles, rb_err_t *err);

    /* After the last round: tells the user how it went. name: of the sampler. */
    void (*report)(const void *state, const char *name);
} launch_online_ops_t;

typedef struct {
    const launch_online_ops_t *ops; /* NULL: there is none */
    void *state;                    /* owned by whoever called create() */
} launch_online_t;

#endif
