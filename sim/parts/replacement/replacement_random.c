/*
 * Random. The order of use is still kept, for the write-back of modified lines
 * (l2.modified_share).
 */
#include "sim/parts/cache/cache_internal.h"

void replacement_random_hit(cache_t *c, uint32_t set, uint32_t way)
{
    cache_way_touch(c, set, way);
}

void replacement_random_added(cache_t *c, uint32_t set, uint32_t way)
{
    (void)c, (void)set, (void)way;
}

uint32_t replacement_random_replace(cache_t *c, uint32_t set)
{
    uint32_t way = (uint32_t)((uint64_t)cache_random(c) * c->ways >> 32);
    cache_way_touch(c, set, way);
    return way;
}
