/*
 * Dynamic re-reference interval prediction (Jaleel et al., ISCA 2010). Some sets always insert as srrip
 * does, as many others as its bimodal variant (long for one line in 32, distant otherwise), which
 * resists thrashing. The other sets follow the kind that misses less: the policy's word counts misses of
 * the first kind minus those of the second, and saturates at 10 bits.
 */
#include "sim/parts/replacement/rrip.h"

enum { LEADERS = 32, SETS_PER_LEADER = 4 /* at least */, LONG_ONE_IN = 32, COUNT_MAX = 512 };

typedef enum { FOLLOWS, STATIC, BIMODAL } role_t;

/* The leaders of both kinds are spread evenly over the sets. */
static role_t role_of(const cache_t *c, uint32_t set)
{
    uint32_t leaders = c->sets / SETS_PER_LEADER;
    if (leaders == 0)
        return STATIC;
    leaders = leaders < LEADERS ? leaders : LEADERS;
    const uint32_t distance = c->sets / leaders;
    if (set / distance >= leaders)
        return FOLLOWS;
    if (set % distance == 0)
        return STATIC;
    return set % distance == distance / 2 ? BIMODAL : FOLLOWS;
}

/* A line is put into a way after a miss. */
static void insert(cache_t *c, uint32_t set, uint32_t way)
{
    const role_t role = role_of(c, set);
    int32_t count = (int32_t)c->policy_word[0];
    if (role == STATIC && count < COUNT_MAX)
        count++;
    else if (role == BIMODAL && count > -COUNT_MAX)
        count--;
    c->policy_word[0] = (uint32_t)count;
    const bool bimodal = role == BIMODAL || (role == FOLLOWS && count > 0);
    const bool distant = bimodal && cache_random(c) >= UINT32_MAX / LONG_ONE_IN;
    rrip_predict(c, set, way, distant ? RRIP_DISTANT : RRIP_LONG);
}

/* The sectors of a line may arrive one by one: that is no use. */
void replacement_drrip_hit(cache_t *c, uint32_t set, uint32_t way)
{
    if (!c->request->fill)
        rrip_predict(c, set, way, RRIP_NEAR);
    cache_way_touch(c, set, way);
}

void replacement_drrip_added(cache_t *c, uint32_t set, uint32_t way)
{
    insert(c, set, way);
}

uint32_t replacement_drrip_replace(cache_t *c, uint32_t set)
{
    const uint32_t way = rrip_victim(c, set);
    insert(c, set, way);
    cache_way_touch(c, set, way);
    return way;
}
