/* Estimates of a launch that was partly simulated, and how far they may be off. */
#ifndef RUBATO_GPU_LAUNCH_ESTIMATE_H
#define RUBATO_GPU_LAUNCH_ESTIMATE_H

#include "sim/gpu/gpu_counters.h"

/* An estimate of a whole launch: its cycles, launch latency included, and all counters in the order of
 * gpu_counters_t. */
typedef struct {
    double cycles;
    double counter[GPU_COUNTERS];
} launch_estimate_t;

/*
 * Jackknife replicates of an estimated launch, from which its error follows. What was simulated is
 * divided into n groups; replicate i is the estimate without group i. The variance of any function f
 * of cycles and counters is (n - 1) / n times the sum of (f(list[i]) - mean of f)^2, with n - 1
 * degrees of freedom (delete-a-group jackknife). A counter that is NAN in the replicates has no known error.
 */
typedef struct {
    size_t n;                      /* 0: the error is not known */
    const launch_estimate_t *list; /* borrowed; valid until launch_done() returns */
} launch_replicates_t;

#endif
