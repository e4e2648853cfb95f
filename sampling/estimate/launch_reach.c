#include "sampling/estimate/launch_reach.h"

#include <math.h>

#include "sim/core/alloc.h"
#include "sim/gpu/dispatch/occupancy.h"
#include "sim/sm/memory/coalesce.h"

/* Activates of a channel in the time tFAW. */
#define ACTIVATES 4.0

/* What a chip takes if its caches hold nothing, in cycles. */
typedef struct {
    double line;    /* each opens a row */
    double sector;  /* of an open row */
    double latency; /* of a read that misses everywhere */
    double start;   /* of a launch whose code is in no cache, and its page in no table */
    double atomic;  /* of a warp, all lanes on a word on which all others work, too */
} slow_chip_t;

static slow_chip_t slow_chip(const gpu_spec_t *spec)
{
    const dram_spec_t *d = &spec->mem.dram;
    const mem_config_t *m = &spec->mem;
    const double tick = spec->gpu.clock_mhz / d->clock_mhz;
    const double channel = d->perfect ? 0 : tick / m->mem.partitions;
    const double latency = m->icnt.request_latency + m->icnt.reply_latency + m->l2.latency +
                           m->l2.far_latency + d->latency + tick * (d->tRP + d->tRCD + d->tCL) +
                           2 * m->mmu.latency + m->mmu.lookup;
    return (slow_chip_t){
        .line = channel * fmax(d->tFAW / ACTIVATES, d->tRRD),
        .sector = channel * d->tCCD,
        .latency = latency,
        .start = latency + m->mmu.walk,
        .atomic = WARP_LANES * m->l2.atomic_interval,
    };
}

static double extra_cycles(const population_t *pop, uint64_t row, const slow_chip_t *chip,
                           double warps, double slots)
{
    const double sectors = pop->fact[POP_GLOBAL_SECTORS][row] + pop->fact[POP_LOCAL_SECTORS][row];
    const double insts = fmin(pop->fact[POP_MEMORY_INSTS][row], pop->counter[POP_REQUESTS][row]);
    /* Warps that do not fit wait for others: list scheduling is at most one warp longer than an
     * even share (Graham, 1966). */
    const double turns = warps > slots ? warps / slots + 1 : 1;
    const double moving =
        fmax(chip->line * pop->counter[POP_REQUESTS][row], chip->sector * sectors);
    return chip->start + moving + chip->latency * insts / warps * turns +
           chip->atomic * pop->fact[POP_ATOMICS][row];
}

rb_code_t launch_reach(const population_t *pop, const gpu_spec_t *spec, trace_source_t *source,
                       double **extra, rb_err_t *err)
{
    const slow_chip_t chip = slow_chip(spec);
    *extra = NULL;
    if (pop->fact[POP_GLOBAL_SECTORS] == NULL)
        return RB_OK;
    *extra = rb_calloc(pop->n, sizeof(**extra));
    for (uint64_t i = 0; i < pop->n; i++) {
        launch_info_t info;
        occupancy_t o;
        RB_TRY(source->ops->launch_info(source, i + 1, &info, err));
        RB_TRY(occupancy_compute(spec, &info, &o, err));
        const double blocks = (double)spec->sm.sm.count * o.blocks_per_sm;
        (*extra)[i] = extra_cycles(pop, i, &chip, (double)info.n_blocks * o.warps_per_block,
                                   blocks * o.warps_per_block);
    }
    return RB_OK;
}
