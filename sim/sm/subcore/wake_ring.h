/*
 * Warps by the cycle in which they become ready, if that is soon: one bit set per cycle. It does not
 * matter in which order the warps of a cycle become ready. Later ones wait in the event wheel.
 */
#ifndef RUBATO_SM_WAKE_RING_H
#define RUBATO_SM_WAKE_RING_H

#include "sim/core/cycle.h"
#include "sim/sm/sm_limits.h"

enum { WAKE_CYCLES = 64, WAKE_WORDS = (SM_MAX_WARPS + 63) / 64 };

typedef struct {
    cycle_t base;      /* the current cycle, or the last one; no warp is earlier */
    uint64_t occupied; /* bit c modulo WAKE_CYCLES: warps wait for cycle c */
    uint64_t warps[WAKE_CYCLES][WAKE_WORDS];
} wake_ring_t;

/* false: the cycle is too far away. */
static inline bool wake_ring_add(wake_ring_t *r, cycle_t at, uint32_t w)
{
    if (at - r->base >= WAKE_CYCLES)
        return false;
    r->occupied |= UINT64_C(1) << at % WAKE_CYCLES;
    r->warps[at % WAKE_CYCLES][w / 64] |= UINT64_C(1) << w % 64;
    return true;
}

/* The cycle of the first warp; CYCLE_NEVER if there is none. */
static inline cycle_t wake_ring_next(const wake_ring_t *r)
{
    unsigned start = (unsigned)(r->base % WAKE_CYCLES);
    uint64_t from_base = r->occupied >> start | r->occupied << (-start & (WAKE_CYCLES - 1));
    return r->occupied == 0 ? CYCLE_NEVER : r->base + (unsigned)__builtin_ctzll(from_base);
}

#endif
