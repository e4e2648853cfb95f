#include "sim/gpu/warming/shadow_l1.h"

#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/parts/cache_place.h"
#include "sim/sm/memory/write_policy.h"

enum { SMS = 2 /* that are looked at */ };

typedef struct {
    cache_t *cache; /* owned */
    uint32_t number;
} l1_sm_t;

struct shadow_l1 {
    l1_sm_t sm[SMS];
    uint32_t n;      /* of them */
    uint32_t of_sms; /* SMs of the chip */
    write_policy_t write;
    bool perfect;
    uint64_t blocks_per_bin;
    shadow_l1_seen_t *seen; /* owned; by bin */
};

shadow_l1_t *shadow_l1_create(const gpu_spec_t *spec, const occupancy_t *occupancy, size_t bins,
                              uint64_t blocks_per_bin)
{
    const l1_spec_t *l1 = &spec->sm.l1;
    shadow_l1_t *l = rb_calloc(1, sizeof(*l));
    l->of_sms = spec->sm.sm.count;
    l->n = l->of_sms < SMS ? l->of_sms : SMS;
    l->write = (write_policy_t)l1->write;
    l->perfect = l1->perfect;
    l->blocks_per_bin = blocks_per_bin;
    l->seen = rb_calloc(bins, sizeof(*l->seen));
    for (uint32_t i = 0; i < l->n; i++) {
        /* Not the first ones, whose blocks often lie at the edge of the data. */
        l->sm[i].number = (2 * i + 1) * l->of_sms / (2 * l->n);
        l->sm[i].cache = cache_create(l1->sets, l1_spec_ways(l1, occupancy->carveout), LINE_BYTES,
                                      l1->replacement, false, false);
        cache_keep_victims(l->sm[i].cache, l1->victim_lines);
    }
    return l;
}

void shadow_l1_destroy(shadow_l1_t *l)
{
    if (l == NULL)
        return;
    for (uint32_t i = 0; i < l->n; i++)
        cache_destroy(l->sm[i].cache);
    free(l->seen);
    free(l);
}

/* The L1 of a slot; NULL: it is not looked at. */
static cache_t *cache_of(const shadow_l1_t *l, uint64_t slot)
{
    for (uint32_t i = 0; i < l->n; i++)
        if (slot % l->of_sms == l->sm[i].number)
            return l->sm[i].cache;
    return NULL;
}

bool shadow_l1_wants(const shadow_l1_t *l, uint64_t slot)
{
    return cache_of(l, slot) != NULL;
}

static void load_line(const shadow_l1_t *l, cache_t *c, const touch_l1_t *a, shadow_l1_seen_t *seen)
{
    const cache_key_t key = cache_line_key(c, a->line);
    cache_tag_t *line =
        cache_is_plain(c) ? cache_place_narrow(c, key).tag : cache_place(c, key).tag;
    const uint32_t hits = l->perfect ? a->sectors : a->sectors & cache_tag_valid(line);
    cache_tag_fill(line, a->sectors);
    seen->sectors += l2_sector_count(a->sectors);
    seen->hits += l2_sector_count(hits);
}

static void store_line(const shadow_l1_t *l, cache_t *c, const touch_l1_t *a)
{
    const cache_key_t key = cache_key_of(c, a->line);
    const policy_store_t store = {a->sectors, a->full, NULL};
    cache_line_t victim; /* samplers refuse L1s with modified lines */
    (void)write_policy_store(l->write, c, key, cache_lookup_key(c, key, false), &store, &victim);
}

void shadow_l1_take(shadow_l1_t *l, uint64_t slot, uint64_t block, const touch_l1_t *access,
                    size_t n)
{
    cache_t *c = cache_of(l, slot);
    shadow_l1_seen_t *seen = &l->seen[block / l->blocks_per_bin];
    for (const touch_l1_t *a = access; a < access + n; a++) {
        if (a->store)
            store_line(l, c, a);
        else
            load_line(l, c, a, seen);
    }
}

const shadow_l1_seen_t *shadow_l1_seen(const shadow_l1_t *l)
{
    return l->seen;
}
