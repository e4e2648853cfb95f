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
}

uint32_t supply_constant(sm_t *sm, uint32_t s, uint32_t w, const inst_t *inst, bool is_load)
{
    const const_spec_t *spec = &sm->config->constant;
    uint32_t hit = is_load ? spec->l1_latency : 0;
    if (!(inst->flags & INST_CONST_ADDR) || spec->perfect || sm->config->sm.ideal)
        return hit;
    /* Bank 0 holds the launch's parameters, so each launch has its own constant addresses. */
    uint64_t address =
        sm->supply.buffer[w].constants | (uint64_t)inst->const_bank << 16 | inst->const_offset;
    uint64_t line1 = address / L1_CONST_LINE * L1_CONST_LINE;
    uint64_t line15 = address / L15_CONST_LINE * L15_CONST_LINE;
    cache_t *l0 = sm->supply.core[s].const_l0;
    cache_t *first = is_load || l0 == NULL ? sm->supply.const_l1 : l0;
    by_launch_warp(sm, w);
    sm->stats.const_lookups++;
    if (cache_use(first, line1))
        return hit;
    sm->stats.const_misses++;
    uint32_t latency =
        cache_use(sm->supply.const_l15, line15) ? spec->l15_latency : spec->l2_latency;
    return is_load ? latency : latency - spec->l1_latency;
}
