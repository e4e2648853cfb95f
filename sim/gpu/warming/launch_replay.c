/* Brings to the chip's L2 what the walked launches left. */
#include <stdlib.h>

#include "sim/core/alloc.h"
#include "sim/gpu/warming/before_launch.h"

/* Sectors that a launch fetched, if the chip lacks so many of those that it left. What it evicted itself was fetched,
 * too. With two halves, a part of the lines are copies of others. */
static uint64_t fetched_by(const footprint_t *p, uint64_t lacked, bool halves)
{
    if (p->fetched == UINT64_MAX)
        return lacked;
    if (halves && p->held > p->fetched)
        lacked = (uint64_t)((double)lacked * (double)p->fetched / (double)p->held);
    const uint64_t evicted = p->fetched > p->held ? p->fetched - p->held : 0;
    return (lacked < p->fetched ? lacked : p->fetched) + evicted;
}

/* Lines that a launch would not use because the other half has copies of them; NULL: none. If it needs more lines than
 * the L2 has without them, too, the copies do not last. */
static bool *find_unused(const before_t *b, const footprint_t *p)
{
    const size_t n = p->lines.n;
    cache_lines_at_t at = {.lines = &p->lines};
    size_t found = 0;
    if (!b->tags.halves || n == 0)
        return NULL;
    bool *unused = rb_calloc(n, sizeof(*unused));
    for (uint32_t s = 0; s < b->g->map.slices; s++)
        found += l2_tags_unused(b->tags.slice[s].cache, &at, unused);
    const double used = (double)p->placed * (double)(n - found) / (double)n;
    if (used * LINE_BYTES <= (double)b->g->spec.mem.l2.size)
        return unused;
    free(unused);
    return NULL;
}

/* What a launch wrote is no more in the copies that launches before it left in the other half. */
static void drop_copies(const before_t *b, const cache_lines_t *l)
{
    const uint32_t sets = cache_sets(b->tags.slice[0].cache);
    size_t tag = 0, written = 0;
    for (size_t i = 0; i < l->n_sets; i++) {
        cache_t *c = b->tags.slice[l->set[i].set / sets].cache;
        for (const size_t end = tag + l->set[i].n; tag < end; tag++)
            if (l->tag[tag] & CACHE_TAG_WRITTEN)
                l2_tags_copy_drop(c, cache_key_of(c, cache_tag_line(l->tag[tag])),
                                  l->written[written++].dirty);
    }
}

void before_replay(const before_t *b)
{
    for (size_t i = b->n_left; i-- > 0;) {
        const footprint_t *p = b->left[i];
        cache_lines_at_t at = {.lines = &p->lines};
        cache_lacked_t lacked = {0};
        if (b->tags.halves)
            drop_copies(b, &p->lines);
        bool *unused = find_unused(b, p);
        for (uint32_t s = 0; s < b->g->map.slices; s++)
            cache_replay_lines(b->tags.slice[s].cache, &at, b->tags.slice[s].modified_ways, unused,
                               &lacked);
        free(unused);
        if (p->warp_insts == 0)
            continue; /* of copies */
        b->cost->fetched += fetched_by(p, lacked.read, b->tags.halves);
        b->cost->placed += lacked.written;
    }
}
