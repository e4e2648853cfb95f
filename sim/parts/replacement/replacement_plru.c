/*
 * Tree pseudo-LRU. A node splits a range of ways in two; its bit says in which half the next victim
 * is. A node is identified by the first way of its upper half, so one bit per way is enough and the
 * number of ways need not be a power of two.
 */
#include "sim/parts/cache/cache_internal.h"

/* Makes all nodes above way point away from it. */
static void point_away(cache_t *c, uint32_t set, uint32_t way)
{
    uint64_t *upper = cache_plane(c, set, 0);
    for (uint32_t low = 0, high = c->ways; high - low > 1;) {
        uint32_t middle = (low + high) / 2;
        plane_put(upper, middle, way < middle);
        if (way < middle)
            high = middle;
        else
            low = middle;
    }
}

void replacement_plru_hit(cache_t *c, uint32_t set, uint32_t way)
{
    point_away(c, set, way);
    cache_way_touch(c, set, way);
}

void replacement_plru_added(cache_t *c, uint32_t set, uint32_t way)
{
    point_away(c, set, way);
}

uint32_t replacement_plru_replace(cache_t *c, uint32_t set)
{
    const uint64_t *upper = cache_plane(c, set, 0);
    uint32_t low = 0, high = c->ways;
    while (high - low > 1) {
        uint32_t middle = (low + high) / 2;
        if (plane_get(upper, middle))
            low = middle;
        else
            high = middle;
    }
    replacement_plru_hit(c, set, low);
    return low;
}
