/*
 * Helpers for tests of caches: lines of 128 bytes, pseudo-random numbers, and inserting a line.
 */
#ifndef RUBATO_TESTS_CACHE_LAB_H
#define RUBATO_TESTS_CACHE_LAB_H

#include "sim/parts/cache/cache.h"

enum { LINE = 128 };

static uint64_t cache_lab_state;

static inline void cache_lab_seed(uint64_t seed)
{
    cache_lab_state = seed;
}

/* Marsaglia's xorshift64. */
static inline uint64_t cache_lab_random(void)
{
    cache_lab_state ^= cache_lab_state << 13;
    cache_lab_state ^= cache_lab_state >> 7;
    cache_lab_state ^= cache_lab_state << 17;
    return cache_lab_state;
}

/* Inserts the whole line, which must be absent. */
static inline void cache_lab_fill(cache_t *c, uint64_t line)
{
    cache_line_t victim;
    bool evicted;
    cache_tag_fill(cache_insert(c, line, &victim, &evicted), CACHE_TAG_VALID);
}

#endif
