/*
 * Lookup and insertion in one step, inline: for loops over very many accesses without time. Other
 * callers use cache_place().
 */
#ifndef RUBATO_PARTS_CACHE_PLACE_H
#define RUBATO_PARTS_CACHE_PLACE_H

#include "sim/parts/cache/cache_internal.h"

/* Whether cache_place_narrow() may be used: few ways, LRU, no victims: the usual case. */
static inline bool cache_is_plain(const cache_t *c)
{
    return c->narrow && c->ways > 0 && c->policy == REPLACEMENT_LRU && c->victims == NULL;
}

/* Host-side hint that cache_place_narrow() will be called. */
static inline void cache_prefetch_narrow(const cache_t *c, cache_key_t k)
{
    enum { HOST_LINE = 64 };
    const char *tags = (const char *)&c->tag[(size_t)k.set * c->ways];
    __builtin_prefetch(cache_narrow(c, k.set), 1);
    for (size_t i = 0; i < c->ways * sizeof(*c->tag); i += HOST_LINE)
        __builtin_prefetch(tags + i, 1);
}

/* Makes room for a line in a set and returns its way. dirty: sectors of the line that it evicts. */
static inline uint32_t cache_evict_narrow(cache_t *c, narrow_set_t *s, uint32_t set, uint8_t *dirty)
{
    if (s->count < c->ways) {
        c->count++;
        return narrow_add(s, c->ways);
    }
    const uint32_t way = narrow_renew_oldest(s, c->ways);
    const uint64_t bit = UINT64_C(1) << way;
    if (s->modified & bit) {
        *dirty = c->written[(size_t)set * c->ways + way].dirty;
        s->modified &= ~bit;
    }
    return way;
}

static inline cache_placed_t cache_place_narrow(cache_t *c, cache_key_t k)
{
    narrow_set_t *s = cache_narrow(c, k.set);
    cache_tag_t *tags = &c->tag[(size_t)k.set * c->ways];
    cache_placed_t p = {0};
    uint32_t way = cache_narrow_find(c, k);
    if (way != CACHE_NO_WAY) {
        narrow_touch(s, c->ways, way);
        p.tag = &tags[way];
        return p;
    }
    const uint32_t tag = cache_narrow_tag(k);
    const bool full = s->count == c->ways;
    p.late = full && narrow_just_evicted(s, c->ways, tag);
    way = cache_evict_narrow(c, s, k.set, &p.dirty);
    if (full)
        narrow_note_evicted(s, s->lane[way]);
    s->lane[way] = (uint8_t)tag;
    p.fresh = true;
    p.tag = &tags[way];
    *p.tag = k.line;
    return p;
}

/* cache_write() of a line of the set of k. */
static inline cache_written_t *cache_write_narrow(cache_t *c, cache_key_t k, cache_tag_t *t)
{
    const size_t number = (size_t)(t - c->tag);
    cache_written_t *w = &c->written[number];
    if (*t & CACHE_TAG_WRITTEN)
        return w;
    *t |= CACHE_TAG_WRITTEN;
    *w = (cache_written_t){0};
    cache_narrow(c, k.set)->modified |= UINT64_C(1) << (number - (size_t)k.set * c->ways);
    return w;
}

/* If more than `most` lines of the set of k are modified, cache_clean_oldest(). Returns the dirty
 * sectors of the line. */
static inline uint8_t cache_clean_narrow(cache_t *c, cache_key_t k, uint32_t most)
{
    narrow_set_t *s = cache_narrow(c, k.set);
    if ((uint32_t)__builtin_popcountll(s->modified) <= most)
        return 0;
    const uint32_t way = narrow_oldest_modified(s, c->ways);
    const size_t number = (size_t)k.set * c->ways + way;
    s->modified &= ~(UINT64_C(1) << way);
    c->tag[number] &= ~(cache_tag_t)CACHE_TAG_WRITTEN;
    return c->written[number].dirty;
}

#endif
