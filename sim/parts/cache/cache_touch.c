/* Caches without time: copies, and accesses that look a line up and insert it in one step. */
#include <string.h>

#include "sim/parts/cache/cache_place.h"

static void copy_narrow(cache_t *to, const cache_t *c)
{
    memcpy(to->narrow_set, c->narrow_set, c->sets * c->narrow_bytes);
    memcpy(to->tag, c->tag, (size_t)c->sets * c->ways * sizeof(*c->tag));
    for (uint32_t set = 0; set < to->sets; set++)
        narrow_forget_evicted(cache_narrow(to, set));
}

static void copy_wide(cache_t *to, const cache_t *c)
{
    memcpy(to->wide_set, c->wide_set, c->sets * sizeof(*c->wide_set));
    memcpy(to->table, c->table, ((size_t)c->sets * c->chunks) * sizeof(*c->table));
    memcpy(to->way, c->way, (size_t)c->sets * c->ways * sizeof(*c->way));
}

cache_t *cache_copy(const cache_t *c)
{
    cache_t *to = cache_like(c);
    to->count = c->count;
    to->random_state = c->random_state;
    if (c->sets == 0)
        return to;
    if (c->victims != NULL) {
        cache_destroy(to->victims);
        to->victims = cache_copy(c->victims);
    }
    if (c->narrow)
        copy_narrow(to, c);
    else
        copy_wide(to, c);
    if (c->planes > 0)
        memcpy(to->policy_state, c->policy_state,
               cache_state_words(c) * c->sets * sizeof(*c->policy_state));
    if (c->policy_word != NULL)
        memcpy(to->policy_word, c->policy_word,
               replacement_words[c->policy] * sizeof(*c->policy_word));
    if (c->written != NULL)
        memcpy(to->written, c->written, (size_t)c->sets * c->ways * sizeof(*c->written));
    return to;
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
    return cache_is_plain(c) ? cache_place_narrow(c, k) : any_place(c, k);
}
