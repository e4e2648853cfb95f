/* Monte Carlo checks of sample sizes: STEM's Eq. 6 as printed and as derived, and sampling with
 * and without replacement. */
#ifndef RUBATO_BENCH_SAMPLING_BOUND_H
#define RUBATO_BENCH_SAMPLING_BOUND_H

#include <stdint.h>

/*
 * For 4, 20 and 100 kernels with lognormal times (CoV 0.6): how often the error is above the bound
 * of 5 %, with the sample sizes of either equation.
 */
void bound_equation6(uint64_t trials);

/* For one kernel of 400 launches (lognormal, CoV 0.48) and of 1,000 (1.06): samples and 95th
 * percentile of the error, with replacement as in the paper, and without. */
void bound_replacement(uint64_t trials);

#endif
