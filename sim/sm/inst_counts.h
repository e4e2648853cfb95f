/*
 * Counts of one instruction of a kernel (gpu_callbacks_t.instructions). Summed over all
 * instructions of a launch, and what belongs to none, they are the counters of the launch.
 */
#ifndef RUBATO_SM_INST_COUNTS_H
#define RUBATO_SM_INST_COUNTS_H

#include "sim/sm/sm_stats.h"

/* awaited_...: counted for the instruction that is waited for, all other counts for the one that
 * waits or is executed. */
#define INST_COUNTS(S)                                                                             \
    S(issued, "warp instructions", "", "times that a warp issued it")                              \
    S(lanes, "thread instructions", "", "active lanes of these")                                   \
    S(pred_off, "warp instructions", "", "times that it was issued with no active lane")           \
    S(awaited_long, "warp cycles", "", "cycles of long_scoreboard of warps that wait for it")      \
    S(awaited_short, "warp cycles", "", "cycles of short_scoreboard of warps that wait for it")    \
    S(requests, "requests", "", "times that it reached L1 or shared memory")                       \
    S(sectors, "sectors", "", "sectors of its global and local loads and stores")                  \
    S(l1_hits, "sectors", "", "of these, sectors that hit in L1")                                  \
    S(l1_pending, "sectors", "",                                                                   \
      "of its global loads: missed in L1, but were already on their way")                          \
    S(l1_tags, "tags", "", "lines looked up in L1")                                                \
    S(atomic_lanes, "thread operations", "", "thread operations of its atomics and reductions")    \
    S(shared_wavefronts, "wavefronts", "", "passes through the banks of shared memory")            \
    S(shared_conflicts, "wavefronts", "", "passes beyond those of conflict-free accesses")         \
    S(l2_sectors, "sectors", "",                                                                   \
      "sectors that it looked up in the L2, and those of prefetches that it caused")               \
    S(l2_hits, "sectors", "", "of these, sectors that hit")                                        \
    S(results, "results", "", "results through the memory queue: loads, atomics, shuffles, ...")   \
    S(result_cycles, "cycles", "",                                                                 \
      "cycles from its issue to the dependent issue, summed over results")

#define INST_COUNTS_FIELD_(field, unit, metric, help) uint64_t field;
typedef struct {
    uint64_t state[STATE_COUNT]; /* warp cycles by sm_state_t */
    INST_COUNTS(INST_COUNTS_FIELD_)
} inst_counts_t;
extern const stat_def_t inst_count_defs[]; /* of the counts after state */
enum {
    INST_COUNTS_ALL = sizeof(inst_counts_t) / sizeof(uint64_t),
    INST_COUNTS_OWN = INST_COUNTS_ALL - STATE_COUNT, /* without state */
};

/* The sums over all instructions that follow from the counters of SMs: all but those of the L2 and of
 * results. The second function sets only what the load/store unit counts. */
void inst_counts_of_sm(const sm_stats_t *s, inst_counts_t *out);
void inst_counts_of_memory(const sm_stats_t *s, inst_counts_t *out);

#endif
