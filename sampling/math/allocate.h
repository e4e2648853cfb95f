/*
 * How many samples each stratum gets, so that the estimate of a total meets an error bound at the
 * least cost.
 */
#ifndef RUBATO_MATH_ALLOCATE_H
#define RUBATO_MATH_ALLOCATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint64_t size;  /* N: members */
    double cost;    /* of one sample: its mean time */
    double sd;      /* S: with n - 1 where the population is finite */
    uint64_t least; /* samples at least (at most size if finite) */
} stratum_t;

/*
 * Minimises sum m_i cost_i subject to the variance of the total, sum N_i^2 S_i^2 (1/m_i - 1/N_i),
 * being at most variance, least_i <= m_i <= N_i. Without finite, samples are drawn with
 * replacement: the term 1/N_i and the upper limit fall away.
 *
 * By the Karush-Kuhn-Tucker conditions m_i is N_i S_i sqrt(lambda / cost_i) within its limits;
 * without limits sqrt(lambda) = sum_j N_j S_j sqrt(cost_j) / variance, which is Eq. 6 of STEM
 * (MICRO 2025) as its appendix derives it. Real solutions are rounded up; what rounding gives too
 * much is taken back from the dearest strata.
 */
void allocate(const stratum_t *strata, size_t n, double variance, bool finite, uint64_t *m);

/* Variance of the total with m samples. */
double allocated_variance(const stratum_t *strata, size_t n, bool finite, const uint64_t *m);

/*
 * The published Eq. 6, which has the root of the sum of products for the sum of their roots, and
 * no limits but m_i >= 1. It breaks the bound by up to the fourth root of the number of strata.
 */
void allocate_printed(const stratum_t *strata, size_t n, double variance, uint64_t *m);

/*
 * Eq. 6 as STEM's published code has it: the derived equation rounded up, and no limits at all. A
 * stratum without spread gets no sample, a small one may get more than it has.
 */
void allocate_unlimited(const stratum_t *strata, size_t n, double variance, uint64_t *m);

#endif
