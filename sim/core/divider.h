/*
 * Division by a number that is known when the model is built. A division takes the host 25 to 90
 * cycles; this multiplies by the reciprocal instead, as compilers do for constants (Granlund,
 * Montgomery 1994).
 */
#ifndef RUBATO_CORE_DIVIDER_H
#define RUBATO_CORE_DIVIDER_H

#include <stdint.h>

typedef struct {
    uint64_t by;
    uint64_t reciprocal; /* (2^64 - 1) / by */
} divider_t;

/* by is at least 1. */
static inline divider_t divider_make(uint64_t by)
{
    return (divider_t){.by = by, .reciprocal = UINT64_MAX / by};
}

/* n / d->by. The reciprocal is too small by at most 1 / 2^64, so the product is less than 1 below n
 * / d->by: its integer part is the quotient or one less. */
static inline uint64_t divider_quotient(const divider_t *d, uint64_t n)
{
    __extension__ typedef unsigned __int128 wide_t;
    uint64_t quotient = (uint64_t)((wide_t)n * d->reciprocal >> 64);
    return quotient + (n - quotient * d->by >= d->by);
}

/* n / d->by, rounded up; n is at most 2^64 - d->by. */
static inline uint64_t divider_quotient_up(const divider_t *d, uint64_t n)
{
    return divider_quotient(d, n + d->by - 1);
}

/* n modulo d->by */
static inline uint64_t divider_rest(const divider_t *d, uint64_t n)
{
    return n - divider_quotient(d, n) * d->by;
}

#endif
