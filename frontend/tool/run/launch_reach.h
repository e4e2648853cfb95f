/*
 * How much longer a launch may take than others with the same counts: the caches may hold nothing of
 * what it accesses.
 *
 * Then its sectors are moved by the DRAM, each line opening a row, and each memory instruction of a
 * warp waits for the DRAM. The time of work and of waiting is at most their sum (Brent, The parallel
 * evaluation of general arithmetic expressions, Journal of the ACM, 1974). Not bounded by this, and
 * taken for impossible: addresses of which many are in the same channel in spite of the hash.
 */
#ifndef RUBATO_RUN_LAUNCH_REACH_H
#define RUBATO_RUN_LAUNCH_REACH_H

#include "frontend/tool/run/launch_list.h"
#include "sim/gpu/gpu_params.h"

/* Adds this column (population_t.extra) to the launches of a trace, if an index has their counts. */
RB_CHECKED rb_code_t launch_reach_add(launch_list_t *l, const gpu_spec_t *spec,
                                      trace_source_t *source, rb_err_t *err);

#endif
