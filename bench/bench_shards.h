/* rubato_bench --shards: what more threads would bring, from the times of shards on one thread. */
#ifndef RUBATO_BENCH_SHARDS_H
#define RUBATO_BENCH_SHARDS_H

#include "bench/bench_run.h"

void bench_shards_header(void);

/* Runs a program `repeats` times and prints its row. */
RB_CHECKED rb_code_t bench_shards(const gpu_spec_t *spec, const char *name, unsigned repeats,
                                  bench_open_fn open, const void *ctx, rb_err_t *err);

#endif
