/*
 * The committed counts of every case: a tab-separated file "case instructions sectors cycles".
 */
#ifndef RUBATO_BENCH_EXPECT_H
#define RUBATO_BENCH_EXPECT_H

#include "bench/bench_run.h"

enum { BENCH_MAX_CASES = 64, BENCH_NAME_BYTES = 64 };

typedef struct {
    size_t n;
    struct {
        char name[BENCH_NAME_BYTES];
        bench_counts_t counts;
    } row[BENCH_MAX_CASES];
} bench_expect_t;

RB_CHECKED rb_code_t bench_expect_read(const char *path, bench_expect_t *e, rb_err_t *err);
RB_CHECKED rb_code_t bench_expect_write(const char *path, const bench_expect_t *e, rb_err_t *err);

/* Adds or replaces a row; rows beyond BENCH_MAX_CASES are refused with a panic. */
void bench_expect_set(bench_expect_t *e, const char *name, const bench_counts_t *counts);

/* NULL: no such row. */
const bench_counts_t *bench_expect_find(const bench_expect_t *e, const char *name);

#endif
