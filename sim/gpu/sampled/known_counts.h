/*
 * Corrects the estimated counters of a launch or run: what an index knows replaces the estimate,
 * and impossible values are reduced.
 */
#ifndef RUBATO_GPU_KNOWN_COUNTS_H
#define RUBATO_GPU_KNOWN_COUNTS_H

#include "sim/gpu/gpu_counters.h"
#include "sim/gpu/gpu_params.h"
#include "sim/gpu/source/trace_source.h"

/* Sets what is known exactly: blocks, instructions (all, of threads, by kind), lines looked up in
 * the L1, and the sums of global sectors, local sectors and atomics. The parts of these sums, and
 * their hits, keep their estimated shares. */
void known_counts_set(gpu_counters_t *c, const gpu_spec_t *spec, const launch_counts_t *f);

/* Adds f to *sum. */
void known_counts_add(launch_counts_t *sum, const launch_counts_t *f);

/* Limits counters to what is possible in `cycles` cycles (without the launch latency): SMs are
 * active no longer than that, warps are resident no longer than their SM is active, and hits do not
 * exceed lookups. */
void known_counts_limit(gpu_counters_t *c, const gpu_spec_t *spec, uint64_t cycles);

/* Minimum cycles for this many warp instructions: every scheduler issues one per cycle. */
uint64_t known_counts_least_cycles(const gpu_spec_t *spec, uint64_t warp_insts);

#endif
