/*
 * Not recently used. One bit per line says that it was used. The victim is a random line without
 * the bit; if all have it, it is first taken from all.
 */
#include "sim/parts/cache/cache_internal.h"

static uint32_t unused_ways(const cache_t *c, const uint64_t *used)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->plane_words; i++)
        n += (uint32_t)__builtin_popcountll(~used[i] & plane_mask(c, i));
    return n;
}

/* The way of the line without the bit that has `before` of them before it. */
static uint32_t unused_way(const cache_t *c, const uint64_t *used, uint32_t before)
{
    for (uint32_t i = 0; i < c->plane_words; i++) {
        uint64_t free = ~used[i] & plane_mask(c, i);
        const uint32_t n = (uint32_t)__builtin_popcountll(free);
        if (before < n) {
            while (before-- > 0)
                free &= free - 1;
            return i * 64 + (uint32_t)__builtin_ctzll(free);
        }
        before -= n;
    }
    return 0; /* not reached: there are more than `before` */
}

void replacement_nru_hit(cache_t *c, uint32_t set, uint32_t way)
{
    plane_put(cache_plane(c, set, 0), way, true);
    cache_way_touch(c, set, way);
}

void replacement_nru_added(cache_t *c, uint32_t set, uint32_t way)
{
    plane_put(cache_plane(c, set, 0), way, true);
}

uint32_t replacement_nru_replace(cache_t *c, uint32_t set)
{
    uint64_t *used = cache_plane(c, set, 0);
    uint32_t n = unused_ways(c, used);
    if (n == 0) {
        for (uint32_t i = 0; i < c->plane_words; i++)
            used[i] = 0;
        n = c->ways;
    }
    const uint32_t way = unused_way(c, used, (uint32_t)((uint64_t)cache_random(c) * n >> 32));
    replacement_nru_hit(c, set, way);
    return way;
}
