/* Lines that were written: which bytes are valid, which sectors modified, and how they become clean. */
#include "sim/parts/cache/cache_internal.h"

/* Index of a tag. */
static inline uint32_t tag_number(const cache_t *c, const cache_tag_t *t)
{
    return (uint32_t)(c->narrow ? t - c->tag : (const wide_way_t *)(const void *)t - c->way);
}

cache_written_t *cache_written(cache_t *c, const cache_tag_t *t)
{
    if (!(*t & CACHE_TAG_WRITTEN))
        return NULL;
    return t == &c->dropped ? &c->dropped_written : &c->written[tag_number(c, t)];
}

/* Counts a line of its set as modified, or no longer. */
static void count_modified(cache_t *c, const cache_tag_t *t, bool modified)
{
    const uint32_t number = tag_number(c, t), set = (uint32_t)divider_quotient(&c->by_ways, number);
    if (c->narrow)
        cache_narrow(c, set)->modified ^= UINT64_C(1) << (number - set * c->ways);
    else
        c->wide_set[set].modified = (uint16_t)(c->wide_set[set].modified + (modified ? 1 : -1));
}

cache_written_t *cache_write(cache_t *c, cache_tag_t *t)
{
    bool first = !(*t & CACHE_TAG_WRITTEN);
    *t |= CACHE_TAG_WRITTEN;
    cache_written_t *w = cache_written(c, t);
    if (!first)
        return w;
    *w = (cache_written_t){0};
    if (t != &c->dropped)
        count_modified(c, t, true);
    return w;
}

void cache_fill_sectors(cache_t *c, cache_tag_t *t, uint8_t sectors)
{
    cache_written_t *w = cache_written(c, t);
    cache_tag_fill(t, sectors);
    if (w != NULL)
        w->partial &= (uint8_t)~sectors;
}

/* Marks the written bytes of a sector that is not written completely. */
static void sector_write_part(cache_tag_t *t, cache_written_t *w, uint32_t sector, uint32_t bytes)
{
    uint8_t bit = (uint8_t)(1u << sector);
    if (cache_tag_valid(t) & bit)
        return;
    w->bytes[sector] |= bytes;
    if (w->bytes[sector] == UINT32_MAX) {
        cache_tag_fill(t, bit);
        w->partial &= (uint8_t)~bit;
    } else {
        w->partial |= bit;
    }
}

uint8_t cache_write_sectors(cache_tag_t *t, cache_written_t *w, uint8_t sectors, uint8_t full,
                            const uint32_t bytes[SECTORS_PER_LINE])
{
    const uint8_t fresh = sectors & (uint8_t)~w->dirty;
    w->dirty |= sectors;
    w->partial &= (uint8_t) ~(sectors & full);
    cache_tag_fill(t, sectors & full);
    for (uint32_t bits = sectors & ~(uint32_t)full; bits != 0; bits &= bits - 1) {
        uint32_t sector = (uint32_t)__builtin_ctz(bits);
        sector_write_part(t, w, sector, bytes[sector]);
    }
    return fresh;
}

uint32_t cache_modified(const cache_t *c, cache_key_t k)
{
    if (c->ways == 0)
        return 0;
    if (c->narrow)
        return (uint32_t)__builtin_popcountll(cache_narrow(c, k.set)->modified);
    return c->wide_set[k.set].modified;
}

cache_line_t cache_line_copy(const cache_t *c, const cache_tag_t *t)
{
    cache_line_t copy = {.line = cache_tag_line(*t), .valid = cache_tag_valid(t)};
    if (*t & CACHE_TAG_WRITTEN)
        copy.written = c->written[tag_number(c, t)];
    return copy;
}

bool cache_clean(cache_t *c, cache_tag_t *t, cache_line_t *cleaned)
{
    if (!(*t & CACHE_TAG_WRITTEN))
        return false;
    *cleaned = cache_line_copy(c, t);
    count_modified(c, t, false);
    *t &= ~(cache_tag_t)CACHE_TAG_WRITTEN;
    return true;
}

bool cache_clean_oldest(cache_t *c, cache_key_t k, cache_line_t *cleaned)
{
    if (cache_modified(c, k) == 0)
        return false;
    if (c->narrow) {
        const uint32_t way = narrow_oldest_modified(cache_narrow(c, k.set), c->ways);
        return cache_clean(c, cache_tag_at(c, k.set, way), cleaned);
    }
    wide_way_t *ways = cache_wide_ways(c, k.set);
    uint32_t way = c->wide_set[k.set].oldest;
    while (!(ways[way].tag & CACHE_TAG_WRITTEN))
        way = ways[way].newer;
    return cache_clean(c, &ways[way].tag, cleaned);
}
