/*
 * The time of a graph of launches from the times of a sample of them, each measured alone, and from the
 * slow-downs of pairs of kinds.
 *
 * A launch that was not simulated gets its share of what the sampler's weights give for the others of
 * its cluster, in proportion to its size in the plan. Its error is drawn anew in each replicate of the
 * replay: one part for the cluster, whose mean is known from m samples, and one for the launch itself.
 * Both are normal with the relative spread r of the samples' time per size: r / sqrt(m) and r. For a
 * sum of N launches this is the variance of stratified sampling, N^2 (1 - m/N) s^2 / m. Slow-downs vary
 * with the standard error of their mean.
 *
 * The estimate is the mean of the replicates: where branches join, the latest counts, and the mean
 * duration of each launch would give too short a time. The interval is Student's, with the degrees of
 * freedom of the sum.
 */
#ifndef RUBATO_GRAPH_ESTIMATE_H
#define RUBATO_GRAPH_ESTIMATE_H

#include "sampling/estimate/graph/graph_replay.h"
#include "sampling/estimate/stratified.h"

/* What a sample of a plan showed, alone. */
typedef struct {
    double cycles; /* from its first block on */
    double share;  /* see replay_launch_t */
} graph_sample_t;

/* Times of the launches of a graph, one per operation. */
typedef struct {
    double *cycles;    /* owned */
    double *spread;    /* owned; relative; 0: the launch was simulated; NAN: not known */
    uint32_t *cluster; /* owned */
    double *draws;     /* owned; per cluster */
    uint32_t n_clusters;
    bool random; /* the samples were drawn at random */
} graph_times_t;

/* How much two kinds of launches slow each other down. */
typedef struct {
    uint32_t a, b;           /* kinds */
    double slow_a, slow_b;   /* of a beside b, of b beside a */
    double error_a, error_b; /* standard errors */
} graph_pair_t;

/*
 * Sets the times of all launches, and share of launch[] (one per operation). sample: of each sample of
 * the plan. RB_USAGE if the plan does not say which launches are alike, or has no sample of some. The
 * caller frees *t, also after an error.
 */
RB_CHECKED rb_code_t graph_times_set(graph_times_t *t, const plan_t *plan,
                                     const graph_sample_t *sample, const stream_graph_t *graph,
                                     replay_launch_t *launch, rb_err_t *err);
void graph_times_free(graph_times_t *t);

/* An estimate and how it came about. */
typedef struct {
    estimate_t busy, end; /* cycles in which a launch was running; all of the graph */
    uint32_t replicates;
} graph_estimate_t;

/*
 * Estimates the graph. r->slow is not used. sum: the interval of the sum of
 * the launches, which says with which confidence, and whether there is one. times (room for all operations): the replay with the mean durations.
 */
graph_estimate_t graph_estimate(const graph_replay_t *r, const graph_times_t *t,
                                const graph_pair_t *pair, size_t n_pairs, uint64_t seed,
                                const estimate_t *sum, replay_time_t *times);

/* The slow-downs with which the replay of a graph of two launches ends them at these cycles. */
void graph_pair_fit(const graph_replay_t *r, const double *cycles, const cycle_t end[2],
                    double slow[2]);

#endif
