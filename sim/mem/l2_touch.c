/* The loop over very many accesses to the tags of an L2 without time. */
#include "sim/mem/l2_tags.h"
#include "sim/parts/cache/cache_place.h"

/* Reads the sectors of a line that are missing. */
static inline void read_missing(const l2_tags_t *t, cache_tag_t *l, uint32_t missing,
                                bool also_written, l2_warmed_t *sum)
{
    const uint32_t filled =
        l2_tags_groups(t->fill_sectors, missing) & ~(uint32_t)cache_tag_valid(l);
    const uint32_t n = cache_sector_count(filled);
    if (*l & CACHE_TAG_WRITTEN)
        cache_fill_sectors(t->cache, l, (uint8_t)filled);
    else
        cache_tag_fill(l, (uint8_t)filled);
    sum->taken += also_written ? 0 : n;
    sum->filled += n;
}

/* Writes back the oldest modified line of a set with too many. */
static inline void clean(const l2_tags_t *t, cache_key_t key, bool plain, l2_warmed_t *sum)
{
    cache_line_t excess;
    if (t->writes != NULL)
        t->writes[key.set]++;
    if (plain)
        sum->written_back +=
            cache_sector_count(cache_clean_narrow(t->cache, key, t->modified_ways));
    else if (l2_tags_excess(t->cache, key, t->modified_ways, &excess))
        sum->written_back += cache_sector_count(excess.written.dirty);
}

/* Returns how many of its n sectors hit. */
static inline uint32_t write_line(const l2_tags_t *t, cache_key_t key, const cache_placed_t *p,
                                  const l2_touch_t *touch, uint32_t n, l2_masks_t masks, bool plain,
                                  l2_warmed_t *sum)
{
    const bool reads = touch->kind == L2_TOUCH_ATOMIC;
    const uint32_t missing = touch->sectors & ~(uint32_t)cache_tag_valid(p->tag);
    if (reads && missing != 0)
        read_missing(t, p->tag, missing, true, sum);
    cache_written_t *w =
        plain ? cache_write_narrow(t->cache, key, p->tag) : cache_write(t->cache, p->tag);
    const uint8_t fresh =
        cache_write_sectors(p->tag, w, touch->sectors, touch->full, masks[touch->bytes]);
    sum->modified += cache_sector_count(fresh);
    sum->taken += p->fresh ? n : 0;
    clean(t, key, plain, sum);
    if (reads)
        return n - cache_sector_count(missing);
    return p->fresh ? 0 : n;
}

static inline uint32_t read_line(const l2_tags_t *t, const cache_placed_t *p, uint32_t sectors,
                                 uint32_t n, l2_warmed_t *sum)
{
    const uint32_t missing = sectors & ~(uint32_t)cache_tag_valid(p->tag);
    if (missing == 0)
        return n;
    read_missing(t, p->tag, missing, false, sum);
    return n - cache_sector_count(missing);
}

/* Accesses whose places are found together; this many of them are prefetched ahead. */
enum { GROUP = 64, AHEAD = 12 };

typedef struct {
    uint32_t slice[GROUP];
    cache_key_t key[GROUP];
} places_t;

static void find_places(const l2_chip_tags_t *chip, const l2_touch_t *touch, size_t n,
                        places_t *out)
{
    uint64_t addr[GROUP] = {0}, local[GROUP];
    for (size_t i = 0; i < n; i++)
        addr[i] = touch[i].line;
    addr_map_slices(chip->map, addr, out->slice, local, n);
    for (size_t i = 0; i < n; i++)
        out->key[i] = cache_line_key(chip->slice[0].cache, local[i]);
}

static inline void prefetch(const l2_chip_tags_t *chip, const places_t *at, size_t i)
{
    cache_prefetch_narrow(chip->slice[at->slice[i]].cache, at->key[i]);
}

/* Who accesses a line: an SM of a chip with plain caches, of another one, or of one half or the other. */
typedef enum { BY_PLAIN, BY_ANY, BY_NEAR, BY_FAR } by_t;

/* Takes an access to its own line, and marks lines that only the other half reads. Returns how many of these sectors
 * hit. */
static inline __attribute__((always_inline)) uint32_t
touch_owner(const l2_tags_t *t, cache_key_t key, const l2_touch_t *a, uint8_t sectors,
            l2_masks_t masks, by_t by, l2_warmed_t *sum)
{
    const bool plain = by == BY_PLAIN;
    const uint32_t n = cache_sector_count(sectors);
    const cache_placed_t p = plain ? cache_place_narrow(t->cache, key) : cache_place(t->cache, key);
    if (by >= BY_NEAR)
        cache_tag_mark(p.tag, by == BY_FAR && (p.fresh || cache_tag_marked(p.tag)));
    sum->written_back += p.dirty == 0 ? 0 : cache_sector_count(p.dirty);
    sum->lines += p.fresh;
    const uint64_t filled = sum->filled;
    const uint32_t hits = a->kind == L2_TOUCH_READ || a->kind == L2_TOUCH_CODE
                              ? read_line(t, &p, sectors, n, sum)
                              : write_line(t, key, &p, a, n, masks, plain, sum);
    sum->filled_late += p.late ? sum->filled - filled : 0;
    return hits;
}

