/* Functions shared by the parts of run_sampling.h: the plan, choosing it, and rounds. */
#ifndef RUBATO_RUN_RUN_SAMPLING_PARTS_H
#define RUBATO_RUN_RUN_SAMPLING_PARTS_H

#include "frontend/tool/run/run_sampling.h"

/* Lists the launches of a plan before any result exists. */
void run_sampling_await(run_sampling_t *s);

/* The nearest integer, at least 0. */
static inline uint64_t whole(double v)
{
    return v < 0x1p64 ? (uint64_t)(v + 0.5) : UINT64_MAX;
}

/* Adds a result for a sampler that chooses during the run. */
void run_sampling_know(run_sampling_t *s, const launch_result_t *r, const launch_error_t *error);

#endif
