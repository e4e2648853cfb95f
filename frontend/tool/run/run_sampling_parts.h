/* What the parts of run_sampling.h share: the plan, choosing it, and rounds. */
#ifndef RUBATO_RUN_RUN_SAMPLING_PARTS_H
#define RUBATO_RUN_RUN_SAMPLING_PARTS_H

#include "frontend/tool/run/run_sampling.h"

/* The plan is there, no result is: lists its launches. */
void run_sampling_await(run_sampling_t *s);

/* The nearest whole number, not below 0. */
static inline uint64_t whole(double v)
{
    return v < 0x1p64 ? (uint64_t)(v + 0.5) : UINT64_MAX;
}

/* A launch was simulated; the sampler chooses as the run goes. */
void run_sampling_know(run_sampling_t *s, const launch_result_t *r);

#endif
