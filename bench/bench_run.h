/*
 * Runs one program of the benchmark in one way, and returns its counts and times.
 */
#ifndef RUBATO_BENCH_RUN_H
#define RUBATO_BENCH_RUN_H

#include "sim/gpu/gpu.h"

/* Counts depend on model and program, seconds on the host. */
typedef struct {
    uint64_t insts;   /* warp instructions */
    uint64_t sectors; /* 32-byte sectors that loads, stores and atomics of the warps requested */
    uint64_t cycles;
} bench_counts_t;

typedef struct {
    bench_counts_t counts;
    double seconds; /* median of the repeats, of gpu_run() alone: wall-clock time ... */
    double cpu;     /* ... and processor time of all threads */
} bench_result_t;

/* Returns a new source, which the caller destroys through its ops. NULL: failed, see err. */
typedef trace_source_t *(*bench_open_fn)(const void *ctx, rb_err_t *err);

/* Median of n (1 .. BENCH_MAX_REPEATS) times; sorts them. */
enum { BENCH_MAX_REPEATS = 64 };
double bench_median(double *times, unsigned n);

/* Runs all launches, repeats times. Counts must agree between the repeats. */
RB_CHECKED rb_code_t bench_run(const gpu_spec_t *spec, int threads, unsigned repeats,
                               bench_open_fn open, const void *ctx, bench_result_t *out,
                               rb_err_t *err);

#endif
