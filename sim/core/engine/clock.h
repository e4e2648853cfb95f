/*
 * A second clock domain as an exact rational ratio of the core clock. Both start with an edge at
 * time 0: edge c of the core clock and edge t of the other coincide where c / core = t / other.
 */
#ifndef RUBATO_CORE_CLOCK_H
#define RUBATO_CORE_CLOCK_H

#include <math.h>
#include <stdbool.h>

#include "sim/core/cycle.h"
#include "sim/core/divider.h"

typedef struct {
    uint64_t core, other; /* frequencies divided by their greatest common divisor */
    divider_t by_core, by_other;
} clock_ratio_t;

/* Frequencies in MHz, rounded to the nearest kHz; they must be at least 1 kHz. */
static inline clock_ratio_t clock_ratio(double core_mhz, double other_mhz)
{
    clock_ratio_t r = {.core = (uint64_t)llround(core_mhz * 1000),
                       .other = (uint64_t)llround(other_mhz * 1000)};
    uint64_t a = r.core, b = r.other;
    while (b != 0) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    r.core /= a;
    r.other /= a;
    r.by_core = divider_make(r.core);
    r.by_other = divider_make(r.other);
    return r;
}

/* a * b / c->by, rounded up or down. The product may exceed 64 bits; the result must not. */
static inline uint64_t clock_scale(uint64_t a, uint64_t b, const divider_t *c, bool up)
{
    uint64_t product, add = up ? c->by - 1 : 0;
    if (!__builtin_mul_overflow(a, b, &product) && !__builtin_add_overflow(product, add, &product))
        return divider_quotient(c, product);
    __extension__ typedef unsigned __int128 wide_t;
    return (uint64_t)(((wide_t)a * b + add) / c->by);
}

/* First tick of the other clock at or after a core cycle. */
static inline uint64_t clock_tick_from(const clock_ratio_t *r, cycle_t cycle)
{
    return clock_scale(cycle, r->other, &r->by_core, true);
}

/* Last tick of the other clock at or before a core cycle. */
static inline uint64_t clock_tick_until(const clock_ratio_t *r, cycle_t cycle)
{
    return clock_scale(cycle, r->other, &r->by_core, false);
}

/* First core cycle at or after a tick of the other clock. */
static inline cycle_t clock_cycle_from(const clock_ratio_t *r, uint64_t tick)
{
    return clock_scale(tick, r->core, &r->by_other, true);
}

#endif
