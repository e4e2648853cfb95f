/*
 * The victims that a cache keeps: a cache of one set, whose tags also have the evicted line's marks.
 * A line that is put back leaves an empty tag behind, without sectors or mark, as the oldest.
 */
#include "sim/core/err.h"
#include "sim/parts/cache_internal.h"

void cache_keep_victims(cache_t *c, uint32_t lines)
{
    RB_INVARIANT(c->written == NULL && c->victims == NULL && c->count == 0,
                 "cache: no place for %u victims", lines);
    if (lines > 0)
        c->victims = cache_create(1, lines, 1u << c->line_shift, REPLACEMENT_LRU, false, false);
}

cache_tag_t *cache_victim_lookup(cache_t *c, cache_key_t k, bool touch)
{
    cache_t *v = c->victims;
    cache_spot_t spot;
    if (!cache_find(v, k.line, &spot))
        return NULL;
    cache_tag_t *kept = cache_tag_at(v, spot.set, spot.way);
    const cache_tag_t bits = *kept & CACHE_TAG_BITS;
    if (bits == 0)
        return NULL;
    if (!touch)
        return kept;
    cache_line_t victim; /* never written */
    bool evicted;
    *kept &= ~(cache_tag_t)CACHE_TAG_BITS;
    cache_way_age(v, spot.set, spot.way);
    cache_tag_t *back = cache_insert_key(c, k, &victim, &evicted);
    *back |= bits;
    return back;
}

void cache_victim_put(cache_t *c, cache_tag_t evicted)
{
    cache_t *v = c->victims;
    cache_line_t oldest; /* never written */
    bool gone;
    const cache_key_t k = cache_key_of(v, cache_tag_line(evicted));
    cache_tag_t *t = cache_lookup_key(v, k, true);
    if (t == NULL)
        t = cache_insert_key(v, k, &oldest, &gone);
    *t |= evicted & CACHE_TAG_BITS;
}
