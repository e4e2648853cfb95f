/*
 * Signature-based hit prediction (SHiP-PC; Wu et al., MICRO 2011) on srrip. A line keeps a signature of the
 * instruction that missed on it, and whether it was used again. A counter of three bits for each
 * signature rises with such lines' hits and falls when one is evicted unused; lines whose counter is 0
 * are predicted as distant. Accesses of unknown instructions have no signature and teach nothing.
 */
#include "sim/parts/replacement/rrip.h"

enum {
    USED_AGAIN = RRIP_PLANES, /* plane */
    SIGNATURE,                /* the first of its planes */
    SIGNATURE_BITS = 14,
    COUNTER_MAX = 7,
    COUNTER_BITS = 4, /* of a word, for one counter */
    COUNTERS_PER_WORD = 32 / COUNTER_BITS,
    INST_SHIFT = 4 /* instructions take 16 bytes */
};

/* 0: unknown. */
static uint32_t signature_of(const cache_request_t *r)
{
    const uint32_t n = r->pc >> INST_SHIFT, folded = n ^ n >> SIGNATURE_BITS;
    return folded & ((1u << SIGNATURE_BITS) - 1);
}

/* Counters begin with 1, so a word holds them minus 1. */
static uint32_t counter_get(const cache_t *c, uint32_t signature)
{
    const uint32_t shift = signature % COUNTERS_PER_WORD * COUNTER_BITS;
    return ((c->policy_word[signature / COUNTERS_PER_WORD] >> shift) + 1) & COUNTER_MAX;
}

static void counter_put(cache_t *c, uint32_t signature, uint32_t value)
{
    const uint32_t shift = signature % COUNTERS_PER_WORD * COUNTER_BITS;
    uint32_t *word = &c->policy_word[signature / COUNTERS_PER_WORD];
    *word = (*word & ~((uint32_t)COUNTER_MAX << shift)) | ((value - 1) & COUNTER_MAX) << shift;
}

static uint32_t line_signature(const cache_t *c, uint32_t set, uint32_t way)
{
    uint32_t signature = 0;
    for (uint32_t bit = 0; bit < SIGNATURE_BITS; bit++)
        signature |= (uint32_t)plane_get(cache_plane(c, set, SIGNATURE + bit), way) << bit;
    return signature;
}

/* A prefetched line that is used for the first time was not used again. */
void replacement_ship_hit(cache_t *c, uint32_t set, uint32_t way)
{
    cache_way_touch(c, set, way);
    if (c->request->fill)
        return;
    rrip_predict(c, set, way, RRIP_NEAR);
    plane_put(cache_plane(c, set, USED_AGAIN), way, true);
    const uint32_t signature = line_signature(c, set, way), count = counter_get(c, signature);
    if (signature != 0 && count < COUNTER_MAX)
        counter_put(c, signature, count + 1);
}

void replacement_ship_added(cache_t *c, uint32_t set, uint32_t way)
{
    const uint32_t signature = signature_of(c->request);
    const bool distant = signature != 0 && counter_get(c, signature) == 0;
    rrip_predict(c, set, way, distant ? RRIP_DISTANT : RRIP_LONG);
    plane_put(cache_plane(c, set, USED_AGAIN), way, false);
    for (uint32_t bit = 0; bit < SIGNATURE_BITS; bit++)
        plane_put(cache_plane(c, set, SIGNATURE + bit), way, signature >> bit & 1);
}

uint32_t replacement_ship_replace(cache_t *c, uint32_t set)
{
    const uint32_t way = rrip_victim(c, set), signature = line_signature(c, set, way);
    const bool unused = !plane_get(cache_plane(c, set, USED_AGAIN), way);
    if (signature != 0 && unused && counter_get(c, signature) > 0)
        counter_put(c, signature, counter_get(c, signature) - 1);
    replacement_ship_added(c, set, way);
    cache_way_touch(c, set, way);
    return way;
}
