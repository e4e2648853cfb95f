/*
 * Views of the chip while a launch runs, for timelines: what every SM and every memory partition
 * did since the view before, and what waits there now. Views lie at multiples of an interval from
 * the launch's start; they neither depend on windows and threads nor change anything.
 */
#ifndef RUBATO_GPU_CHIP_VIEW_H
#define RUBATO_GPU_CHIP_VIEW_H

#include "sim/gpu/trace_source.h"
#include "sim/mem/mem_stats.h"
#include "sim/mem/partition.h"
#include "sim/sm/sm.h"

/* Which views are wanted. */
typedef struct {
    cycle_t interval;                   /* 0: none */
    uint64_t first_launch, last_launch; /* ids */
    cycle_t from, to;                   /* cycles of a launch, from its start */
} chip_view_plan_t;

typedef struct {
    sm_stats_t did;
    sm_gauges_t holds;
    const sm_stay_t *ended; /* blocks that left since the view before */
    size_t n_ended;
    const sm_stay_t *resident; /* last views only: blocks that are still there */
    size_t n_resident;
} sm_view_t;

typedef struct {
    l2_stats_t l2;
    dram_stats_t dram;
    partition_gauges_t holds;
} partition_view_t;

/* Everything is borrowed for the length of the call. */
typedef struct {
    const launch_info_t *launch;
    cycle_t start;    /* of the launch; times of stays are absolute as well */
    cycle_t from, to; /* what is viewed, relative to the start */
    bool first, last; /* of the launch */
    bool ended;       /* the launch is over; otherwise the last view is the end of the range */
    uint32_t n_sms, n_partitions;
    const sm_view_t *sm;
    const partition_view_t *partition;
} chip_view_t;

struct gpu;
typedef struct chip_views chip_views_t;

/* For a run of g; NULL: no views are wanted. */
chip_views_t *chip_views_create(struct gpu *g);
void chip_views_destroy(chip_views_t *v); /* NULL is allowed */

/* A launch begins at cycle start. Returns the cycle of the first view, CYCLE_NEVER: none. */
cycle_t chip_views_begin(chip_views_t *v, const launch_info_t *info, cycle_t start);

/* All before cycle now is simulated; ended: and so is the launch. Sets *next to the next view. */
RB_CHECKED rb_code_t chip_views_take(chip_views_t *v, cycle_t now, bool ended, cycle_t *next,
                                     rb_err_t *err);

#endif
