/*
 * LRU insertion (Qureshi et al., ISCA 2007): a new line is the next victim unless it is used
 * again.
 */
#include "sim/parts/cache/cache_internal.h"

void replacement_lip_hit(cache_t *c, uint32_t set, uint32_t way)
{
    cache_way_touch(c, set, way);
}

void replacement_lip_added(cache_t *c, uint32_t set, uint32_t way)
{
    cache_way_age(c, set, way);
}

uint32_t replacement_lip_replace(cache_t *c, uint32_t set)
{
    return cache_oldest_way(c, set);
}
