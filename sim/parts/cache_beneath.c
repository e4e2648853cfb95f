#include "sim/parts/cache_internal.h"

/* Adds the older state of the sectors of a line that has been used since. */
static void merge_line(cache_t *c, cache_tag_t *t, const cache_line_t *older)
{
    const cache_written_t *since = cache_written(c, t);
    const uint8_t partial = since != NULL ? since->partial : 0;
    cache_tag_fill(t, older->valid);
    if (since == NULL && (older->written.dirty | older->written.partial) == 0)
        return;
    cache_written_t *w = cache_write(c, t);
    const uint8_t whole = cache_tag_valid(t);
    w->dirty |= older->written.dirty;
    w->partial = (uint8_t)((partial | older->written.partial) & ~whole);
    for (uint32_t s = 0; s < SECTORS_PER_LINE; s++) {
        w->bytes[s] |= older->written.bytes[s];
        if (w->partial >> s & 1 && w->bytes[s] == UINT32_MAX) {
            cache_tag_fill(t, (uint8_t)(1u << s));
            w->partial &= (uint8_t) ~(1u << s);
        }
    }
}

/* Adds an absent line as the least recently used one. */
static void add_oldest(cache_t *c, cache_key_t k, const cache_line_t *older, bool modified)
{
    cache_line_t victim; /* unused: the set has room */
    bool evicted;
    cache_tag_t *t = cache_insert_key(c, k, &victim, &evicted);
    cache_way_age(c, k.set, cache_set_count(c, k.set) - 1);
    cache_tag_fill(t, older->valid);
    if (modified && (older->written.dirty | older->written.partial) != 0)
        *cache_write(c, t) = older->written;
}

static cache_line_t older_line(const cache_t *older, uint32_t set, uint32_t place, uint32_t *way)
{
    *way = cache_way_by_use(older, set, place, *way);
    return cache_line_copy(older, cache_tag_at(older, set, *way));
}

/* Lines of a set that c has but not the older cache; that the older one has modified but not c. */
typedef struct {
    uint32_t since, modified_before;
} difference_t;

static difference_t difference(cache_t *c, const cache_t *older, uint32_t set)
{
    difference_t d = {.since = cache_set_count(c, set)};
    for (uint32_t place = 0, way = 0; place < cache_set_count(older, set); place++) {
        const cache_line_t line = older_line(older, set, place, &way);
        const cache_tag_t *t = cache_lookup(c, line.line, false);
        d.since -= t != NULL;
        d.modified_before += line.written.dirty != 0 && (t == NULL || cache_written(c, t) == NULL);
    }
    return d;
}

/* A line was evicted before it was used again if what was used after it in the older cache, and
 * what came new until then, filled the set. Half of the new lines are assumed to have come first. */
static void merge_present(cache_t *c, const cache_t *older, uint32_t set, uint32_t since,
                          uint32_t most)
{
    const uint32_t first = since / 2, count = cache_set_count(older, set);
    cache_line_t cleaned;
    for (uint32_t place = 0, way = 0; place < count && place + first < c->ways; place++) {
        const cache_line_t line = older_line(older, set, place, &way);
        cache_tag_t *t = cache_lookup(c, line.line, false);
        if (t != NULL)
            merge_line(c, t, &line);
    }
    while (cache_modified(c, (cache_key_t){.set = set}) > most)
        (void)cache_clean_oldest(c, (cache_key_t){.set = set}, &cleaned);
}

/* Returns the number of lines added. */
static uint32_t add_absent(cache_t *c, const cache_t *older, uint32_t set, uint32_t most)
{
    const uint32_t before = c->count;
    for (uint32_t place = 0, way = 0;
         place < cache_set_count(older, set) && cache_set_count(c, set) < c->ways; place++) {
        const cache_line_t line = older_line(older, set, place, &way);
        const cache_key_t k = cache_key_of(c, line.line);
        if (cache_lookup_key(c, k, false) == NULL)
            add_oldest(c, k, &line, cache_modified(c, k) < most);
    }
    return c->count - before;
}

uint32_t cache_put_beneath(cache_t *c, const cache_t *older, uint32_t modified_ways)
{
    uint32_t added = 0;
    for (uint32_t set = 0; set < c->sets; set++) {
        if (cache_set_count(older, set) == 0 || cache_set_count(c, set) == c->ways)
            continue;
        /* Above the limit each line that was modified since has cleaned another one. */
        const difference_t d = difference(c, older, set);
        const uint32_t most = d.modified_before > modified_ways ? d.modified_before : modified_ways;
        merge_present(c, older, set, d.since, most);
        added += add_absent(c, older, set, most);
    }
    return added;
}

uint32_t cache_count_absent(const cache_t *c, cache_t *a, cache_t *b)
{
    uint32_t absent = 0;
    for (uint32_t set = 0; set < c->sets; set++) {
        for (uint32_t place = 0, way = 0; place < cache_set_count(c, set); place++) {
            const cache_key_t k = cache_key_of(c, older_line(c, set, place, &way).line);
            absent +=
                cache_lookup_key(a, k, false) == NULL && cache_lookup_key(b, k, false) == NULL;
        }
    }
    return absent;
}
