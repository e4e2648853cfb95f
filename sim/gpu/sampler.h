/*
 * sampler: the model's second interface. A sampler is asked before each launch whether it is to be
 * simulated, and is told what came out.
 *
 * The hooks inside a launch (interval_end, block_dispatch, fast_forward_end) join this table with
 * the samplers that use them; the launch loop calls a hook only where it is not NULL.
 */
#ifndef RUBATO_GPU_SAMPLER_H
#define RUBATO_GPU_SAMPLER_H

#include <stdbool.h>

#include "sim/gpu/trace_source.h"

struct sampler;

typedef struct {
    const char *name;
    /* true: simulate this launch; false: skip it (the sampler accounts for it). */
    bool (*launch_begin)(const struct sampler *s, const launch_info_t *launch);
    /* A launch was simulated in that many cycles. */
    void (*launch_end)(const struct sampler *s, const launch_info_t *launch, uint64_t cycles);
} sampler_ops_t;

typedef struct sampler {
    const sampler_ops_t *ops;
    void *state; /* owned by whoever made the sampler */
} sampler_t;

#endif
