#include "sim/mem/l2_internal.h"

static void write_back(l2_slice_t *s, const cache_line_t *line)
{
    s->stats.writebacks += l2_sector_count(line->written.dirty);
    l2_transfer_add(s, line->line, line->written.dirty, true, 0);
}

cache_tag_t *l2_line_allocate(l2_slice_t *s, cache_key_t key)
{
    cache_line_t victim;
    bool evicted;
    cache_tag_t *l = cache_insert_key(s->cache, key, &victim, &evicted);
    if (evicted)
        write_back(s, &victim);
    return l;
}

/* Takes the line to write back if the set has too many modified lines. */
static bool take_excess(l2_slice_t *s, cache_key_t key, cache_line_t *line)
{
    return cache_modified(s->cache, key) > s->modified_ways &&
           cache_clean_oldest(s->cache, key, line);
}

void l2_set_clean(l2_slice_t *s, cache_key_t key)
{
    cache_line_t line;
    if (!take_excess(s, key, &line))
        return;
    s->stats.early_writebacks += l2_sector_count(line.written.dirty);
    write_back(s, &line);
}

uint8_t l2_line_partial(const l2_slice_t *s, const cache_tag_t *l)
{
    const cache_written_t *w = cache_written(s->cache, l);
    return w != NULL ? w->partial : 0;
}

void l2_line_fill(l2_slice_t *s, cache_tag_t *l, uint8_t sectors)
{
    cache_written_t *w = cache_written(s->cache, l);
    cache_tag_fill(l, sectors);
    if (w != NULL)
        w->partial &= (uint8_t)~sectors;
}

uint8_t l2_fill_group(const l2_slice_t *s, uint32_t sector)
{
    uint32_t n = s->spec.fill_sectors, first = sector & ~(n - 1); /* 1, 2 or 4 */
    return (uint8_t)(((1u << n) - 1) << first & 15u);
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

void l2_line_write(l2_slice_t *s, cache_tag_t *l, uint8_t sectors, uint8_t full,
                   const uint32_t bytes[SECTORS_PER_LINE])
{
    cache_written_t *w = cache_write(s->cache, l);
    w->dirty |= sectors;
    l2_line_fill(s, l, sectors & full);
    for (uint32_t bits = sectors & ~(uint32_t)full; bits != 0; bits &= bits - 1) {
        uint32_t sector = (uint32_t)__builtin_ctz(bits);
        sector_write_part(l, w, sector, bytes[sector]);
    }
}

/* Looks a line up or inserts it, without time, and evicts what must go. *written_back: dirty
 * sectors of the victim. */
static cache_tag_t *line_place(l2_slice_t *s, cache_key_t key, bool *fresh, uint32_t *written_back)
{
    cache_line_t victim;
    bool evicted = false;
    cache_tag_t *l = cache_lookup_key(s->cache, key, true);
    *fresh = l == NULL;
    if (*fresh)
        l = cache_insert_key(s->cache, key, &victim, &evicted);
    *written_back = evicted ? l2_sector_count(victim.written.dirty) : 0;
    return l;
}

uint32_t l2_slice_copy_in(l2_slice_t *s, uint64_t line, uint8_t sectors)
{
    if (s->spec.perfect)
        return 0;
    bool fresh;
    uint32_t written_back; /* not needed here */
    cache_tag_t *l = line_place(s, cache_key_of(s->cache, line), &fresh, &written_back);
    l2_line_fill(s, l, sectors);
    cache_write(s->cache, l)->dirty |= sectors;
    return l2_sector_count(sectors);
}

void l2_slice_warm(l2_slice_t *s, uint64_t line, const l2_touch_t *touch, l2_warmed_t *sum)
{
    if (s->spec.perfect)
        return;
    const cache_key_t key = cache_key_of(s->cache, line);
    cache_line_t excess;
    bool fresh;
    uint32_t written_back;
    cache_tag_t *l = line_place(s, key, &fresh, &written_back);
    sum->written_back += written_back;
    if (fresh && touch->write)
        sum->taken += l2_sector_count(touch->sectors);
    if (touch->read) {
        uint32_t missing = touch->sectors & ~(uint32_t)cache_tag_valid(l), filled = 0;
        for (; missing != 0; missing &= missing - 1)
            filled |= l2_fill_group(s, (uint32_t)__builtin_ctz(missing));
        l2_line_fill(s, l, (uint8_t)filled);
        sum->taken += touch->write ? 0 : l2_sector_count((uint8_t)filled);
        sum->filled += l2_sector_count((uint8_t)filled);
    }
    if (touch->write) {
        const uint8_t before = cache_write(s->cache, l)->dirty;
        l2_line_write(s, l, touch->sectors, touch->full, touch->bytes);
        sum->modified += l2_sector_count(touch->sectors & (uint8_t)~before);
        if (take_excess(s, key, &excess))
            sum->written_back += l2_sector_count(excess.written.dirty);
    }
}
