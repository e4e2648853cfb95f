/*
 * Static re-reference interval prediction with hit priority and two bits per line (Jaleel et al.,
 * ISCA 2010). The prediction is long on insertion and near after a hit.
 */
#include "sim/parts/replacement/rrip.h"

void replacement_srrip_hit(cache_t *c, uint32_t set, uint32_t way)
{
    rrip_predict(c, set, way, RRIP_NEAR);
    cache_way_touch(c, set, way);
}

void replacement_srrip_added(cache_t *c, uint32_t set, uint32_t way)
{
    rrip_predict(c, set, way, RRIP_LONG);
}

uint32_t replacement_srrip_replace(cache_t *c, uint32_t set)
{
    const uint32_t way = rrip_victim(c, set);
    rrip_predict(c, set, way, RRIP_LONG);
    cache_way_touch(c, set, way);
    return way;
}
