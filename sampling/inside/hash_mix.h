/* The finaliser of SplitMix64: a bijective hash. */
#ifndef RUBATO_HASH_MIX_H
#define RUBATO_HASH_MIX_H

#include <stdint.h>

static inline uint64_t hash_mix(uint64_t z)
{
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

#endif
