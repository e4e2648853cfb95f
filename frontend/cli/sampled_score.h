/*
 * How good a sampled run is: scored against the run of all launches of the same trace.
 */
#ifndef RUBATO_CLI_SAMPLED_SCORE_H
#define RUBATO_CLI_SAMPLED_SCORE_H

#include "frontend/cli/metrics.h"
#include "frontend/cli/run_result.h"

typedef struct {
    double error; /* of the total cycles, relative, with its sign */
    /* The error where the cycles of the chosen launches are taken from the full run, as studies of
     * launch samplers do: caches are then as warm as there. NAN: all launches were simulated. */
    double picked_error;
    bool has_interval; /* of some width: none of a run that simulated everything */
    bool covered;      /* it holds the true total */

    /* Shares of the warp instructions of the trace; they add up to 1. */
    double simulated, skipped_between, skipped_inside;
    double launches; /* share of the launches that were simulated, at least in part */

    double speedup_wall, speedup_cycles; /* full over sampled */

    /* Metrics of the whole trace. picked: from launches of the full run, as picked_error. */
    double full[METRIC_COUNT], sampled[METRIC_COUNT], picked[METRIC_COUNT];
    double dram_error; /* of the bytes moved, relative; NAN: none were */
    /* Warp states as shares of the cycles of resident warps. */
    double full_state[STATE_COUNT], sampled_state[STATE_COUNT];
    size_t worst_state; /* that differs most */
} sampled_score_t;

/* Both runs are of the same trace and GPU; full has all launches. */
sampled_score_t sampled_score(const gpu_spec_t *spec, const run_result_t *full,
                              const run_result_t *sampled);

/* Full waves of blocks that a launch makes on a GPU. */
double sampled_waves(const gpu_spec_t *spec, const launch_result_t *l);

#endif
