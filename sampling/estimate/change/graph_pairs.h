/*
 * Slow-downs of kinds of launches that overlap, measured: pairs of launches are simulated together on a
 * chip of their own, and each of them alone on another one, so that both find the same cold caches.
 */
#ifndef RUBATO_ESTIMATE_GRAPH_PAIRS_H
#define RUBATO_ESTIMATE_GRAPH_PAIRS_H

#include "sampling/estimate/graph/graph_estimate.h"

/* Runs a plan on a new chip. */
typedef struct {
    void *ctx;
    rb_code_t (*run)(void *ctx, const gpu_spec_t *spec, const run_plan_t *plan,
                     const gpu_callbacks_t *callbacks, rb_err_t *err);
    bool (*stopped)(void); /* whether the user asked to stop; NULL: never */
} new_chip_t;

typedef struct {
    new_chip_t chip;
    const graph_replay_t *replay; /* of the whole graph */
    const replay_time_t *times;   /* a replay without slow-downs, which says what overlaps */
    uint64_t seed;
} graph_pairs_input_t;

/* What measuring took. */
typedef struct {
    uint64_t kinds;              /* pairs of kinds that were measured */
    double measured;             /* their share of the time in which launches overlap */
    uint64_t runs, launches;     /* simulations, and launches in them */
    uint64_t cycles, warp_insts; /* of these launches */
} graph_pairs_cost_t;

/* The time of a launch on an empty chip, from its results. */
graph_sample_t graph_pairs_alone(const gpu_spec_t *spec, const launch_result_t *r);

/* Measures; the caller frees *pairs. RB_STOPPED on request; errors of the source. */
RB_CHECKED rb_code_t graph_pairs_measure(const graph_pairs_input_t *in, graph_pair_t **pairs,
                                         size_t *n, graph_pairs_cost_t *cost, rb_err_t *err);

#endif
