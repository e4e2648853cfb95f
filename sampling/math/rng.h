/*
 * Counter-based random numbers: the i-th number of stream s of a seed is a hash of the three, so
 * draws do not depend on other draws, threads or the compiler. Hash: two rounds of the finaliser of
 * SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
 */
#ifndef RUBATO_MATH_RNG_H
#define RUBATO_MATH_RNG_H

#include <stdint.h>

typedef struct {
    uint64_t key, count;
} rng_t;

rng_t rng_make(uint64_t seed, uint64_t stream);

uint64_t rng_u64(rng_t *r);

/* Uniform in 0 .. n - 1, without bias; n > 0. */
uint64_t rng_below(rng_t *r, uint64_t n);

/* Uniform in [0, 1), 53 bits. */
double rng_unit(rng_t *r);

/* Standard normal deviate. */
double rng_normal(rng_t *r);

#endif
