/* Least recently used. */
#include "sim/parts/cache/cache_internal.h"

void replacement_lru_hit(cache_t *c, uint32_t set, uint32_t way)
{
    cache_way_touch(c, set, way);
}

void replacement_lru_added(cache_t *c, uint32_t set, uint32_t way)
{
    (void)c, (void)set, (void)way;
}

uint32_t replacement_lru_replace(cache_t *c, uint32_t set)
{
    return cache_renew_oldest(c, set);
}
