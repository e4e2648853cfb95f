/*
 * A second clock domain as an exact rational ratio of the core clock. Both start with an edge at
 * time 0: edge c of the core clock and edge t of the other coincide where c / core = t / other.
 */
#ifndef RUBATO_CORE_CLOCK_H
#define RUBATO_CORE_CLOCK_H

#include <math.h>
#include <stdbool.h>

#include "sim/core/cycle.h"

typedef struct {
    uint64_t core, other; /* frequencies divided by their greatest common divisor */
    double inverse;       /* 1 / other */
} clock_ratio_t;

/* Frequencies in MHz, taken to the nearest kHz, of which there must be at least one. */
static inline clock_ratio_t clock_ratio(double core_mhz, double other_mhz)
{
    clock_ratio_t r = {(uint64_t)llround(core_mhz * 1000), (uint64_t)llround(other_mhz * 1000), 0};
    uint64_t a = r.core, b = r.other;
    while (b != 0) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    r.core /= a;
    r.other /= a;
    r.inverse = 1.0 / (double)r.other;
    return r;
}

/* a * b / c; the product may need more than 64 bits, the result not. */
static inline uint64_t clock_scale(uint64_t a, uint64_t b, uint64_t c, bool up)
{
    uint64_t product, add = up ? c - 1 : 0;
    if (!__builtin_mul_overflow(a, b, &product) && !__builtin_add_overflow(product, add, &product))
        return product / c;
    __extension__ typedef unsigned __int128 wide_t;
    return (uint64_t)(((wide_t)a * b + add) / c);
}

/* First tick of the other clock at or after a core cycle. */
static inline uint64_t clock_tick_from(const clock_ratio_t *r, cycle_t cycle)
{
    return clock_scale(cycle, r->other, r->core, true);
}

/* Last tick of the other clock at or before a core cycle. */
static inline uint64_t clock_tick_until(const clock_ratio_t *r, cycle_t cycle)
{
    return clock_scale(cycle, r->other, r->core, false);
}

/* First core cycle at or after a tick of the other clock. */
static inline cycle_t clock_cycle_from(const clock_ratio_t *r, uint64_t tick)
{
    return clock_scale(tick, r->core, r->other, true);
}

/* Converts ticks that never decrease to core cycles, without dividing. A zeroed one is at time 0.
 */
typedef struct {
    uint64_t tick;
    cycle_t cycle;   /* first at or after tick */
    uint64_t excess; /* cycle * other - tick * core, below other */
} clock_cursor_t;

/* clock_cycle_from(r, tick) for a tick not before that of the last call. */
static inline cycle_t clock_cursor_cycle(clock_cursor_t *c, const clock_ratio_t *r, uint64_t tick)
{
    enum { NEAR = 1 << 20 };
    uint64_t steps = tick - c->tick;
    if (steps >= NEAR || r->core >= NEAR * (uint64_t)NEAR || r->other >= NEAR * (uint64_t)NEAR) {
        c->cycle = clock_cycle_from(r, tick);
        c->excess = c->cycle * r->other - tick * r->core; /* modulo 2^64: it is below other */
    } else {
        /* The quotient of doubles is off by one at most, upwards or downwards. */
        int64_t missing = (int64_t)(steps * r->core) - (int64_t)c->excess;
        int64_t cycles = missing > 0 ? (int64_t)((double)missing * r->inverse) : 0;
        cycles += cycles * (int64_t)r->other < missing;
        cycles += cycles * (int64_t)r->other < missing;
        cycles -= cycles > 0 && (cycles - 1) * (int64_t)r->other >= missing;
        c->cycle += (uint64_t)cycles;
        c->excess = (uint64_t)(cycles * (int64_t)r->other - missing);
    }
    c->tick = tick;
    return c->cycle;
}

#endif
