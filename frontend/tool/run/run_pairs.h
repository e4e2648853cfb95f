/*
 * Slow-downs of kinds of launches that overlap, measured: pairs of launches are simulated together on a
 * chip of their own, and each of them alone on another one, so that both find the same cold caches.
 */
#ifndef RUBATO_RUN_RUN_PAIRS_H
#define RUBATO_RUN_RUN_PAIRS_H

#include "sampling/launch/graph_estimate.h"

typedef struct {
    trace_source_t *source;
    const graph_replay_t *replay; /* of the whole graph */
    const replay_time_t *times;   /* a replay without slow-downs, which says what overlaps */
    uint64_t seed;
    int threads;
    cycle_t window;
} run_pairs_input_t;

/* What measuring took. */
typedef struct {
    uint64_t kinds;              /* pairs of kinds that were measured */
    double measured;             /* their share of the time in which launches overlap */
    uint64_t runs, launches;     /* simulations, and launches in them */
    uint64_t cycles, warp_insts; /* of these launches */
} run_pairs_cost_t;

/* The time of a launch on an empty chip, from its results. slots: blocks that the chip holds. */
graph_sample_t run_pairs_alone(const gpu_spec_t *spec, const launch_result_t *r);

/* Measures; the caller frees *pairs. RB_STOPPED on request; errors of the source. */
RB_CHECKED rb_code_t run_pairs_measure(const run_pairs_input_t *in, graph_pair_t **pairs, size_t *n,
                                       run_pairs_cost_t *cost, rb_err_t *err);

#endif
