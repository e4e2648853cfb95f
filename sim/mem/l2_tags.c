#include "sim/mem/l2_tags.h"

/* Set in the address of a line within a slice: its copy in the other half. */
static const uint64_t COPY = UINT64_C(1) << 62;

cache_key_t l2_tags_copy_key(const cache_t *c, cache_key_t key)
{
    return cache_key_of(c, key.line | COPY);
}

uint8_t l2_tags_copy_has(cache_t *c, cache_key_t key)
{
    const cache_tag_t *l = cache_lookup_key(c, l2_tags_copy_key(c, key), true);
    return l != NULL ? cache_tag_valid(l) : 0;
}

void l2_tags_copy_drop(cache_t *c, cache_key_t key, uint8_t sectors)
{
    cache_tag_t *l = cache_lookup_key(c, l2_tags_copy_key(c, key), false);
    if (l != NULL)
        cache_tag_drop(l, sectors);
}

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

uint8_t l2_tags_write(cache_tag_t *l, cache_written_t *w, uint8_t sectors, uint8_t full,
                      const uint32_t bytes[SECTORS_PER_LINE])
{
    const uint8_t fresh = sectors & (uint8_t)~w->dirty;
    w->dirty |= sectors;
    w->partial &= (uint8_t) ~(sectors & full);
    cache_tag_fill(l, sectors & full);
    for (uint32_t bits = sectors & ~(uint32_t)full; bits != 0; bits &= bits - 1) {
        uint32_t sector = (uint32_t)__builtin_ctz(bits);
        sector_write_part(l, w, sector, bytes[sector]);
    }
    return fresh;
}

bool l2_tags_excess(cache_t *c, cache_key_t key, uint32_t modified_ways, cache_line_t *line)
{
    return cache_modified(c, key) > modified_ways && cache_clean_oldest(c, key, line);
}
