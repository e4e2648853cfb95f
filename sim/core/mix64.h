/* The finaliser of splitmix64: a bijection in which each input bit changes half of the output bits. */
#ifndef RUBATO_CORE_MIX64_H
#define RUBATO_CORE_MIX64_H

#include <stdint.h>

/* Increment of the generator: 2^64 divided by the golden ratio. */
#define MIX64_STEP UINT64_C(0x9e3779b97f4a7c15)

static inline uint64_t mix64(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

#endif
