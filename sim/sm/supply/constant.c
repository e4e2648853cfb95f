/*
 * The constant caches: optionally one for operands in each sub-core, then the SM's, and a level 1.5
 * behind it. They return at once, with the cycles that an instruction is delayed.
 */
#include "sim/sm/by_launch.h"
#include "sim/sm/supply/supply_parts.h"

enum { L1_CONST_LINE = 64, L15_CONST_LINE = 256 };

void const_init(sm_t *sm)
{
    const const_spec_t *c = &sm->config->constant;
    supply_t *u = &sm->supply;
    for (uint32_t s = 0; s < sm->n_sub_cores && c->l0_size > 0; s++)
        u->core[s].const_l0 = supply_cache(c->l0_size, c->l0_ways, L1_CONST_LINE, c->replacement);
    u->const_l1 = supply_cache(c->l1_size, c->l1_ways, L1_CONST_LINE, c->replacement);
    u->const_l15 = supply_cache(c->l15_size, c->l15_ways, L15_CONST_LINE, c->replacement);
}

void const_free(sm_t *sm)
{
    for (uint32_t s = 0; s < sm->n_sub_cores; s++)
        cache_destroy(sm->supply.core[s].const_l0);
    cache_destroy(sm->supply.const_l1);
    cache_destroy(sm->supply.const_l15);
}

void const_forget(sm_t *sm)
{
    for (uint32_t s = 0; s < sm->n_sub_cores; s++) {
        if (sm->supply.core[s].const_l0 != NULL)
            cache_invalidate(sm->supply.core[s].const_l0);
    }
    cache_invalidate(sm->supply.const_l1);
    cache_invalidate(sm->supply.const_l15);
    sm->supply.const_free = 0;
}

/* Looks a constant up. Returns the latency of an LDC that finds it there. */
static uint32_t look_up(sm_t *sm, cache_t *first, uint64_t address)
{
    const const_spec_t *spec = &sm->config->constant;
    sm->stats.const_lookups++;
    if (cache_use(first, address / L1_CONST_LINE * L1_CONST_LINE))
        return spec->l1_latency;
    sm->stats.const_misses++;
    uint64_t line15 = address / L15_CONST_LINE * L15_CONST_LINE;
    return cache_use(sm->supply.const_l15, line15) ? spec->l15_latency : spec->l2_latency;
}

/* Bank 0 holds the launch's parameters, so each launch has its own constant addresses. */
static uint64_t known_address(const sm_t *sm, uint32_t w, const inst_t *inst)
{
    return sm->supply.buffer[w].constants | (uint64_t)inst->const_bank << 16 | inst->const_offset;
}

uint32_t supply_constant(sm_t *sm, uint32_t s, uint32_t w, const inst_t *inst)
{
    const const_spec_t *spec = &sm->config->constant;
    if (!(inst->flags & INST_CONST_ADDR) || spec->perfect || sm->config->sm.ideal)
        return 0;
    by_launch_warp(sm, w);
    cache_t *l0 = sm->supply.core[s].const_l0;
    if (inst->cls == OP_UNIFORM && !spec->l0_uniform)
        l0 = NULL;
    return look_up(sm, l0 == NULL ? sm->supply.const_l1 : l0, known_address(sm, w, inst)) -
           spec->l1_latency;
}

/* The different addresses among the lanes of a record. */
static unsigned different_addresses(const uint64_t *rec, uint64_t out[WARP_LANES])
{
    uint64_t lane[WARP_LANES];
    const unsigned lanes = addr_unpack(rec, lane);
    unsigned n = 0;
    for (unsigned i = 0; i < lanes; i++) {
        unsigned k = 0;
        while (k < n && out[k] != lane[i])
            k++;
        if (k == n)
            out[n++] = lane[i];
    }
    return n;
}

cycle_t supply_load_constant(sm_t *sm, uint32_t w, const inst_t *inst, const uint64_t *addr,
                             cycle_t now, cycle_t *taken)
{
    const const_spec_t *spec = &sm->config->constant;
    supply_t *u = &sm->supply;
    uint64_t address[WARP_LANES];
    unsigned n = 1;
    *taken = now;
    if (spec->perfect || sm->config->sm.ideal)
        return now + spec->l1_latency;
    if (inst->flags & INST_CONST_ADDR)
        address[0] = known_address(sm, w, inst);
    else if (addr != NULL)
        n = different_addresses(addr, address);
    else
        return now + spec->l1_latency;
    uint32_t latency = spec->l1_latency;
    by_launch_warp(sm, w);
    for (unsigned i = 0; i < n; i++) {
        uint32_t found = look_up(sm, u->const_l1, u->buffer[w].constants | address[i]);
        latency = found > latency ? found : latency;
    }
    if (n == 1)
        return now + latency;
    *taken = cycle_max(now, u->const_free) + (cycle_t)n * spec->address_interval;
    u->const_free = *taken;
    return *taken + latency;
}
