#include "sampling/math/rng.h"

#include <math.h>

#include "sim/core/mix64.h"

rng_t rng_make(uint64_t seed, uint64_t stream)
{
    return (rng_t){
        .key = mix64(mix64(seed + MIX64_STEP) + stream * 0xd1342543de82ef95ull + MIX64_STEP)};
}

uint64_t rng_u64(rng_t *r)
{
    return mix64(mix64(r->key + r->count++ * MIX64_STEP) ^ r->key);
}

uint64_t rng_below(rng_t *r, uint64_t n)
{
    /* Lemire, "Fast random integer generation in an interval", 2019. */
    __extension__ typedef unsigned __int128 u128;
    u128 product = (u128)rng_u64(r) * n;
    if ((uint64_t)product < n) {
        uint64_t least = (0 - n) % n;
        while ((uint64_t)product < least)
            product = (u128)rng_u64(r) * n;
    }
    return (uint64_t)(product >> 64);
}

double rng_unit(rng_t *r)
{
    return (double)(rng_u64(r) >> 11) * 0x1p-53;
}

double rng_normal(rng_t *r)
{
    /* Box and Muller; 1 - u is never 0. */
    double radius = sqrt(-2 * log(1 - rng_unit(r)));
    return radius * cos(2 * 3.14159265358979323846 * rng_unit(r));
}