/* The same for chips with plain caches and others, so that the compiler makes a loop for each. */
static inline __attribute__((always_inline)) void touch_some(const l2_chip_tags_t *chip,
                                                             const l2_touch_t *touch, size_t n,
                                                             l2_masks_t masks, bool plain,
                                                             l2_warmed_t *sum)
{
    places_t at;
    find_places(chip, touch, n, &at);
    for (size_t i = 0; plain && i < n && i < AHEAD; i++)
        prefetch(chip, &at, i);
    for (size_t i = 0; i < n; i++) {
        if (plain && i + AHEAD < n)
            prefetch(chip, &at, i + AHEAD);
        const l2_tags_t *t = &chip->slice[at.slice[i]];
        const l2_touch_t *a = &touch[i];
        sum->sectors[a->kind] += cache_sector_count(a->sectors);
        sum->hits[a->kind] +=
            touch_owner(t, at.key[i], a, a->sectors, masks, plain ? BY_PLAIN : BY_ANY, sum);
    }
}

static void touch_plain(const l2_chip_tags_t *chip, const l2_touch_t *touch, size_t n,
                        l2_masks_t masks, l2_warmed_t *sum)
{
    touch_some(chip, touch, n, masks, true, sum);
}

static void touch_others(const l2_chip_tags_t *chip, const l2_touch_t *touch, size_t n,
                         l2_masks_t masks, l2_warmed_t *sum)
{
    touch_some(chip, touch, n, masks, false, sum);
}

/* A read from the other half: the copy there answers what it has, and gets the rest from the owner. */
static uint32_t read_far(const l2_tags_t *t, cache_key_t key, const l2_touch_t *a, l2_warmed_t *sum)
{
    const uint8_t local = l2_tags_copy_has(t->cache, key) & a->sectors;
    const uint8_t rest = a->sectors & (uint8_t)~local;
    uint32_t hits = cache_sector_count(local);
    if (rest == 0)
        return hits;
    hits += touch_owner(t, key, a, rest, NULL, BY_FAR, sum);
    const cache_placed_t copy = cache_place(t->cache, l2_tags_copy_key(t->cache, key));
    sum->written_back += cache_sector_count(copy.dirty);
    sum->lines += copy.fresh;
    cache_tag_fill(copy.tag, rest);
    return hits;
}

/* Chips with two halves; code has no copies. */
static void touch_halves(const l2_chip_tags_t *chip, const l2_touch_t *touch, size_t n,
                         l2_masks_t masks, l2_warmed_t *sum)
{
    places_t at;
    find_places(chip, touch, n, &at);
    for (size_t i = 0; i < n; i++) {
        const l2_tags_t *t = &chip->slice[at.slice[i]];
        const l2_touch_t *a = &touch[i];
        const bool far = a->kind == L2_TOUCH_READ && a->half != t->half;
        sum->sectors[a->kind] += cache_sector_count(a->sectors);
        sum->hits[a->kind] += far ? read_far(t, at.key[i], a, sum)
                                  : touch_owner(t, at.key[i], a, a->sectors, masks, BY_NEAR, sum);
        if (a->kind == L2_TOUCH_WRITE || a->kind == L2_TOUCH_ATOMIC)
            l2_tags_copy_drop(t->cache, at.key[i], a->sectors);
    }
}

/* Every access hits. */
static void touch_perfect(const l2_touch_t *touch, size_t n, l2_warmed_t *sum)
{
    for (size_t i = 0; i < n; i++) {
        sum->sectors[touch[i].kind] += cache_sector_count(touch[i].sectors);
        sum->hits[touch[i].kind] += cache_sector_count(touch[i].sectors);
    }
}

void l2_tags_begin(l2_chip_tags_t *chip)
{
    chip->plain = cache_is_plain(chip->slice[0].cache); /* all slices have the same shape */
    chip->halves = chip->slice[0].far_from != UINT32_MAX;
}

void l2_tags_touch(const l2_chip_tags_t *chip, const l2_touch_t *touch, size_t n, l2_masks_t masks,
                   l2_warmed_t *sum)
{
    if (chip->slice[0].perfect) {
        touch_perfect(touch, n, sum);
        return;
    }
    for (size_t i = 0; i < n; i += GROUP) {
        const size_t some = n - i < GROUP ? n - i : GROUP;
        (chip->halves  ? touch_halves
         : chip->plain ? touch_plain
                       : touch_others)(chip, touch + i, some, masks, sum);
    }
}
