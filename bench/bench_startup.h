/*
 * The time that a run takes before and after it simulates: making a chip, one block of one warp that
 * exits at once, and destroying the chip.
 */
#ifndef RUBATO_BENCH_STARTUP_H
#define RUBATO_BENCH_STARTUP_H

#include "bench/bench_run.h"

#define BENCH_STARTUP "start-up" /* its name */

/* The idle launch. */
trace_source_t *bench_startup_open(const void *ctx, rb_err_t *err);

/* Measures and prints the row; repeats as in bench_run(). */
RB_CHECKED rb_code_t bench_startup(const gpu_spec_t *spec, unsigned repeats, rb_err_t *err);

#endif
