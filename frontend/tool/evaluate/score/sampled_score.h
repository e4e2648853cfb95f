/* Scores a sampled run against the run of all launches of the same trace. */
#ifndef RUBATO_EVALUATE_SAMPLED_SCORE_H
#define RUBATO_EVALUATE_SAMPLED_SCORE_H

#include "frontend/tool/library/metrics.h"
#include "frontend/tool/run/results/run_result.h"

/*
 * X(name, expression): totals compared in addition to the ratios of metrics.h; t is a const
 * run_totals_t *. An instruction counts once per warp.
 */
#define SCORE_COUNT_LIST(X)                                                                        \
    X(dram_read_bytes, t->dram.read_sectors *SECTOR_BYTES)                                         \
    X(dram_write_bytes, t->dram.write_sectors *SECTOR_BYTES)                                       \
    X(shared_load_instructions, t->sm.shared_load_requests)                                        \
    X(shared_store_instructions, t->sm.shared_store_requests)                                      \
    X(global_load_instructions, t->sm.global_load_requests)                                        \
    X(global_store_instructions, t->sm.global_store_requests)                                      \
    X(fp16_instructions, t->sm.mix_fp16)                                                           \
    X(fp32_instructions, t->sm.mix_fp32)                                                           \
    X(integer_instructions, t->sm.mix_int)

#define SCORE_COUNT_ENUM_(name, value) SCORE_##name,
typedef enum { SCORE_COUNT_LIST(SCORE_COUNT_ENUM_) SCORE_COUNTS } score_count_t;
extern const char *const score_count_names[SCORE_COUNTS];

typedef struct {
    double error; /* relative error of the total cycles, signed */
    /* The error with the chosen launches' cycles taken from the full run, as in studies of launch
     * samplers: caches are then as warm as there. NAN: all launches were simulated. */
    double picked_error;
    bool has_interval; /* with a width above 0: a full simulation has none */
    bool covered;      /* the interval contains the true total */

    /* Fractions of the trace's warp instructions; they add up to 1. */
    double simulated, skipped_between, skipped_inside;
    double launches; /* fraction of the launches that were simulated at least in part */

    /* Full / sampled: processor time, time on the clock, simulated cycles. */
    double speedup_cpu, speedup_wall, speedup_cycles;

    /* Metrics of the whole trace. picked: with launches of the full run, like picked_error. */
    double full[METRIC_COUNT], sampled[METRIC_COUNT], picked[METRIC_COUNT];
    double full_count[SCORE_COUNTS], sampled_count[SCORE_COUNTS], picked_count[SCORE_COUNTS];
    double dram_error; /* of the bytes moved, relative; NAN: no bytes were moved */
    /* Warp states as fractions of the cycles of resident warps. */
    double full_state[STATE_COUNT], sampled_state[STATE_COUNT];
    size_t worst_state; /* the state with the largest difference */
} sampled_score_t;

/* Both runs must be of the same trace and GPU; full has all launches. */
sampled_score_t sampled_score(const gpu_spec_t *spec, const run_result_t *full,
                              const run_result_t *sampled);

/* The state whose share differs most. */
size_t score_worst_state(const sampled_score_t *s);

/* "long_scoreboard" of STATE_LONG_SCOREBOARD. */
const char *score_state_name(size_t state);

/* A metric of one launch. */
double launch_metric(metric_id_t id, const gpu_spec_t *spec, const launch_result_t *l);

/* Number of full waves of blocks of a launch on a GPU. */
double sampled_waves(const gpu_spec_t *spec, const launch_result_t *l);

#endif
