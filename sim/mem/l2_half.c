/* The two halves of an L2: which SMs are far from a slice, and the copies that their half has. */
#include "sim/mem/l2_internal.h"
#include "sim/parts/gpc.h"

/* Set in the address of a line within a slice: its copy in the other half. */
static const uint64_t COPY = UINT64_C(1) << 62;

void l2_halves_init(l2_slice_t *s, uint32_t gpc_sms, uint32_t n_sms)
{
    s->far_from = UINT32_MAX;
    if (s->spec.halves < 2)
        return;
    const uint32_t sms = gpc_sms > 0 ? gpc_sms : 1;
    s->far_from = (gpc_count(n_sms, sms) + 1) / 2 * sms;
    s->far_below = s->number >= s->spec.slices / 2;
}

cache_key_t l2_tags_copy_key(const cache_t *c, cache_key_t key)
{
    return cache_key_of(c, key.line | COPY);
}

uint8_t l2_tags_copy_has(cache_t *c, cache_key_t key)
{
    const cache_tag_t *l = cache_lookup_key(c, l2_tags_copy_key(c, key), true);
    return l != NULL ? cache_tag_valid(l) : 0;
}

static bool copy_suffices(cache_t *c, const cache_tag_t *owner)
{
    const cache_tag_t *copy =
        cache_lookup_key(c, cache_key_of(c, cache_tag_line(*owner) | COPY), false);
    return copy != NULL && (cache_tag_valid(owner) & ~cache_tag_valid(copy)) == 0;
}

size_t l2_tags_unused(cache_t *c, cache_lines_at_t *at, bool *unused)
{
    const cache_lines_t *l = at->lines;
    size_t found = 0;
    at->before += cache_sets(c);
    for (; at->set < l->n_sets && l->set[at->set].set < at->before; at->set++) {
        for (const size_t end = at->tag + l->set[at->set].n; at->tag < end; at->tag++) {
            const cache_tag_t *t = &l->tag[at->tag];
            unused[at->tag] = cache_tag_marked(t) && copy_suffices(c, t);
            found += unused[at->tag];
        }
    }
    return found;
}

void l2_tags_copy_drop(cache_t *c, cache_key_t key, uint8_t sectors)
{
    cache_tag_t *l = cache_lookup_key(c, l2_tags_copy_key(c, key), false);
    if (l != NULL)
        cache_tag_drop(l, sectors);
}

void l2_copy_fill(l2_slice_t *s, cache_key_t key, uint8_t sectors)
{
    const cache_key_t copy = l2_tags_copy_key(s->cache, key);
    cache_tag_t *l = cache_lookup_key(s->cache, copy, true);
    if (l == NULL)
        l = l2_line_allocate(s, copy);
    cache_tag_fill(l, sectors);
}
