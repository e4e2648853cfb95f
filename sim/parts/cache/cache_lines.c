#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/parts/cache/cache_internal.h"

void cache_lines_free(cache_lines_t *l)
{
    free(l->set);
    free(l->tag);
    free(l->written);
    *l = (cache_lines_t){0};
}

size_t cache_lines_bytes(const cache_lines_t *l)
{
    return l->n_sets * sizeof(*l->set) + l->n * sizeof(*l->tag) +
           l->n_written * sizeof(*l->written);
}

/* The ways of a set in their order of use, one after the other. */
typedef struct {
    uint8_t narrow[NARROW_WAYS];
    uint32_t way; /* wide: the one before */
} order_t;

static uint32_t way_at(order_t *o, const cache_t *c, uint32_t set, uint32_t place)
{
    if (c->narrow)
        return o->narrow[place];
    o->way = cache_way_by_use(c, set, place, o->way);
    return o->way;
}

static void add_line(cache_lines_t *l, const cache_t *c, const cache_tag_t *t)
{
    l->tag[l->n++] = *t;
    if (*t & CACHE_TAG_WRITTEN) {
        rb_grow(&l->written, &l->cap_written, l->n_written + 1, sizeof(*l->written));
        l->written[l->n_written++] = cache_line_copy(c, t).written;
    }
}

static void add_set(cache_lines_t *l, const cache_t *c, uint32_t set, uint32_t n, uint32_t writes)
{
    order_t order = {.way = 0};
    rb_grow(&l->set, &l->cap_sets, l->n_sets + 1, sizeof(*l->set));
    l->set[l->n_sets++] = (cache_lines_set_t){(uint32_t)l->all_sets + set, writes, n};
    if (c->narrow && n > 0)
        narrow_order(cache_narrow(c, set), c->ways, order.narrow);
    for (uint32_t place = 0; place < n; place++)
        add_line(l, c, cache_tag_at(c, set, way_at(&order, c, set, place)));
}

void cache_lines_take(cache_lines_t *l, cache_t *c, uint32_t *writes)
{
    rb_grow(&l->tag, &l->cap, l->n + c->count, sizeof(*l->tag));
    for (uint32_t set = 0, left = c->count; set < c->sets && left > 0; set++) {
        const uint32_t n = cache_set_count(c, set);
        if (n == 0 && writes[set] == 0)
            continue;
        add_set(l, c, set, n, writes[set]);
        cache_clear_set(c, set);
        writes[set] = 0;
        left -= n;
    }
    cache_clear_rest(c);
    l->all_sets += c->sets;
}

/* --- which lines stay -------------------------------------------------------------------------- */

/* Whether another cache has the line, and has it modified if it is modified in c. */
static bool has_alike(cache_t *other, cache_t *c, const cache_tag_t *t, uint64_t line)
{
    const cache_tag_t *there = cache_lookup_key(other, cache_key_of(other, line), false);
    return there != NULL && (cache_written(c, t) == NULL || cache_written(other, there) != NULL);
}

/* Adds a line that the set lacks as the least recently used one. */
static cache_tag_t *add_oldest(cache_t *c, cache_key_t k)
{
    cache_line_t victim; /* unused: the set has room */
    bool evicted;
    cache_tag_t *t = cache_insert_key(c, k, &victim, &evicted);
    cache_way_age(c, k.set, cache_set_count(c, k.set) - 1);
    return t;
}

/* Adds the n lines of a set, most recently used first. Returns the news. */
static uint32_t claim_set(cache_t *c, uint32_t set, const cache_tag_t *tag, uint32_t n,
                          uint32_t modified_ways, cache_t *other)
{
    uint32_t news = 0;
    for (uint32_t i = 0; i < n && cache_set_count(c, set) < c->ways; i++) {
        const uint64_t line = cache_tag_line(tag[i]);
        const cache_key_t k = cache_key_in_set(c, line, set);
        cache_tag_t *t = cache_lookup_key(c, k, false);
        const bool is_new = t == NULL, modifies = (tag[i] & CACHE_TAG_WRITTEN) != 0 &&
                                                  (is_new || cache_written(c, t) == NULL) &&
                                                  cache_modified(c, k) < modified_ways;
        if (is_new)
            t = add_oldest(c, k);
        if (modifies)
            (void)cache_write(c, t);
        if (is_new || modifies)
            news += !has_alike(other, c, t, line);
    }
    return news;
}

