/*
 * The time series of a launch (run_plan_t.stats_interval): its counters, divided into intervals. The sums
 * over the intervals are exactly the counters of the launch: the last one also has what the memory still
 * did after the launch's end, until the chip was at rest.
 */
#ifndef RUBATO_GPU_LAUNCH_SERIES_H
#define RUBATO_GPU_LAUNCH_SERIES_H

#include "sim/gpu/gpu_internal.h"

typedef struct {
    gpu_t *gpu;
    uint64_t launch_id;
    cycle_t step; /* 0: no series is wanted */
    cycle_t start, from;
    cycle_t point; /* end of the interval that has begun; CYCLE_NEVER: no series */
    gpu_counters_t last;
    interval_result_t held; /* complete, but the rest after it may be too short to be one */
    bool holds;
} launch_series_t;

/* A launch starts; before: the counters of the chip; copied: sectors that copies before it left in the L2,
 * which the first interval has. */
void launch_series_begin(launch_series_t *s, gpu_t *g, uint64_t launch_id, cycle_t start,
                         const gpu_counters_t *before, uint64_t copied);

/* The chip is at cycle s->point. Errors of the callback. */
RB_CHECKED rb_code_t launch_series_point(launch_series_t *s, rb_err_t *err);

/* The launch ended at cycle `end`; all: the counters that its own ones end with. */
RB_CHECKED rb_code_t launch_series_end(launch_series_t *s, cycle_t end, const gpu_counters_t *all,
                                       rb_err_t *err);

#endif
