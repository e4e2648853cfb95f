/*
 * Simulated time. The unit everywhere in the model is the core clock cycle, counted from the
 * start of the run; other clock domains are rational ratios of it (clock.h).
 */
#ifndef RUBATO_CORE_CYCLE_H
#define RUBATO_CORE_CYCLE_H

#include <stdint.h>

typedef uint64_t cycle_t;

/* "No event is scheduled". */
#define CYCLE_NEVER UINT64_MAX

static inline cycle_t cycle_min(cycle_t a, cycle_t b)
{
    return a < b ? a : b;
}

static inline cycle_t cycle_max(cycle_t a, cycle_t b)
{
    return a > b ? a : b;
}

#endif
