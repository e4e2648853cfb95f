/*
 * Reproducible randomness: random values as functions of a seed and of their purpose, so that
 * nothing is stored and the order of evaluation does not matter.
 */
#ifndef RUBATO_GEN_HASH_H
#define RUBATO_GEN_HASH_H

#include <stdint.h>

#include "sim/core/mix64.h"

static inline uint64_t gen_mix(uint64_t x)
{
    return mix64(x + MIX64_STEP);
}

/* The random word for (seed, a, b). */
static inline uint64_t gen_hash(uint64_t seed, uint64_t a, uint64_t b)
{
    return gen_mix(gen_mix(gen_mix(seed) ^ a) ^ b);
}

__extension__ typedef unsigned __int128 gen_wide_t;

/* A random word reduced to 0 .. n - 1 (n > 0). */
static inline uint64_t gen_reduce(uint64_t word, uint64_t n)
{
    return (uint64_t)((gen_wide_t)word * n >> 64);
}

/* A random word as a number in [0, 1). */
static inline double gen_unit(uint64_t word)
{
    return (double)(word >> 11) * 0x1p-53;
}

#endif
