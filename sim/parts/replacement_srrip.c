/*
 * Static re-reference interval prediction with hit priority and two bits a line (Jaleel et al.,
 * ISCA 2010). A line's prediction is 0 when it hits and 2 when it comes in; the first way with a 3
 * goes, and if there is none, all predictions grow by one until there is.
 */
#include "sim/parts/cache_internal.h"

enum { LOW, HIGH };

static void predict(cache_t *c, uint32_t set, uint32_t way, uint32_t interval)
{
    plane_put(cache_plane(c, set, LOW), way, interval & 1);
    plane_put(cache_plane(c, set, HIGH), way, interval >> 1 & 1);
}

/* The first way predicted as distant (3); c->ways: there is none. */
static uint32_t first_distant(const cache_t *c, uint32_t set)
{
    const uint64_t *low = cache_plane(c, set, LOW), *high = cache_plane(c, set, HIGH);
    for (uint32_t i = 0; i < c->plane_words; i++) {
        uint64_t distant = low[i] & high[i];
        if (distant != 0)
            return i * 64 + (uint32_t)__builtin_ctzll(distant);
    }
    return c->ways;
}

/* All predictions, of which none is 3, grow by one. */
static void grow(cache_t *c, uint32_t set)
{
    uint64_t *low = cache_plane(c, set, LOW), *high = cache_plane(c, set, HIGH);
    for (uint32_t i = 0; i < c->plane_words; i++) {
        high[i] ^= low[i];
        low[i] = ~low[i] & plane_mask(c, i);
    }
}

void replacement_srrip_hit(cache_t *c, uint32_t set, uint32_t way)
{
    predict(c, set, way, 0);
    cache_way_touch(c, set, way);
}

void replacement_srrip_added(cache_t *c, uint32_t set, uint32_t way)
{
    predict(c, set, way, 2);
}

uint32_t replacement_srrip_replace(cache_t *c, uint32_t set)
{
    uint32_t way;
    while ((way = first_distant(c, set)) == c->ways)
        grow(c, set);
    predict(c, set, way, 2);
    cache_way_touch(c, set, way);
    return way;
}
