/*
 * How much longer a launch may take than others with the same counts: the caches may hold nothing of
 * what it accesses.
 *
 * Then its sectors are moved by the DRAM, each line opening a row, and each memory instruction of a
 * warp waits for the DRAM. The time of work and of waiting is at most their sum (Brent, The parallel
 * evaluation of general arithmetic expressions, Journal of the ACM, 1974). Not bounded by this, and
 * taken for impossible: addresses of which many are in the same channel in spite of the hash.
 */
#ifndef RUBATO_ESTIMATE_LAUNCH_REACH_H
#define RUBATO_ESTIMATE_LAUNCH_REACH_H

#include "sampling/plan/population.h"
#include "sim/gpu/gpu_params.h"
#include "sim/gpu/source/trace_source.h"

/*
 * The column population_t.extra of the launches of a trace, in new memory, which the caller frees. *extra
 * NULL: their counts are not known. RB_TRACE.
 */
RB_CHECKED rb_code_t launch_reach(const population_t *pop, const gpu_spec_t *spec,
                                  trace_source_t *source, double **extra, rb_err_t *err);

#endif
