/*
 * Counters of a launch or a run of which a part was estimated: what an index knows of them takes
 * the place of the estimate, and what cannot be is cut off.
 */
#ifndef RUBATO_GPU_KNOWN_COUNTS_H
#define RUBATO_GPU_KNOWN_COUNTS_H

#include "sim/gpu/gpu_counters.h"
#include "sim/gpu/gpu_params.h"
#include "sim/gpu/trace_source.h"

/*
 * Sets what is known exactly: blocks, instructions (all, of threads, by kind), lines looked up in
 * L1, and the sums of global and local sectors and of atomics. What these sums consist of, and how
 * much of it hit, keeps its estimated shares.
 */
void known_counts_set(gpu_counters_t *c, const gpu_spec_t *spec, const launch_counts_t *f);

/* Sums of counts. */
void known_counts_add(launch_counts_t *sum, const launch_counts_t *f);

/*
 * Cuts counters of a time of so many cycles, launch latency not among them, down to what can be:
 * SMs are active no longer than there are cycles, warps are on them no longer than they are active,
 * and of what is looked up no more is found than there is.
 */
void known_counts_limit(gpu_counters_t *c, const gpu_spec_t *spec, uint64_t cycles);

/* Cycles that so many warp instructions take at least: every scheduler issues one in each. */
uint64_t known_counts_least_cycles(const gpu_spec_t *spec, uint64_t warp_insts);

#endif
