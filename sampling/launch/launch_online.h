/*
 * Launch samplers that choose while the program runs, in rounds: each round may use the cycles of
 * the launches simulated so far. The caller simulates the launches of a round and reports their
 * cycles:
 *
 *   launch_online_t s = {.ops = choice.method->online};
 *   s.state = s.ops->create(&choice, &population, seed, &err);
 *   while (s.ops->round(s.state, &ids, &n, &err) == RB_OK && n > 0)
 *       for (uint64_t i = 0; i < n; i++)
 *           s.ops->result(s.state, i, cycles of launch ids[i], 0);
 *   s.ops->finish(s.state, &plan, &estimate, &err);
 *   s.ops->destroy(s.state);
 */
#ifndef RUBATO_LAUNCH_ONLINE_H
#define RUBATO_LAUNCH_ONLINE_H

#include "sampling/estimate/estimate.h"
#include "sampling/launch/launch_sampler.h"

typedef struct launch_online_ops {
    /* Creates the state of a sampler with the options of choice, which must be of this method. The
     * population and the choice must outlive it. NULL after an error. */
    void *(*create)(const launch_choice_t *choice, const population_t *pop, uint64_t seed,
                    rb_err_t *err);
    void (*destroy)(void *state);

    /* Starts again with another seed, as if just created. */
    void (*restart)(void *state, uint64_t seed);

    /* Launch ids of the next round, ascending, valid until the next call. *n is 0 when the sampler
     * is done. All results of the previous round must have been given. No launch is requested
     * twice. */
    rb_code_t (*round)(void *state, const uint64_t **ids, uint64_t *n, rb_err_t *err);

    /* Cycles of the i-th launch of the round: finite, not negative. variance: of that number, if a
     * sampler left out a part of the launch; 0: it was simulated completely; NAN: unknown. */
    void (*result)(void *state, uint64_t i, double cycles, double variance);

    /* After the last round: the simulated launches as a plan with weights, and the total cycles. The
     * interval is about the choice of launches: the caller adds the errors inside them
     * (two-stage sampling), which the sampler only uses to decide. */
    rb_code_t (*finish)(void *state, plan_t *plan, estimate_t *cycles, rb_err_t *err);

    /* Optional (may be NULL); after finish(): what the interval assumes, or why there is none, as a
     * sentence without a full stop; NULL: nothing to say. Valid until the state changes. */
    const char *(*note)(void *state);

    /* After the last round: reports to the user. name: of the sampler. */
    void (*report)(const void *state, const char *name);
} launch_online_ops_t;

typedef struct {
    const launch_online_ops_t *ops; /* NULL: no online sampler */
    void *state;                    /* owned by the caller of create() */
} launch_online_t;

#endif
