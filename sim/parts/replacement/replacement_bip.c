/*
 * Bimodal insertion (Qureshi et al., ISCA 2007): as LIP, but one new line in 32 is inserted as the
 * newest, so that the set adapts when the working set changes.
 */
#include "sim/parts/cache/cache_internal.h"

enum { BIP_ONE_IN = 32 /* Qureshi 2007: epsilon = 1/32 */ };

static bool as_newest(cache_t *c)
{
    return cache_random(c) < UINT32_MAX / BIP_ONE_IN;
}

void replacement_bip_hit(cache_t *c, uint32_t set, uint32_t way)
{
    cache_way_touch(c, set, way);
}

void replacement_bip_added(cache_t *c, uint32_t set, uint32_t way)
{
    if (!as_newest(c))
        cache_way_age(c, set, way);
}

uint32_t replacement_bip_replace(cache_t *c, uint32_t set)
{
    return as_newest(c) ? cache_renew_oldest(c, set) : cache_oldest_way(c, set);
}
