/*
 * Views of the chip while a launch runs, for timelines: what every SM and every memory partition
 * did since the previous view, and what waits there now. Views are taken at multiples of an
 * interval from the launch's start. They do not depend on windows or threads and change nothing.
 */
#ifndef RUBATO_GPU_CHIP_VIEW_H
#define RUBATO_GPU_CHIP_VIEW_H

#include "sim/gpu/source/trace_source.h"
#include "sim/mem/mem_stats.h"
#include "sim/mem/partition.h"
#include "sim/sm/sm.h"

/* Which views to take. */
typedef struct {
    cycle_t interval;                   /* 0: none */
    uint64_t first_launch, last_launch; /* ids */
    cycle_t from, to;                   /* range of cycles, relative to the start of the launch */
} chip_view_plan_t;

typedef struct {
    sm_stats_t did;
    sm_gauges_t holds;
    const sm_stay_t *ended; /* blocks that left since the previous view */
    size_t n_ended;
    const sm_stay_t *resident; /* last view only: blocks that are still resident */
    size_t n_resident;
} sm_view_t;

typedef struct {
    l2_stats_t l2;
    dram_stats_t dram;
    partition_gauges_t holds;
} partition_view_t;

/* All pointers are borrowed for the duration of the call. */
typedef struct {
    const launch_info_t *launch;
    cycle_t start;    /* of the launch; times of stays are absolute, too */
    cycle_t from, to; /* viewed range, relative to start */
    bool first, last; /* first and last view of the launch */
    bool ended;       /* the launch has ended; otherwise the last view ends the range */
    uint32_t n_sms, n_partitions;
    const sm_view_t *sm;
    const partition_view_t *partition;
} chip_view_t;

struct gpu;
typedef struct chip_views chip_views_t;

/* For a run of g. NULL if no views are wanted. */
chip_views_t *chip_views_create(struct gpu *g);
void chip_views_destroy(chip_views_t *v); /* NULL is allowed */

/* A launch begins at cycle start. Returns the cycle of the first view; CYCLE_NEVER: none. */
cycle_t chip_views_begin(chip_views_t *v, const launch_info_t *info, cycle_t start);

/* Call when everything before cycle now is simulated. ended: the launch has ended. Sets *next to
 * the cycle of the next view. */
RB_CHECKED rb_code_t chip_views_take(chip_views_t *v, cycle_t now, bool ended, cycle_t *next,
                                     rb_err_t *err);

#endif
