/*
 * The programs that the benchmark runs. All but the latency case keep at least two full waves of a
 * V100 resident (80 SMs x 64 warps), so no case measures an empty chip.
 */
#ifndef RUBATO_BENCH_CASES_H
#define RUBATO_BENCH_CASES_H

#include <stdbool.h>

#include "tests/support/trace/synth.h"

typedef struct {
    const char *name;
    synth_t *(*build)(void);
    bool large; /* enough work to be worth two threads */
} bench_case_t;

/* Ends with name == NULL. */
extern const bench_case_t bench_cases[];

#endif
