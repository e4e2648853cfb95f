/*
 * The warps of a sub-core by the cycle in which they become ready, if that is soon: one bit set per
 * cycle. It does not matter in which order the warps of a cycle become ready. Later ones wait in the
 * event wheel of the SM.
 */
#ifndef RUBATO_SM_WAKE_RING_H
#define RUBATO_SM_WAKE_RING_H

#include <stdbool.h>

#include "sim/core/cycle.h"

enum { WAKE_CYCLES = 64 };

typedef struct {
    cycle_t base;                /* no warp is earlier */
    uint64_t occupied;           /* bit c modulo WAKE_CYCLES: warps wait for cycle c */
    uint32_t warps[WAKE_CYCLES]; /* bit i: i-th warp of the sub-core */
} wake_ring_t;

/* Adds a warp in cycle now, for a later one. false: that is too far away. */
static inline bool wake_ring_add(wake_ring_t *r, cycle_t now, cycle_t at, unsigned warp)
{
    if (r->occupied == 0)
        r->base = now;
    if (at - r->base >= WAKE_CYCLES)
        return false;
    r->occupied |= UINT64_C(1) << at % WAKE_CYCLES;
    r->warps[at % WAKE_CYCLES] |= UINT32_C(1) << warp;
    return true;
}

/* The cycle of the first warp; CYCLE_NEVER if there is none. */
static inline cycle_t wake_ring_next(const wake_ring_t *r)
{
    unsigned start = (unsigned)(r->base % WAKE_CYCLES);
    uint64_t from_base = r->occupied >> start | r->occupied << (-start & (WAKE_CYCLES - 1));
    return r->occupied == 0 ? CYCLE_NEVER : r->base + (unsigned)__builtin_ctzll(from_base);
}

/* Takes the warps of cycle now; there are none before it. */
static inline uint32_t wake_ring_take(wake_ring_t *r, cycle_t now)
{
    const unsigned slot = (unsigned)(now % WAKE_CYCLES);
    r->base = now;
    if (!(r->occupied >> slot & 1))
        return 0;
    uint32_t warps = r->warps[slot];
    r->occupied &= ~(UINT64_C(1) << slot);
    r->warps[slot] = 0;
    return warps;
}

#endif
