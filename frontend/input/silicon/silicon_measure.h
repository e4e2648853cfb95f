/* Runs a test of the suite on the model and computes its value. */
#ifndef RUBATO_SILICON_MEASURE_H
#define RUBATO_SILICON_MEASURE_H

#include "frontend/input/silicon/silicon_suite.h"
#include "sim/gpu/gpu.h"

typedef struct {
    const suite_t *suite;
    const gpu_spec_t *spec;
    int threads;     /* of the host */
    bool short_form; /* with the test's .short parameters */
} measure_t;

/*
 * The value of the test at a point (its text; NULL for a test of one point). Launches run one after
 * the other on a chip that starts cold. The expression of a test may use: the parameters of its
 * last launch; sms, clock_mhz, l2_bytes, slices, partitions, dram_peak (bytes per core cycle);
 * cycles (of the launch, without its launch latency), seconds; n_clocks and clock(i), the clock
 * reads of the first warp of the first block; span, the time from the first to the last read of all
 * warps; spread(i), the time from the earliest to the latest i-th read of the warps; and every
 * counter of docs/results.md, such as sm.global_load_sectors. The prefix "r1." selects the first
 * launch. RB_TRACE with file and line.
 */
RB_CHECKED rb_code_t silicon_measure(const measure_t *m, const suite_test_t *t, const char *point,
                                     double *value, rb_err_t *err);

#endif
