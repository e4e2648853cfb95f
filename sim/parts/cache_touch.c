/* Caches without time: copies, and accesses that look a line up and insert it in one step. */
#include <string.h>

#include "sim/parts/cache_internal.h"

static void copy_narrow(cache_t *to, const cache_t *c)
{
    memcpy(to->narrow_set, c->narrow_set, c->sets * c->narrow_bytes);
    memcpy(to->tag, c->tag, (size_t)c->sets * c->ways * sizeof(*c->tag));
}

static void copy_wide(cache_t *to, const cache_t *c)
{
    memcpy(to->wide_set, c->wide_set, c->sets * sizeof(*c->wide_set));
    memcpy(to->table, c->table, ((size_t)c->sets << c->table_bits) * sizeof(*c->table));
    memcpy(to->way, c->way, (size_t)c->sets * c->ways * sizeof(*c->way));
}

cache_t *cache_copy(const cache_t *c)
{
    cache_t *to = cache_create(c->sets, c->ways, 1u << c->line_shift, c->policy, c->hash_sets,
                               c->written != NULL);
    to->count = c->count;
    to->random_state = c->random_state;
    if (c->sets == 0)
        return to;
    if (c->narrow)
        copy_narrow(to, c);
    else
        copy_wide(to, c);
    if (c->planes > 0)
        memcpy(to->policy_state, c->policy_state,
               cache_state_words(c) * c->sets * sizeof(*c->policy_state));
    if (c->written != NULL)
        memcpy(to->written, c->written, (size_t)c->sets * c->ways * sizeof(*c->written));
    return to;
}

void cache_keys(const cache_t *c, const uint64_t *line, cache_key_t *key, size_t n)
{
    for (size_t i = 0; i < n; i++)
        key[i] = cache_line_key(c, line[i]);
}

/* The usual case: narrow sets, LRU. The set is full unless it has empty ways. */
static cache_placed_t narrow_place(cache_t *c, cache_key_t k)
{
    narrow_set_t *s = cache_narrow(c, k.set);
    uint32_t way = cache_narrow_find(c, k);
    cache_placed_t p = {.fresh = way == CACHE_NO_WAY};
    if (!p.fresh) {
        narrow_touch(s, c->ways, way);
    } else if (s->count < c->ways) {
        way = narrow_add(s, c->ways);
        c->count++;
    } else {
        way = narrow_renew_oldest(s, c->ways);
    }
    const size_t number = (size_t)k.set * c->ways + way;
    p.tag = &c->tag[number];
    if (!p.fresh)
        return p;
    if (s->modified >> way & 1) {
        p.dirty = c->written[number].dirty;
        s->modified &= ~(UINT64_C(1) << way);
    }
    s->lane[way] = (uint8_t)cache_narrow_tag(k);
    *p.tag = k.line;
    return p;
}

static cache_placed_t any_place(cache_t *c, cache_key_t k)
{
    cache_line_t victim;
    bool evicted = false;
    cache_placed_t p = {.tag = cache_lookup_key(c, k, true)};
    p.fresh = p.tag == NULL;
    if (p.fresh)
        p.tag = cache_insert_key(c, k, &victim, &evicted);
    p.dirty = evicted ? victim.written.dirty : 0;
    return p;
}

cache_placed_t cache_place(cache_t *c, cache_key_t k)
{
    return c->narrow && c->ways > 0 && c->policy == REPLACEMENT_LRU ? narrow_place(c, k)
                                                                    : any_place(c, k);
}
