#include "sim/gpu/sampled/known_counts.h"

#include <stddef.h>

#include "sim/isa/isa.h"

enum { MOST_PARTS = 4 };

__extension__ typedef unsigned __int128 wide_t;

static uint64_t scaled(uint64_t v, uint64_t to, uint64_t from)
{
    return (uint64_t)((wide_t)v * to / from);
}

/* A counter that is part of a known sum. hits: the hits among it, which keep their share; may be
 * NULL. */
typedef struct {
    uint64_t *count, *hits;
} part_t;

static void set_part(const part_t *p, uint64_t count)
{
    if (p->hits != NULL)
        *p->hits = *p->count == 0 ? 0 : scaled(*p->hits, count, *p->count);
    *p->count = count;
}

/* Makes parts add up to a sum: each keeps its share, the largest gets the rounding error. If the
 * estimate is 0 for all, part `likely` gets the whole sum. */
static void share_out(const part_t *part, size_t n, uint64_t sum, size_t likely)
{
    uint64_t of[MOST_PARTS], all = 0, given = 0;
    size_t largest = likely;
    for (size_t i = 0; i < n; i++) {
        of[i] = *part[i].count;
        all += of[i];
        if (of[i] > *part[largest].count)
            largest = i;
    }
    for (size_t i = 0; i < n; i++) {
        of[i] = all == 0 ? 0 : scaled(of[i], sum, all);
        given += of[i];
    }
    of[largest] += sum - given;
    for (size_t i = 0; i < n; i++)
        set_part(&part[i], of[i]);
}

/* Scales parts down if together they exceed a sum. */
static void at_most(const part_t *part, size_t n, uint64_t sum)
{
    uint64_t all = 0;
    for (size_t i = 0; i < n; i++)
        all += *part[i].count;
    if (all > sum)
        share_out(part, n, sum, 0);
}

static void set_mix(sm_stats_t *sm, const launch_counts_t *f)
{
    uint64_t *mix = &sm->mix_fp16;
    for (unsigned g = 0; g < MIX_COUNT; g++)
        mix[g] = 0;
    for (unsigned c = 0; c < OP_CLASS_COUNT; c++)
        mix[isa_class_group((op_class_t)c)] += f->insts[c];
}

static void set_sectors(gpu_counters_t *c, const launch_counts_t *f)
{
    sm_stats_t *sm = &c->sm;
    l2_stats_t *l2 = &c->l2;
    const part_t global[] = {{&sm->global_load_sectors, &sm->global_load_hits},
                             {&sm->global_store_sectors, NULL},
                             {&l2->red_sectors, &l2->red_hits},
                             {&l2->atomic_sectors, &l2->atomic_hits}};
    const part_t local[] = {{&sm->local_load_sectors, &sm->local_load_hits},
                            {&sm->local_store_sectors, NULL}};
    const part_t textures[] = {{&sm->texture_sectors, &sm->texture_hits},
                               {&sm->surface_store_sectors, NULL}};
    const bool loads = f->insts[OP_LOAD_LG] > 0, stores = f->insts[OP_STORE_LG] > 0;
    sm->l1_tags = f->requests;
    share_out(global, 4, f->global_sectors, loads ? 0 : stores ? 1 : 2);
    share_out(local, 2, f->local_sectors, loads ? 0 : 1);
    share_out(textures, 2, f->texture_sectors, 0);
}

/* The counts per class include instructions without active lanes, which make no requests. */
static void set_requests(sm_stats_t *sm, const launch_counts_t *f)
{
    const part_t loads[] = {{&sm->global_load_requests, NULL}, {&sm->local_load_requests, NULL}};
    const part_t stores[] = {{&sm->global_store_requests, NULL}, {&sm->local_store_requests, NULL}};
    const part_t textures[] = {{&sm->texture_requests, NULL}, {&sm->surface_store_requests, NULL}};
    const part_t atomics[] = {{&sm->reduction_requests, NULL},
                              {&sm->atomic_requests, NULL},
                              {&sm->shared_atomic_requests, NULL}};
    at_most(loads, 2, f->insts[OP_LOAD_LG]);
    at_most(stores, 2, f->insts[OP_STORE_LG]);
    at_most(textures, 2, f->insts[OP_TEX]);
    share_out(atomics, 3, f->atomics, f->insts[OP_ATOM_LG] > 0 ? 0 : 2);
}

