/*
 * Native traces of the benchmark's programs, for benchmarks of reading them: written to temporary
 * files when they are first wanted, removed at the end of the process. Errors end the process.
 */
#ifndef RUBATO_BENCH_MICRO_STORED_H
#define RUBATO_BENCH_MICRO_STORED_H

#include "sim/gpu/source/trace_source.h"

/* A case of bench_cases.h, or "many": MICRO_MANY_LAUNCHES tiny launches. */
enum { MICRO_MANY_LAUNCHES = 100000 };

/* Writes the trace of a case anew. Returns its warp instructions. */
uint64_t micro_store(const char *name, uint64_t *bytes);

/* Opens the trace of a case; the caller destroys the source. bytes: of the file. */
trace_source_t *micro_open(const char *name, uint64_t *bytes);

#endif
