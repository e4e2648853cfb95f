/*
 * Occupancy: how many blocks of a launch an SM holds, and the shared-memory carve-out that the
 * driver chooses. Rules: NVIDIA's cuda_occupancy.h (CUDA 12.6). The carve-out is the smallest that
 * still allows the occupancy; the rest is L1 (Khairy et al. 2018, Accel-Sim 2020).
 */
#ifndef RUBATO_GPU_OCCUPANCY_H
#define RUBATO_GPU_OCCUPANCY_H

#include "sim/core/err.h"
#include "sim/gpu/gpu_params.h"
#include "sim/gpu/source/trace_source.h"

typedef struct {
    uint32_t warps_per_block;
    uint32_t regs_per_warp;    /* after rounding to the allocation unit */
    uint64_t shared_per_block; /* after rounding, reserved bytes included */
    uint32_t limit_warps, limit_blocks, limit_regs, limit_shared; /* blocks that each resource would
                                                                   * allow */
    uint32_t blocks_per_sm; /* minimum of the four, at least 1 */
    const char *limiter;    /* "warps", "blocks", "registers", "shared memory" */
    uint64_t carveout;      /* bytes of shared memory; L1 is l1.unified - carveout */
} occupancy_t;

/* Bytes of the largest shared memory that an SM can have; 0 if its size does not vary. */
uint64_t occupancy_largest_carveout(const l1_spec_t *l1);

/* RB_TRACE if not even one block fits on an SM; the message names the launch and the resource. */
RB_CHECKED rb_code_t occupancy_compute(const gpu_spec_t *spec, const launch_info_t *launch,
                                       occupancy_t *out, rb_err_t *err);

#endif
