/*
 * Static re-reference interval prediction with hit priority and two bits per line (Jaleel et al.,
 * ISCA 2010). The prediction is 2 on insertion and 0 after a hit. The victim is the first way with
 * a 3; if there is none, all predictions are incremented until there is.
 */
#include "sim/parts/cache_internal.h"

enum { LOW, HIGH };

static void predict(cache_t *c, uint32_t set, uint32_t way, uint32_t interval)
{
    plane_put(cache_plane(c, set, LOW), way, interval & 1);
    plane_put(cache_plane(c, set, HIGH), way, interval >> 1 & 1);
}

/* The first way predicted as distant (3); c->ways if there is none. */
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

/* Increments all predictions; none is 3. */
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
