/*
 * Priority by warp: a line belongs to the warp in the lowest slot that has used it. The victim is a line
 * of the highest slot; of several, the one used last the longest time ago. So warps in low slots keep
 * their data while the others stream through (the idea of PCAL: Li et al., HPCA 2015).
 */
#include "sim/parts/cache/cache_internal.h"

enum { SLOT_BITS = 7 };

static uint32_t slot_get(const cache_t *c, uint32_t set, uint32_t way)
{
    uint32_t slot = 0;
    for (uint32_t bit = 0; bit < SLOT_BITS; bit++)
        slot |= (uint32_t)plane_get(cache_plane(c, set, bit), way) << bit;
    return slot;
}

static void slot_put(cache_t *c, uint32_t set, uint32_t way, uint32_t slot)
{
    for (uint32_t bit = 0; bit < SLOT_BITS; bit++)
        plane_put(cache_plane(c, set, bit), way, slot >> bit & 1);
}

void replacement_warp_hit(cache_t *c, uint32_t set, uint32_t way)
{
    if (c->request->warp < slot_get(c, set, way))
        slot_put(c, set, way, c->request->warp);
    cache_way_touch(c, set, way);
}

void replacement_warp_added(cache_t *c, uint32_t set, uint32_t way)
{
    slot_put(c, set, way, c->request->warp);
}

uint32_t replacement_warp_replace(cache_t *c, uint32_t set)
{
    uint32_t victim = 0, highest = 0;
    for (uint32_t place = 0, way = 0; place < c->ways; place++) {
        way = cache_way_by_use(c, set, place, way);
        const uint32_t slot = slot_get(c, set, way);
        if (slot >= highest) {
            highest = slot;
            victim = way;
        }
    }
    slot_put(c, set, victim, c->request->warp);
    cache_way_touch(c, set, victim);
    return victim;
}
