#include "sim/gpu/dispatch/occupancy.h"

static uint32_t round_up(uint32_t n, uint32_t unit)
{
    return (n + unit - 1) / unit * unit;
}

static uint32_t min_u32(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Registers are allocated per warp, and each sub-core has its own file. */
static uint32_t limit_by_registers(const sm_spec_t *sm, const occupancy_t *o)
{
    uint32_t warps_per_sub_core = sm->registers / sm->sub_cores / o->regs_per_warp;
    return warps_per_sub_core * sm->sub_cores / o->warps_per_block;
}

uint64_t occupancy_largest_carveout(const l1_spec_t *l1)
{
    return l1->carveouts.n == 0 ? 0 : l1->carveouts.v[l1->carveouts.n - 1];
}

/* The smallest selectable carve-out of at least that many bytes. */
static uint64_t carveout_for(const l1_spec_t *l1, uint64_t bytes)
{
    for (uint32_t i = 0; i < l1->carveouts.n; i++) {
        if (l1->carveouts.v[i] >= bytes)
            return l1->carveouts.v[i];
    }
    return occupancy_largest_carveout(l1);
}

static void find_limiter(occupancy_t *o)
{
    o->blocks_per_sm = o->limit_warps;
    o->limiter = "warps";
    if (o->limit_blocks < o->blocks_per_sm) {
        o->blocks_per_sm = o->limit_blocks;
        o->limiter = "blocks";
    }
    if (o->limit_regs < o->blocks_per_sm) {
        o->blocks_per_sm = o->limit_regs;
        o->limiter = "registers";
    }
    if (o->limit_shared < o->blocks_per_sm) {
        o->blocks_per_sm = o->limit_shared;
        o->limiter = "shared memory";
    }
}

rb_code_t occupancy_compute(const gpu_spec_t *spec, const launch_info_t *launch, occupancy_t *out,
                            rb_err_t *err)
{
    const sm_spec_t *sm = &spec->sm.sm;
    const l1_spec_t *l1 = &spec->sm.l1;
    occupancy_t o = {0};
    uint32_t threads = launch->block[0] * launch->block[1] * launch->block[2];
    o.warps_per_block = (threads + 31) / 32;
    if (o.warps_per_block == 0)
        o.warps_per_block = 1;
    uint32_t regs = launch->regs == 0 ? 1 : launch->regs;
    o.regs_per_warp = round_up(regs * 32, sm->register_unit);
    uint64_t shared = (uint64_t)launch->shared_bytes + l1->shared_reserved;
    o.shared_per_block = (shared + l1->shared_unit - 1) / l1->shared_unit * l1->shared_unit;
    o.limit_warps = sm->max_warps / o.warps_per_block;
    o.limit_blocks = sm->max_blocks;
    o.limit_regs = limit_by_registers(sm, &o);
    o.limit_shared = o.shared_per_block == 0
                         ? sm->max_blocks
                         : min_u32((uint32_t)(occupancy_largest_carveout(l1) / o.shared_per_block),
                                   sm->max_blocks);
    find_limiter(&o);
    if (o.blocks_per_sm == 0)
        return rb_fail(
            err, RB_TRACE,
            "%s: launch %llu (%s): one block does not fit an SM of %s: it needs %u warps "
            "(SM: %u), %u registers (SM: %u) and %llu bytes of shared memory (SM: %llu); "
            "simulate it on the GPU it was made for",
            launch->file, (unsigned long long)launch->id, launch->name, spec->gpu.name,
            o.warps_per_block, sm->max_warps, o.regs_per_warp * o.warps_per_block, sm->registers,
            (unsigned long long)o.shared_per_block,
            (unsigned long long)occupancy_largest_carveout(l1));
    o.carveout = carveout_for(l1, o.shared_per_block * o.blocks_per_sm);
    *out = o;
    return RB_OK;
}
