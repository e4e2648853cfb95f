/*
 * The error of a launch that was estimated inside: the jackknife replicates of launch_result.h, in
 * the form in which a run keeps them. Only what differs between replicates is kept, as deviations
 * from the mean in single precision: a few kilobytes per launch.
 */
#ifndef RUBATO_ESTIMATE_LAUNCH_ERROR_H
#define RUBATO_ESTIMATE_LAUNCH_ERROR_H

#include "sim/gpu/launch_result.h"

/* The values of launch_estimate_t: cycles, then the counters in the order of gpu_counters_t. */
enum { LAUNCH_VALUES = 1 + GPU_COUNTERS };

/* A sum of values, each times a coefficient. */
typedef struct {
    uint16_t value;
    double coefficient;
} linear_term_t;

typedef struct {
    uint64_t n;                  /* replicates; 0: the error is not known */
    const uint8_t *deviations;   /* borrowed: rows of n floats, not aligned */
    uint16_t row[LAUNCH_VALUES]; /* row of a value, from 1; 0: the same in all replicates */
} launch_error_t;

/* Writes the replicates as bytes in new memory, *size of them. The caller frees them. */
uint8_t *launch_error_write(const launch_replicates_t *r, size_t *size);

/* Reads such bytes, which must outlive *out. False: they are not such bytes. */
bool launch_error_read(launch_error_t *out, const uint8_t *bytes, size_t size);

/* The bytes that were read, for writing them again. */
const uint8_t *launch_error_bytes(const launch_error_t *e, size_t *size);

/* Variance of a sum of the launch's values; terms with value >= LAUNCH_VALUES are taken as exact. It
 * has n - 1 degrees of freedom. NAN: unknown. */
double launch_error_variance(const launch_error_t *e, const linear_term_t *terms, size_t n_terms);

#endif
