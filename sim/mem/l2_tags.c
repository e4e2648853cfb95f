#include "sim/mem/l2_tags.h"

void l2_tags_fill(cache_t *c, cache_tag_t *l, uint8_t sectors)
{
    cache_written_t *w = cache_written(c, l);
    cache_tag_fill(l, sectors);
    if (w != NULL)
        w->partial &= (uint8_t)~sectors;
}

/* Marks the written bytes of a sector that is not written completely. */
static void sector_write_part(cache_tag_t *l, cache_written_t *w, uint32_t sector, uint32_t bytes)
{
    uint8_t bit = (uint8_t)(1u << sector);
    if (cache_tag_valid(l) & bit)
        return;
    w->bytes[sector] |= bytes;
    if (w->bytes[sector] == UINT32_MAX) {
        cache_tag_fill(l, bit);
        w->partial &= (uint8_t)~bit;
    } else {
        w->partial |= bit;
    }
}

void l2_tags_write(cache_t *c, cache_tag_t *l, uint8_t sectors, uint8_t full,
                   const uint32_t bytes[SECTORS_PER_LINE])
{
    cache_written_t *w = cache_write(c, l);
    w->dirty |= sectors;
    l2_tags_fill(c, l, sectors & full);
    for (uint32_t bits = sectors & ~(uint32_t)full; bits != 0; bits &= bits - 1) {
        uint32_t sector = (uint32_t)__builtin_ctz(bits);
        sector_write_part(l, w, sector, bytes[sector]);
    }
}

cache_tag_t *l2_tags_place(cache_t *c, cache_key_t key, bool *fresh, uint32_t *written_back)
{
    cache_line_t victim;
    bool evicted = false;
    cache_tag_t *l = cache_lookup_key(c, key, true);
    *fresh = l == NULL;
    if (*fresh)
        l = cache_insert_key(c, key, &victim, &evicted);
    *written_back = evicted ? l2_sector_count(victim.written.dirty) : 0;
    return l;
}

bool l2_tags_excess(cache_t *c, cache_key_t key, uint32_t modified_ways, cache_line_t *line)
{
    return cache_modified(c, key) > modified_ways && cache_clean_oldest(c, key, line);
}

/* The sectors that the DRAM must deliver for a read of `missing`. */
static uint8_t fetched(const l2_tags_t *t, const cache_tag_t *l, uint32_t missing)
{
    uint32_t filled = 0;
    for (; missing != 0; missing &= missing - 1)
        filled |= l2_tags_group(t->fill_sectors, (uint32_t)__builtin_ctz(missing));
    return (uint8_t)(filled & ~(uint32_t)cache_tag_valid(l));
}

static void read_line(const l2_tags_t *t, cache_tag_t *l, const l2_touch_t *touch, uint8_t missing,
                      l2_warmed_t *sum)
{
    const uint8_t filled = fetched(t, l, missing);
    const uint32_t n = l2_sector_count(filled);
    l2_tags_fill(t->cache, l, filled);
    sum->taken += touch->write ? 0 : n;
    sum->filled += n;
}

static void write_line(const l2_tags_t *t, cache_key_t key, cache_tag_t *l, const l2_touch_t *touch,
                       l2_warmed_t *sum)
{
    cache_line_t excess;
    const uint8_t before = cache_write(t->cache, l)->dirty;
    l2_tags_write(t->cache, l, touch->sectors, touch->full, touch->bytes);
    sum->modified += l2_sector_count(touch->sectors & (uint8_t)~before);
    if (l2_tags_excess(t->cache, key, t->modified_ways, &excess))
        sum->written_back += l2_sector_count(excess.written.dirty);
}

uint32_t l2_tags_touch(const l2_tags_t *t, uint64_t line, const l2_touch_t *touch, l2_warmed_t *sum)
{
    const uint32_t n = l2_sector_count(touch->sectors);
    if (t->perfect)
        return n;
    const cache_key_t key = cache_key_of(t->cache, line);
    bool fresh;
    uint32_t written_back;
    cache_tag_t *l = l2_tags_place(t->cache, key, &fresh, &written_back);
    const uint8_t missing = touch->sectors & (uint8_t)~cache_tag_valid(l);
    sum->written_back += written_back;
    if (fresh && touch->write)
        sum->taken += n;
    if (touch->read && missing != 0)
        read_line(t, l, touch, missing, sum);
    if (touch->write)
        write_line(t, key, l, touch, sum);
    if (touch->read)
        return n - l2_sector_count(missing);
    return fresh ? 0 : n;
}
