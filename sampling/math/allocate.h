/*
 * Optimal allocation: how many samples each stratum gets so that the estimate of a total meets an
 * error bound at the lowest cost.
 */
#ifndef RUBATO_MATH_ALLOCATE_H
#define RUBATO_MATH_ALLOCATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint64_t size;  /* N: number of members */
    double cost;    /* of one sample: the mean time of a member */
    double sd;      /* S: standard deviation, with n - 1 if the population is finite */
    uint64_t least; /* minimum number of samples (at most size if finite) */
} stratum_t;

/*
 * Minimises sum m_i cost_i subject to the variance of the total, sum N_i^2 S_i^2 (1/m_i - 1/N_i),
 * being at most variance, and least_i <= m_i <= N_i. If finite is false, samples are drawn with
 * replacement: the term 1/N_i and the upper limit are dropped.
 *
 * By the Karush-Kuhn-Tucker conditions m_i is N_i S_i sqrt(lambda / cost_i) within its limits;
 * without limits sqrt(lambda) = sum_j N_j S_j sqrt(cost_j) / variance, which is Eq. 6 of STEM
 * (MICRO 2025) as its appendix derives it. Real solutions are rounded up; superfluous samples are
 * then removed from the most expensive strata.
 */
void allocate(const stratum_t *strata, size_t n, double variance, bool finite, uint64_t *m);

/* Variance of the total with m samples. */
double allocated_variance(const stratum_t *strata, size_t n, bool finite, const uint64_t *m);

/* The published Eq. 6, which has the root of the sum of products instead of the sum of their roots,
 * and no limits but m_i >= 1. It exceeds the bound by up to the fourth root of the number of
 * strata. */
void allocate_printed(const stratum_t *strata, size_t n, double variance, uint64_t *m);

/* Eq. 6 as in STEM's published code: the derived equation rounded up, without limits. A stratum
 * without spread gets no sample; a small one may get more samples than it has members. */
void allocate_unlimited(const stratum_t *strata, size_t n, double variance, uint64_t *m);

#endif
