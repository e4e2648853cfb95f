#include "sim/parts/cache/narrow_set.h"

void narrow_restart(narrow_set_t *s, uint32_t ways)
{
    uint8_t before[NARROW_WAYS], *stamp = narrow_stamps(s, ways);
    memcpy(before, stamp, s->count);
    for (uint32_t w = 0; w < s->count; w++) {
        uint32_t older = 0;
        for (uint32_t i = 0; i < s->count; i++)
            older += before[i] < before[w];
        stamp[w] = (uint8_t)(NARROW_RESTART + older);
    }
    s->clock = (uint8_t)(NARROW_RESTART + s->count);
}

void narrow_age(narrow_set_t *s, uint32_t ways, uint32_t way)
{
    uint8_t *stamp = narrow_stamps(s, ways), least = UINT8_MAX;
    for (uint32_t i = 0; i < s->count; i++)
        least = stamp[i] < least ? stamp[i] : least;
    if (least == 0) {
        narrow_restart(s, ways);
        least = NARROW_RESTART;
    }
    stamp[way] = (uint8_t)(least - 1);
}

uint32_t narrow_oldest_modified(narrow_set_t *s, uint32_t ways)
{
    const uint8_t *stamp = narrow_stamps(s, ways);
    uint32_t oldest = (uint32_t)__builtin_ctzll(s->modified);
    for (uint64_t bits = s->modified; bits != 0; bits &= bits - 1) {
        const uint32_t way = (uint32_t)__builtin_ctzll(bits);
        oldest = stamp[way] < stamp[oldest] ? way : oldest;
    }
    return oldest;
}

uint32_t narrow_used_before(narrow_set_t *s, uint32_t ways, uint32_t before)
{
    const uint8_t *stamp = narrow_stamps(s, ways);
    const uint32_t bound = before < ways ? stamp[before] : UINT8_MAX + 1u;
    uint32_t found = ways;
    for (uint32_t i = 0; i < s->count; i++)
        if (stamp[i] < bound && (found == ways || stamp[i] > stamp[found]))
            found = i;
    return found;
}

void narrow_order(const narrow_set_t *s, uint32_t ways, uint8_t *order)
{
    const uint8_t *stamp = s->lane + ways;
    for (uint32_t w = 0; w < s->count; w++) {
        uint8_t newer = 0;
        for (uint32_t i = 0; i < s->count; i++)
            newer = (uint8_t)(newer + (stamp[i] > stamp[w]));
        order[newer] = (uint8_t)w;
    }
}
