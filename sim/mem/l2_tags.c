#include "sim/mem/l2_tags.h"

#include "sim/parts/cache_place.h"

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

uint8_t l2_tags_write(cache_t *c, cache_tag_t *l, uint8_t sectors, uint8_t full,
                      const uint32_t bytes[SECTORS_PER_LINE])
{
    cache_written_t *w = cache_write(c, l);
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

/* The aligned groups of fill_sectors that contain any of these sectors. */
static inline uint32_t groups_of(uint32_t fill_sectors, uint32_t sectors)
{
    const uint32_t even = 5; /* the first sectors of pairs */
    if (fill_sectors == 1 || sectors == 0)
        return sectors;
    return fill_sectors == 2 ? sectors | (sectors & even) << 1 | (sectors >> 1 & even) : 15;
}

/* Reads the sectors of a line that are missing. */
static inline void read_missing(const l2_tags_t *t, cache_tag_t *l, uint32_t missing,
                                bool also_written, l2_warmed_t *sum)
{
    const uint32_t filled = groups_of(t->fill_sectors, missing) & ~(uint32_t)cache_tag_valid(l);
    const uint32_t n = l2_sector_count(filled);
    if (*l & CACHE_TAG_WRITTEN)
        l2_tags_fill(t->cache, l, (uint8_t)filled);
    else
        cache_tag_fill(l, (uint8_t)filled);
    sum->taken += also_written ? 0 : n;
    sum->filled += n;
}

static void write_line(const l2_tags_t *t, cache_key_t key, cache_tag_t *l, const l2_touch_t *touch,
                       l2_masks_t masks, l2_warmed_t *sum)
{
    cache_line_t excess;
    const uint8_t fresh =
        l2_tags_write(t->cache, l, touch->sectors, touch->full, masks[touch->bytes]);
    sum->modified += l2_sector_count(fresh);
    if (l2_tags_excess(t->cache, key, t->modified_ways, &excess))
        sum->written_back += l2_sector_count(excess.written.dirty);
}

/* Returns how many of its n sectors hit. */
static inline uint32_t touch_line(const l2_tags_t *t, cache_key_t key, const l2_touch_t *touch,
                                  uint32_t n, l2_masks_t masks, l2_warmed_t *sum)
{
    const bool writes = touch->kind == L2_TOUCH_WRITE || touch->kind == L2_TOUCH_ATOMIC;
    const cache_placed_t p =
        cache_is_plain(t->cache) ? cache_place_narrow(t->cache, key) : cache_place(t->cache, key);
    const uint32_t missing = touch->sectors & ~(uint32_t)cache_tag_valid(p.tag);
    sum->written_back += l2_sector_count(p.dirty);
    if (touch->kind != L2_TOUCH_WRITE && missing != 0)
        read_missing(t, p.tag, missing, writes, sum);
    if (!writes)
        return n - l2_sector_count(missing);
    sum->taken += p.fresh ? n : 0;
    write_line(t, key, p.tag, touch, masks, sum);
    if (touch->kind == L2_TOUCH_ATOMIC)
        return n - l2_sector_count(missing);
    return p.fresh ? 0 : n;
}

/* So many accesses are looked up ahead, so that the host's cache has their sets in time. */
enum { AHEAD = 32 };

typedef struct {
    uint32_t slice[AHEAD];
    cache_key_t key[AHEAD];
} places_t;

static void find_places(const l2_chip_tags_t *chip, const l2_touch_t *touch, size_t n,
                        places_t *out)
{
    uint64_t addr[AHEAD], local[AHEAD];
    for (size_t i = 0; i < n; i++)
        addr[i] = touch[i].line;
    addr_map_slices(chip->map, addr, out->slice, local, n);
    for (size_t i = 0; i < n; i++) {
        const cache_t *c = chip->slice[out->slice[i]].cache;
        out->key[i] = cache_line_key(c, local[i]);
        if (cache_is_plain(c))
            __builtin_prefetch(cache_narrow(c, out->key[i].set), 1);
    }
}

static void touch_some(const l2_chip_tags_t *chip, const l2_touch_t *touch, size_t n,
                       l2_masks_t masks, l2_warmed_t *sum)
{
    places_t at;
    find_places(chip, touch, n, &at);
    for (size_t i = 0; i < n; i++) {
        const l2_tags_t *t = &chip->slice[at.slice[i]];
        const uint32_t sectors = l2_sector_count(touch[i].sectors);
        sum->sectors[touch[i].kind] += sectors;
        sum->hits[touch[i].kind] +=
            t->perfect ? sectors : touch_line(t, at.key[i], &touch[i], sectors, masks, sum);
    }
}

void l2_tags_touch(const l2_chip_tags_t *chip, const l2_touch_t *touch, size_t n, l2_masks_t masks,
                   l2_warmed_t *sum)
{
    for (size_t i = 0; i < n; i += AHEAD)
        touch_some(chip, touch + i, n - i < AHEAD ? n - i : AHEAD, masks, sum);
}
