/*
 * Re-reference interval prediction with two bits per line (Jaleel et al., ISCA 2010), for the
 * policies srrip, drrip and ship: planes 0 and 1 of the policy's state. 3: far in the future.
 */
#ifndef RUBATO_PARTS_RRIP_H
#define RUBATO_PARTS_RRIP_H

#include "sim/parts/cache/cache_internal.h"

enum { RRIP_LOW, RRIP_HIGH, RRIP_PLANES };
enum { RRIP_NEAR = 0, RRIP_LONG = 2, RRIP_DISTANT = 3 };

static inline void rrip_predict(cache_t *c, uint32_t set, uint32_t way, uint32_t interval)
{
    plane_put(cache_plane(c, set, RRIP_LOW), way, interval & 1);
    plane_put(cache_plane(c, set, RRIP_HIGH), way, interval >> 1 & 1);
}

/* The first way predicted as distant; c->ways if there is none. */
static inline uint32_t rrip_first_distant(const cache_t *c, uint32_t set)
{
    const uint64_t *low = cache_plane(c, set, RRIP_LOW), *high = cache_plane(c, set, RRIP_HIGH);
    for (uint32_t i = 0; i < c->plane_words; i++) {
        uint64_t distant = low[i] & high[i];
        if (distant != 0)
            return i * 64 + (uint32_t)__builtin_ctzll(distant);
    }
    return c->ways;
}

/* Increments all predictions; none is distant. */
static inline void rrip_grow(cache_t *c, uint32_t set)
{
    uint64_t *low = cache_plane(c, set, RRIP_LOW), *high = cache_plane(c, set, RRIP_HIGH);
    for (uint32_t i = 0; i < c->plane_words; i++) {
        high[i] ^= low[i];
        low[i] = ~low[i] & plane_mask(c, i);
    }
}

/* The victim of a full set: the first distant way, after all predictions have been incremented as often
 * as it takes. */
static inline uint32_t rrip_victim(cache_t *c, uint32_t set)
{
    uint32_t way;
    while ((way = rrip_first_distant(c, set)) == c->ways)
        rrip_grow(c, set);
    return way;
}

#endif