uint32_t cache_claim_lines(cache_t *c, cache_lines_at_t *at, uint32_t modified_ways, cache_t *other)
{
    const cache_lines_t *l = at->lines;
    const size_t first = at->before, end = at->before += c->sets;
    uint32_t news = 0;
    for (; at->set < l->n_sets && l->set[at->set].set < end; at->set++) {
        const cache_lines_set_t *s = &l->set[at->set];
        news +=
            claim_set(c, (uint32_t)(s->set - first), &l->tag[at->tag], s->n, modified_ways, other);
        at->tag += s->n;
    }
    return news;
}

/* --- replaying --------------------------------------------------------------------------------- */

/* Adds the sectors of one access to a line to what others left of it. */
static void merge_line(cache_t *c, cache_tag_t *t, uint8_t valid, const cache_written_t *more)
{
    const cache_written_t *had = cache_written(c, t);
    const uint8_t partial = had != NULL ? had->partial : 0;
    cache_tag_fill(t, valid);
    if (had == NULL && (more == NULL || (more->dirty | more->partial) == 0))
        return;
    cache_written_t *w = cache_write(c, t);
    const uint8_t whole = cache_tag_valid(t);
    const cache_written_t none = {0};
    more = more != NULL ? more : &none;
    w->dirty |= more->dirty;
    w->partial = (uint8_t)((partial | more->partial) & ~whole);
    for (uint32_t s = 0; s < SECTORS_PER_LINE; s++) {
        w->bytes[s] |= more->bytes[s];
        if (w->partial >> s & 1 && w->bytes[s] == UINT32_MAX) {
            cache_tag_fill(t, (uint8_t)(1u << s));
            w->partial &= (uint8_t) ~(1u << s);
        }
    }
}

void cache_clean_excess(cache_t *c, uint32_t set, uint32_t modified_ways, uint32_t writes)
{
    cache_line_t cleaned;
    for (; writes > 0 && cache_modified(c, (cache_key_t){.set = set}) > modified_ways; writes--)
        (void)cache_clean_oldest(c, (cache_key_t){.set = set}, &cleaned);
}

static void forget_sectors(cache_t *c, cache_tag_t *t)
{
    cache_line_t cleaned;
    (void)cache_clean(c, t, &cleaned);
    cache_tag_drop(t, CACHE_TAG_VALID);
}

/* Uses the n lines of a set, the one that was used longest ago first; written: behind the last one of them. If they fill
 * the set, whatever was there before was evicted in between. */
static void replay_set(cache_t *c, uint32_t set, const cache_tag_t *tag, uint32_t n,
                       const cache_written_t *written, uint32_t writes, uint32_t modified_ways,
                       const bool *unused, cache_lacked_t *lacked)
{
    for (uint32_t i = n; i-- > 0;) {
        if (unused != NULL && unused[i])
            continue;
        const cache_key_t k = cache_key_in_set(c, cache_tag_line(tag[i]), set);
        const cache_placed_t placed = cache_place(c, k);
        cache_tag_t *t = placed.tag;
        const bool writes_it = (tag[i] & CACHE_TAG_WRITTEN) != 0;
        const uint8_t valid = cache_tag_valid(&tag[i]);
        const cache_written_t *more = writes_it ? --written : NULL;
        const uint32_t dirty = more != NULL ? more->dirty : 0;
        lacked->read += cache_sector_count(valid & ~(uint32_t)cache_tag_valid(t) & ~dirty);
        lacked->written += placed.fresh ? cache_sector_count(dirty) : 0;
        if (n == c->ways && !placed.fresh)
            forget_sectors(c, t);
        merge_line(c, t, valid, more);
        if (writes_it && writes > 0) {
            cache_clean_excess(c, set, modified_ways, 1);
            writes--;
        }
    }
    cache_clean_excess(c, set, modified_ways, writes);
}

void cache_replay_lines(cache_t *c, cache_lines_at_t *at, uint32_t modified_ways,
                        const bool *unused, cache_lacked_t *lacked)
{
    const cache_lines_t *l = at->lines;
    const size_t first = at->before, end = at->before += c->sets;
    for (; at->set < l->n_sets && l->set[at->set].set < end; at->set++) {
        const cache_lines_set_t *s = &l->set[at->set];
        const cache_tag_t *tag = &l->tag[at->tag];
        for (uint32_t i = 0; i < s->n; i++)
            at->written += (tag[i] & CACHE_TAG_WRITTEN) != 0;
        if (s->n > 0)
            replay_set(c, (uint32_t)(s->set - first), tag, s->n,
                       l->written != NULL ? &l->written[at->written] : NULL, s->writes,
                       modified_ways, unused != NULL ? unused + at->tag : NULL, lacked);
        at->tag += s->n;
    }
}
