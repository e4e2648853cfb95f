/* How far simulated values are from measured ones. */
#ifndef RUBATO_HARDWARE_HARDWARE_SCORE_H
#define RUBATO_HARDWARE_HARDWARE_SCORE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Errors are relative: (simulated - measured) / |measured|, or, for shares (fractions of 1),
 * differences. NAN: a relative error of a measured 0, unless both values are 0.
 */
double hardware_relative_error(double measured, double simulated, bool share);

/* NAN: no pair has an error, or too few pairs for a correlation. */
typedef struct {
    size_t n;      /* pairs that have an error; the others are left out of the errors */
    double error;  /* mean of |error| */
    double median; /* median of |error| */
    double bias;   /* mean of the errors */
    size_t worst;  /* the pair with the largest |error| */
    double r,
        log_r; /* Pearson's correlation of all pairs, and of the logarithms of those above 0 */
} hardware_score_t;

/* Scores n pairs. */
hardware_score_t hardware_score(const double *measured, const double *simulated, size_t n,
                                bool share);

#endif
