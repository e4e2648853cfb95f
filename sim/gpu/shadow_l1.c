#include "sim/gpu/shadow_l1.h"

#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/sm/memory/write_policy.h"

enum { SMS = 2 /* that are looked at */ };

/* Accesses [at, end) of a warp are left. */
typedef struct {
    size_t at, end;
    size_t bin;
} l1_warp_t;

typedef struct {
    cache_t *cache; /* owned */
    uint32_t number;
    /* Blocks that run together: their accesses, warp by warp. */
    touch_l1_t *access; /* owned */
    size_t n_accesses, cap_accesses;
    l1_warp_t *warp; /* owned */
    size_t n_warps, cap_warps;
    uint32_t blocks;
    uint64_t block; /* the last one */
} l1_sm_t;

struct shadow_l1 {
    l1_sm_t sm[SMS];
    uint32_t n;      /* of them */
    uint32_t of_sms; /* SMs of the chip */
    uint32_t resident;
    uint32_t write; /* write_policy_t */
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
    l->resident = occupancy->blocks_per_sm;
    l->write = l1->write;
    l->perfect = l1->perfect;
    l->blocks_per_bin = blocks_per_bin;
    l->seen = rb_calloc(bins, sizeof(*l->seen));
    for (uint32_t i = 0; i < l->n; i++) {
        /* Not the first ones, whose blocks often lie at the edge of the data. */
        l->sm[i].number = (2 * i + 1) * l->of_sms / (2 * l->n);
        l->sm[i].cache = cache_create(l1->sets, l1_spec_ways(l1, occupancy->carveout), LINE_BYTES,
                                      l1->replacement, false, false);
    }
    return l;
}

void shadow_l1_destroy(shadow_l1_t *l)
{
    if (l == NULL)
        return;
    for (uint32_t i = 0; i < l->n; i++) {
        cache_destroy(l->sm[i].cache);
        free(l->sm[i].access);
        free(l->sm[i].warp);
    }
    free(l->seen);
    free(l);
}

static l1_sm_t *sm_of(const shadow_l1_t *l, uint64_t block)
{
    for (uint32_t i = 0; i < l->n; i++)
        if (block % l->of_sms == l->sm[i].number)
            return (l1_sm_t *)&l->sm[i];
    return NULL;
}

bool shadow_l1_wants(const shadow_l1_t *l, uint64_t block)
{
    return sm_of(l, block) != NULL;
}

static void load_line(const shadow_l1_t *l, cache_t *c, const touch_l1_t *a, shadow_l1_seen_t *seen)
{
    cache_tag_t *line = cache_place(c, cache_key_of(c, a->line)).tag;
    const uint32_t hits = l->perfect ? a->sectors : a->sectors & cache_tag_valid(line);
    cache_tag_fill(line, a->sectors);
    seen->sectors += l2_sector_count(a->sectors);
    seen->hits += l2_sector_count(hits);
}

static void store_line(const shadow_l1_t *l, cache_t *c, const touch_l1_t *a)
{
    const cache_key_t key = cache_key_of(c, a->line);
    cache_tag_t *line = cache_lookup_key(c, key, false);
    if (l->write == WRITE_POLICY_EVICT && line != NULL)
        cache_tag_drop(line, a->sectors);
    if (l->write == WRITE_POLICY_ALLOCATE && a->full != 0)
        cache_tag_fill(line != NULL ? line : cache_place(c, key).tag, a->full);
}

/* Executes the next instruction of a warp. */
static void step(shadow_l1_t *l, const l1_sm_t *sm, l1_warp_t *w)
{
    for (bool last = false; !last && w->at < w->end; w->at++) {
        const touch_l1_t *a = &sm->access[w->at];
        if (a->store)
            store_line(l, sm->cache, a);
        else
            load_line(l, sm->cache, a, &l->seen[w->bin]);
        last = a->last;
    }
}

/* Executes the blocks that run together. */
static void run(shadow_l1_t *l, l1_sm_t *sm)
{
    for (bool any = true; any;) {
        any = false;
        for (size_t i = 0; i < sm->n_warps; i++) {
            step(l, sm, &sm->warp[i]);
            any |= sm->warp[i].at < sm->warp[i].end;
        }
    }
    sm->n_warps = sm->n_accesses = 0;
    sm->blocks = 0;
}

void shadow_l1_warp(shadow_l1_t *l, uint64_t block, const touch_l1_t *access, size_t n)
{
    l1_sm_t *sm = sm_of(l, block);
    if (sm->blocks > 0 && sm->block != block && sm->blocks == l->resident)
        run(l, sm);
    sm->blocks += sm->blocks == 0 || sm->block != block;
    sm->block = block;
    rb_grow(&sm->access, &sm->cap_accesses, sm->n_accesses + n, sizeof(*sm->access));
    rb_grow(&sm->warp, &sm->cap_warps, sm->n_warps + 1, sizeof(*sm->warp));
    if (n > 0)
        memcpy(sm->access + sm->n_accesses, access, n * sizeof(*access));
    sm->warp[sm->n_warps++] = (l1_warp_t){.at = sm->n_accesses,
                                          .end = sm->n_accesses + n,
                                          .bin = (size_t)(block / l->blocks_per_bin)};
    sm->n_accesses += n;
}

const shadow_l1_seen_t *shadow_l1_finish(shadow_l1_t *l)
{
    for (uint32_t i = 0; i < l->n; i++)
        run(l, &l->sm[i]);
    return l->seen;
}