void known_counts_set(gpu_counters_t *c, const gpu_spec_t *spec, const launch_counts_t *f)
{
    sm_stats_t *sm = &c->sm;
    sm->blocks = f->blocks;
    sm->warp_insts = f->warp_insts;
    sm->thread_insts = f->thread_insts;
    set_mix(sm, f);
    if (spec->sm.sm.ideal)
        return; /* in this mode memory instructions go nowhere */
    set_sectors(c, f);
    set_requests(sm, f);
}

void known_counts_add(launch_counts_t *sum, const launch_counts_t *f)
{
    _Static_assert(sizeof(*f) % sizeof(uint64_t) == 0, "all of it is 64-bit counts");
    stats_add((uint64_t *)sum, (const uint64_t *)f, sizeof(*f) / sizeof(uint64_t));
}

uint64_t known_counts_least_cycles(const gpu_spec_t *spec, uint64_t warp_insts)
{
    const uint64_t rate = (uint64_t)spec->sm.sm.count * spec->sm.sm.sub_cores;
    return (warp_insts + rate - 1) / rate;
}

/* Limits counters that only count while an SM has warps. */
static void limit_active(sm_stats_t *sm, uint64_t most)
{
    uint64_t *const during[] = {&sm->l1_stall_mshr, &sm->l1_stall_queue, &sm->l1_stall_tlb};
    uint64_t *state = (uint64_t *)sm;
    if (sm->active_cycles <= most)
        return;
    for (unsigned i = STATE_NO_WARP + 1; i < STATE_COUNT; i++)
        state[i] = scaled(state[i], most, sm->active_cycles);
    for (size_t i = 0; i < sizeof(during) / sizeof(during[0]); i++)
        *during[i] = scaled(*during[i], most, sm->active_cycles);
    sm->active_cycles = most;
}

static void limit_warps(sm_stats_t *sm, uint64_t most)
{
    uint64_t *state = (uint64_t *)sm, resident = 0;
    for (unsigned i = STATE_NO_WARP + 1; i < STATE_COUNT; i++)
        resident += state[i];
    for (unsigned i = STATE_NO_WARP + 1; resident > most && i < STATE_COUNT; i++)
        state[i] = scaled(state[i], most, resident);
}

static void limit_parts(gpu_counters_t *c)
{
    sm_stats_t *sm = &c->sm;
    l2_stats_t *l2 = &c->l2;
    const struct {
        uint64_t *part;
        uint64_t whole;
    } pairs[] = {
        {&sm->thread_insts, 32 * sm->warp_insts},
        {&sm->pred_off_insts, sm->warp_insts},
        {&sm->branches, sm->warp_insts},
        {&sm->branches_uniform, sm->branches},
        {&sm->global_load_hits, sm->global_load_sectors},
        {&sm->local_load_hits, sm->local_load_sectors},
        {&sm->texture_hits, sm->texture_sectors},
        {&sm->texture_pending, sm->texture_sectors},
        {&sm->shared_conflicts, sm->shared_wavefronts},
        {&sm->tlb_l2_misses, sm->tlb_misses},
        {&sm->icache_l0_misses, sm->icache_l0_lookups},
        {&sm->const_misses, sm->const_lookups},
        {&l2->read_hits, l2->read_sectors},
        {&l2->write_hits, l2->write_sectors},
        {&l2->atomic_hits, l2->atomic_sectors},
        {&l2->red_hits, l2->red_sectors},
        {&l2->early_writebacks, l2->writebacks},
        {&l2->unasked_fills, l2->fills},
    };
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        if (*pairs[i].part > pairs[i].whole)
            *pairs[i].part = pairs[i].whole;
    }
}

void known_counts_limit(gpu_counters_t *c, const gpu_spec_t *spec, uint64_t cycles)
{
    const uint64_t most = spec->sm.sm.count * cycles;
    limit_parts(c);
    limit_active(&c->sm, most);
    limit_warps(&c->sm, c->sm.active_cycles * spec->sm.sm.max_warps);
    if (c->sm.l1_data_busy > most)
        c->sm.l1_data_busy = most;
    if (c->sm.texture_busy > most)
        c->sm.texture_busy = most;
}
