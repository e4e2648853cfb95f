/* Runs a program that reads the cycle counter, and keeps the values. */
#ifndef RUBATO_TESTS_CLOCK_LAB_H
#define RUBATO_TESTS_CLOCK_LAB_H

#include "tests/support/sim/lab.h"

enum { CLOCK_LAB_MAX = 256 };

typedef struct {
    size_t n;
    clock_read_t read[CLOCK_LAB_MAX];
    launch_result_t result;
} clock_lab_t;

/* Runs s, which has one launch, and destroys it. ask: whether clock reads are requested. */
clock_lab_t clock_lab_run(const gpu_spec_t *spec, synth_t *s, int threads, cycle_t window,
                          bool ask);

#endif
