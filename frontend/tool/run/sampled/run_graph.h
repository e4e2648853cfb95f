/*
 * A sampled run of launches that overlap: the samples were simulated one by one; the time of the graph
 * is that of its replay (graph_estimate.h), with slow-downs from pairs of launches that are simulated
 * together.
 */
#ifndef RUBATO_RUN_RUN_GRAPH_H
#define RUBATO_RUN_RUN_GRAPH_H

#include "frontend/tool/run/sampled/run_sampling.h"
#include "sampling/estimate/estimate.h"

typedef struct {
    const gpu_spec_t *spec; /* borrowed, as all pointers */
    trace_source_t *source;
    const run_sampling_t *sampling; /* all of its samples were simulated */
    journal_t *journal;
    const sm_share_t *shares;
    size_t n_shares;
    uint64_t seed;
    new_chip_t chip; /* for pairs of launches */
} run_graph_input_t;

typedef struct {
    graph_estimate_t estimate;
    const stream_graph_t *graph; /* borrowed from the source */
    stream_op_time_t *times;     /* owned; the replay with the mean durations */
    uint64_t latency;            /* cycles in which launches ran, but none had blocks yet */
    uint64_t one_by_one;         /* estimated sum of the launches' cycles */
    graph_pairs_cost_t cost;     /* what the pairs took */
} run_graph_t;

/* Whether a sampler's choice can be replayed. RB_USAGE with the reason. */
RB_CHECKED rb_code_t run_graph_check(const run_sampling_t *s, trace_source_t *source,
                                     rb_err_t *err);

/* RB_STOPPED on request; RB_USAGE, RB_TRACE, RB_IO. The caller frees *g, also after an error. */
RB_CHECKED rb_code_t run_graph_estimate(run_graph_t *g, const run_graph_input_t *in, rb_err_t *err);
void run_graph_free(run_graph_t *g);

#endif
