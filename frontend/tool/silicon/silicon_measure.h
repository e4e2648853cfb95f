/* Runs a test of the suite on the model and computes its value. */
#ifndef RUBATO_HARDWARE_SILICON_MEASURE_H
#define RUBATO_HARDWARE_SILICON_MEASURE_H

#include "frontend/input/silicon/silicon_suite.h"
#include "include/rubato.h"

typedef struct {
    const suite_t *suite;
    rubato_config *config; /* whose values fit each other */
    int threads;           /* of the host */
    bool short_form;       /* with the test's .short parameters */
} measure_t;

/*
 * The value of the test at a point (its text; NULL for a test of one point). Launches run one after
 * the other on a chip that starts cold. What an expression of a test may name: the parameters of
 * its last launch; sms, clock_mhz, l2_bytes, slices, partitions, dram_peak (bytes per core cycle);
 * cycles (of the launch, without its launch latency), seconds; n_clocks and clock(i), the clock
 * reads of the first warp of the first block; span, from the first to the last read of all warps;
 * spread(i), from the earliest to the latest i-th read of the warps; and every statistic of stats.csv, such
 * as sm.global_load_sectors. "r1." before a name makes it that of the first launch. RB_TRACE with
 * file and line.
 */
RB_CHECKED rb_code_t silicon_measure(const measure_t *m, const suite_test_t *t, const char *point,
                                     double *value, rb_err_t *err);

#endif
