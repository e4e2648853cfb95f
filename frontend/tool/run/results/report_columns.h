/*
 * Columns of launches.csv and intervals.csv that are not counters or ratios, and the rows of
 * stats.csv about an interval: each one declared once, with unit and help. Totals:
 * stat_values.c.
 */
#ifndef RUBATO_RUN_REPORT_COLUMNS_H
#define RUBATO_RUN_REPORT_COLUMNS_H

#include <stddef.h>

/* X(name, unit or "", help); in the order of the columns. */
#define LAUNCH_COLUMNS(X)                                                                          \
    X(id, "", "number of the launch, from 1 in trace order")                                       \
    X(trace_id, "", "number of the launch in the trace")                                           \
    X(name, "", "name of the kernel as in the trace")                                              \
    X(stream, "", "CUDA stream of the launch")                                                     \
    X(grid_x, "blocks", "grid of the launch, first dimension")                                     \
    X(grid_y, "blocks", "grid of the launch, second dimension")                                    \
    X(grid_z, "blocks", "grid of the launch, third dimension")                                     \
    X(block_x, "threads", "block of the launch, first dimension")                                  \
    X(block_y, "threads", "block of the launch, second dimension")                                 \
    X(block_z, "threads", "block of the launch, third dimension")                                  \
    X(registers, "registers", "registers per thread")                                              \
    X(shared_bytes, "bytes", "shared memory per block, static and dynamic")                        \
    X(start_cycle, "cycles", "cycle of the run in which the launch starts")                        \
    X(cycles, "cycles", "duration of the launch, launch latency included")                         \
    X(launch_latency_cycles, "cycles", "part of the duration that is launch latency")              \
    X(blocks, "blocks", "blocks of the launch")                                                    \
    X(warp_instructions, "warp instructions", "warp instructions of the launch")                   \
    X(thread_instructions, "thread instructions", "active lanes of these instructions")            \
    X(copied_bytes, "bytes",                                                                       \
      "bytes copied from the host just before the launch; they fill the L2")                       \
    X(occupancy_theoretical, "1", "warps that fit on an SM, as a share of its warp slots")         \
    X(occupancy_limiter, "", "resource that limits the blocks per SM")                             \
    X(blocks_per_sm, "blocks", "blocks that fit on an SM")                                         \
    X(carveout, "bytes", "shared memory carve-out of the L1 for this launch")                      \
    X(warp_slot_cycles, "warp cycles", "warp slots times cycles: the sum of all warp states")      \
    X(sampler, "", "sampler that chose or stopped the launch; empty: none")                        \
    X(weight, "launches", "launches that this one stands for in a sampled run")                    \
    X(estimated, "truth", "1: the launch was simulated only in part")                              \
    X(simulated_blocks, "blocks", "blocks that were simulated")                                    \
    X(cycles_low, "cycles", "lower end of the confidence interval of an estimated duration")       \
    X(cycles_high, "cycles", "upper end of that interval")                                         \
    X(part, "truth",                                                                               \
      "1: the run ended in this launch (--cycles, --max-insts): what it did until then")

#define INTERVAL_COLUMNS(X)                                                                        \
    X(launch, "", "number of the launch, as in launches.csv")                                      \
    X(start, "cycles", "first cycle of the interval")                                              \
    X(end, "cycles", "first cycle after the interval")

/* Rows of stats.csv about the interval of the cycles; X(enumerator, path, unit, help). */
#define INTERVAL_STATS(X)                                                                          \
    X(LOW, "totals.interval.cycles.low", "cycles", "lower end of the confidence interval")         \
    X(HIGH, "totals.interval.cycles.high", "cycles", "upper end of the confidence interval")       \
    X(CONFIDENCE, "totals.interval.cycles.confidence", "1", "confidence of that interval")         \
    X(NOTE, "totals.interval.cycles.note", "",                                                     \
      "why there is no interval, or what it does not cover (in the place of the unit)")

#define INTERVAL_STAT_ENUM_(NAME, path, unit, help) INTERVAL_##NAME,
typedef enum { INTERVAL_STATS(INTERVAL_STAT_ENUM_) INTERVAL_STAT_COUNT } interval_stat_id_t;

typedef struct {
    const char *name, *unit, *help;
} report_column_t;

extern const report_column_t launch_columns[], interval_columns[],
    interval_stats[INTERVAL_STAT_COUNT];
extern const size_t n_launch_columns, n_interval_columns;

#endif
