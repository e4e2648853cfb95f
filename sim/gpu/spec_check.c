/* Checks between parameters. Each parameter alone is checked by its table. */
#include <inttypes.h>

#include "sim/conf/param_value.h"
#include "sim/core/engine/msg.h"
#include "sim/core/log.h"
#include "sim/gpu/gpu.h"
#include "sim/gpu/streams/overlap.h"
#include "sim/mem/dram.h"
#include "sim/mem/partition.h"
#include "sim/parts/addr_map.h"
#include "sim/parts/cache/replacement.h"
#include "sim/parts/xbar.h"

enum {
    ICACHE_LINE_BYTES = 128,    /* of both instruction caches */
    CONST_LINE_BYTES = 64,      /* of the constant cache of an SM */
    CONST_L15_LINE_BYTES = 256, /* of the level behind it */
    SLOW_WINDOW = 8,
};

/* A latency whose path includes that of another one. */
typedef struct {
    const char *whole, *part;
    uint32_t whole_cycles, part_cycles;
} path_t;

static rb_code_t check_paths(const path_t *path, size_t n, rb_err_t *err)
{
    for (size_t i = 0; i < n; i++)
        if (path[i].whole_cycles <= path[i].part_cycles)
            return rb_fail(err, RB_CONFIG,
                           "%s = %" PRIu32 " includes %s = %" PRIu32 ": it must be %" PRIu32
                           " cycles or more",
                           path[i].whole, path[i].whole_cycles, path[i].part, path[i].part_cycles,
                           path[i].part_cycles + 1);
    return RB_OK;
}

static rb_code_t check_latencies(const gpu_spec_t *s, rb_err_t *err)
{
    const sm_config_t *m = &s->sm;
    static const char issue[] = "sm.mem_issue_latency";
    uint32_t t = m->sm.mem_issue_latency;
    // The path through the load/store unit includes the memory queue of the sub-core.
    const path_t path[] = {
        {"l1.latency", issue, m->l1.latency, t},
        {"shared.latency", issue, m->shared.latency, t},
        {"shared.atomic_latency", issue, m->shared.atomic_latency, t},
        {"const.l1_latency", issue, m->constant.l1_latency, t},
        {"lat.s2r", issue, m->lat.s2r, t},
        {"lat.shfl", issue, m->lat.shfl, t},
        {"lat.match", issue, m->lat.match, t},
        {"lat.tex", issue, m->lat.tex, t},
        {"const.l15_latency", "const.l1_latency", m->constant.l15_latency, m->constant.l1_latency},
        {"const.l2_latency", "const.l15_latency", m->constant.l2_latency, m->constant.l15_latency},
    };
    if (m->lat.hmma_acc > m->lat.hmma)
        return rb_fail(err, RB_CONFIG,
                       "lat.hmma_acc = %" PRIu32 " must be at most lat.hmma = %" PRIu32,
                       m->lat.hmma_acc, m->lat.hmma);
    return check_paths(path, sizeof(path) / sizeof(path[0]), err);
}

/* Checks that a size is a multiple of a unit; the error names the nearest legal sizes. */
static rb_code_t check_whole(const char *key, uint64_t size, uint64_t unit, const char *of,
                             rb_err_t *err)
{
    char have[32], below[32], above[32], step[32];
    if (size && size % unit == 0)
        return RB_OK;
    size_format(size, have);
    size_format(size / unit * unit, below);
    size_format((size / unit + 1) * unit, above);
    size_format(unit, step);
    if (size < unit)
        return rb_fail(err, RB_CONFIG, "%s = %s must be a multiple of %s (%s): the smallest is %s",
                       key, have, step, of, above);
    return rb_fail(err, RB_CONFIG,
                   "%s = %s must be a multiple of %s (%s): the nearest are %s and %s", key, have,
                   step, of, below, above);
}

static rb_code_t check_multiple(const char *key, uint32_t n, const char *unit_key, uint32_t unit,
                                rb_err_t *err)
{
    if (n % unit == 0)
        return RB_OK;
    uint32_t below = n / unit * unit;
    if (!below)
        return rb_fail(err, RB_CONFIG,
                       "%s = %" PRIu32 " must be a multiple of %s = %" PRIu32
                       ": the smallest is %" PRIu32,
                       key, n, unit_key, unit, unit);
    return rb_fail(err, RB_CONFIG,
                   "%s = %" PRIu32 " must be a multiple of %s = %" PRIu32
                   ": the nearest are %" PRIu32 " and %" PRIu32,
                   key, n, unit_key, unit, below, below + unit);
}

static rb_code_t check_sm(const gpu_spec_t *s, rb_err_t *err)
{
    const sm_spec_t *m = &s->sm.sm;
    RB_TRY(check_multiple("sm.max_warps", m->max_warps, "sm.sub_cores", m->sub_cores, err));
    if (m->max_warps / m->sub_cores > SM_SUB_CORE_WARPS)
        return rb_fail(err, RB_CONFIG,
                       "sm.max_warps = %" PRIu32 " is more than %d for each of sm.sub_cores = "
                       "%" PRIu32,
                       m->max_warps, SM_SUB_CORE_WARPS, m->sub_cores);
    RB_TRY(check_multiple("sm.registers", m->registers, "sm.sub_cores", m->sub_cores, err));
    if (m->registers / m->sub_cores < m->register_unit)
        return rb_fail(err, RB_CONFIG,
                       "sm.register_unit = %" PRIu32 " exceeds the %" PRIu32
                       " registers of a sub-core",
                       m->register_unit, m->registers / m->sub_cores);
    return RB_OK;
}

enum { L1_WAYS_MAX = UINT16_MAX }; /* limit of cache_create() */

static rb_code_t check_l1(const gpu_spec_t *s, rb_err_t *err)
{
    const l1_spec_t *l1 = &s->sm.l1;
    uint64_t unit = (uint64_t)l1->sets * LINE_BYTES;
    char shared[32], unified[32];
    RB_TRY(check_whole("l1.bank_bytes", l1->bank_bytes, 4, "banks of 4 bytes", err));
    RB_TRY(check_whole("l1.unified", l1->unified, unit, "l1.sets lines of 128 bytes", err));
    size_format(l1->unified, unified);
    if ((double)l1->unified * l1->scale / (double)unit >= L1_WAYS_MAX)
        return rb_fail(err, RB_CONFIG,
                       "l1.unified = %s with l1.scale = %g needs %d ways or more: raise l1.sets",
                       unified, l1->scale, L1_WAYS_MAX);
    if (l1->write == WRITE_POLICY_WRITE_BACK && l1->victim_lines > 0)
        return rb_fail(err, RB_CONFIG,
                       "l1.victim_lines = %" PRIu32 " with l1.write = write_back: a victim cache "
                       "cannot hold modified lines; set it to 0",
                       l1->victim_lines);
    for (uint32_t i = 0; i < l1->carveouts.n; i++) {
        uint64_t c = l1->carveouts.v[i];
        size_format(c, shared);
        if (c > l1->unified)
            return rb_fail(err, RB_CONFIG, "l1.carveouts: %s exceeds l1.unified = %s", shared,
                           unified);
        if (i && c <= l1->carveouts.v[i - 1])
            return rb_fail(err, RB_CONFIG, "l1.carveouts must ascend: %s is out of order", shared);
        if (c)
            RB_TRY(check_whole("l1.carveouts", c, unit, "l1.sets lines of 128 bytes", err));
    }
    return RB_OK;
}

static rb_code_t check_small_caches(const gpu_spec_t *s, rb_err_t *err)
{
    const icache_spec_t *i = &s->sm.icache;
    const const_spec_t *c = &s->sm.constant;
    RB_TRY(check_whole("icache.l0_size", i->l0_size, (uint64_t)i->l0_ways * ICACHE_LINE_BYTES,
                       "icache.l0_ways lines of 128 bytes", err));
    RB_TRY(check_whole("icache.l1_size", i->l1_size, (uint64_t)i->l1_ways * ICACHE_LINE_BYTES,
                       "icache.l1_ways lines of 128 bytes", err));
    RB_TRY(check_whole("const.l1_size", c->l1_size, (uint64_t)c->l1_ways * CONST_LINE_BYTES,
                       "const.l1_ways lines of 64 bytes", err));
    return check_whole("const.l15_size", c->l15_size, (uint64_t)c->l15_ways * CONST_L15_LINE_BYTES,
                       "const.l15_ways lines of 256 bytes", err);
}

static rb_code_t check_l2(const gpu_spec_t *s, rb_err_t *err)
{
    const l2_spec_t *l2 = &s->mem.l2;
    char of[96];
    RB_TRY(check_multiple("l2.slices", l2->slices, "mem.partitions", s->mem.mem.partitions, err));
    if (l2->slices / s->mem.mem.partitions > PARTITION_MAX_SLICES)
        return rb_fail(err, RB_CONFIG,
                       "l2.slices = %" PRIu32 " is more than %d for each of mem.partitions = "
                       "%" PRIu32,
                       l2->slices, PARTITION_MAX_SLICES, s->mem.mem.partitions);
    snprintf(of, sizeof(of), "%" PRIu32 " slices x %" PRIu32 " ways x %d bytes, one set per slice",
             l2->slices, l2->ways, LINE_BYTES);
    RB_TRY(check_whole("l2.size", l2->size, (uint64_t)l2->slices * l2->ways * LINE_BYTES, of, err));
    if (SECTORS_PER_LINE % l2->fill_sectors)
        return rb_fail(err, RB_CONFIG, "l2.fill_sectors = %" PRIu32 " must be 1, 2 or 4",
                       l2->fill_sectors);
    uint32_t interleave = s->mem.mem.interleave;
    if (interleave & (interleave - 1))
        return rb_fail(err, RB_CONFIG,
                       "mem.interleave = %" PRIu32 " must be a power of two of at least %d bytes",
                       interleave, LINE_BYTES);
    if (s->mem.mem.hash == HASH_GV100 &&
        (l2->slices != ADDR_MAP_GV100_SLICES || interleave != ADDR_MAP_GV100_INTERLEAVE))
        return rb_fail(
            err, RB_CONFIG,
            "mem.hash = gv100 needs l2.slices = %d and mem.interleave = %d, but they are "
            "%" PRIu32 " and %" PRIu32 "; use ipoly",
            ADDR_MAP_GV100_SLICES, ADDR_MAP_GV100_INTERLEAVE, l2->slices, interleave);
    return RB_OK;
}

/* Policies that look at what only some caches know. */
static rb_code_t check_policy(const char *key, replacement_policy_t policy, bool instructions,
                              rb_err_t *err)
{
    if (policy == REPLACEMENT_WARP)
        return rb_fail(err, RB_CONFIG, "%s = warp: only the L1 knows the warps of its accesses",
                       key);
    if (policy == REPLACEMENT_SHIP && !instructions)
        return rb_fail(err, RB_CONFIG,
                       "%s = ship: only the L1 and the L2 know the instructions of their accesses",
                       key);
    return RB_OK;
}

static rb_code_t check_policies(const gpu_spec_t *s, rb_err_t *err)
{
    RB_TRY(check_policy("l2.replacement", s->mem.l2.replacement, true, err));
    RB_TRY(check_policy("icache.replacement", s->sm.icache.replacement, false, err));
    RB_TRY(check_policy("const.replacement", s->sm.constant.replacement, false, err));
    return check_policy("tlb.replacement", s->sm.tlb.replacement, false, err);
}

static rb_code_t check_page(const char *key, uint64_t size, rb_err_t *err)
{
    if ((size & (size - 1)) == 0)
        return RB_OK;
    return rb_fail(err, RB_CONFIG, "%s = %" PRIu64 " must be a power of two", key, size);
}

static rb_code_t check_tlb(const gpu_spec_t *s, rb_err_t *err)
{
    const tlb_spec_t *t = &s->sm.tlb;
    RB_TRY(check_page("tlb.page", t->page, err));
    RB_TRY(check_page("tlb.l2_page", t->l2_page, err));
    if (t->l2_page < t->page)
        return rb_fail(err, RB_CONFIG,
                       "tlb.l2_page = %" PRIu64 " must be tlb.page = %" PRIu64 " or more",
                       t->l2_page, t->page);
    return RB_OK;
}

static rb_code_t check_dram(const gpu_spec_t *s, rb_err_t *err)
{
    const dram_spec_t *d = &s->mem.dram;
    RB_TRY(check_multiple("dram.banks", d->banks, "dram.bank_groups", d->bank_groups, err));
    RB_TRY(check_whole("dram.row_bytes", d->row_bytes, SECTOR_BYTES, "sectors", err));
    if (d->burst_bytes & (d->burst_bytes - 1))
        return rb_fail(err, RB_CONFIG, "dram.burst_bytes = %" PRIu32 " must be a power of two",
                       d->burst_bytes);
    RB_TRY(check_whole("dram.row_bytes", d->row_bytes, d->burst_bytes, "dram.burst_bytes", err));
    if (d->write_high > d->write_queue)
        return rb_fail(err, RB_CONFIG,
                       "dram.write_high = %" PRIu32 " cannot exceed dram.write_queue = %" PRIu32,
                       d->write_high, d->write_queue);
    if (d->write_low >= d->write_high)
        return rb_fail(err, RB_CONFIG,
                       "dram.write_low = %" PRIu32 " must lie below dram.write_high = %" PRIu32,
                       d->write_low, d->write_high);
    if (d->tREFI > 0 && d->tREFI < dram_min_refresh(d))
        return rb_fail(err, RB_CONFIG,
                       "dram.tREFI = %" PRIu32 " leaves no time between refreshes: it must be 0 or "
                       "%" PRIu64 " or more with this tRFC and the other timings",
                       d->tREFI, dram_min_refresh(d));
    return RB_OK;
}

/* A port slower than this would hold a request up for millions of cycles. */
#define SLOWEST_PORT 0.01

static rb_code_t check_shared_ports(const icnt_spec_t *x, rb_err_t *err)
{
    const struct {
        const char *key;
        double flits;
    } port[] = {{"icnt.tpc_data", x->tpc_data},
                {"icnt.gpc_data", x->gpc_data},
                {"icnt.gpc_replies", x->gpc_replies}};
    for (size_t i = 0; i < sizeof(port) / sizeof(port[0]); i++) {
        if (port[i].flits > 0 && port[i].flits < SLOWEST_PORT)
            return rb_fail(err, RB_CONFIG,
                           "%s = %g flits per cycle: it must be 0 (no limit) or %g or more",
                           port[i].key, port[i].flits, SLOWEST_PORT);
    }
    return RB_OK;
}

/* Credits must keep a port busy for a whole round trip. */
static rb_code_t check_crossbar(const gpu_spec_t *s, rb_err_t *err)
{
    const icnt_spec_t *x = &s->mem.icnt;
    uint32_t packet = (LINE_BYTES + x->flit_bytes - 1) / x->flit_bytes;
    uint32_t rate = x->sm_flits > x->slice_flits ? x->sm_flits : x->slice_flits;
    distance_t distance;
    gpu_spec_distance(s, &distance);
    distance_range_t farther = distance_range(&distance);
    cycle_t shorter = cycle_min(x->request_latency, x->reply_latency);
    if (farther.least <= -(int64_t)shorter)
        return rb_fail(err, RB_CONFIG,
                       "icnt.distance = %" PRIu32
                       " leaves no time for the nearest SM and slice: the "
                       "mean latencies are icnt.request_latency and icnt.reply_latency",
                       x->distance);
    uint64_t need =
        xbar_min_buffer(rate, x->request_latency + (cycle_t)farther.most,
                        x->reply_latency + (cycle_t)farther.most, x->credit_batch, packet);
    if (!x->perfect && x->buffer < need)
        return rb_fail(err, RB_CONFIG,
                       "icnt.buffer = %" PRIu32 " flits cannot cover a round trip (icnt."
                       "request_latency + icnt.reply_latency) at full rate: it must be %" PRIu64
                       " or more",
                       x->buffer, need);
    return RB_OK;
}

void gpu_spec_distance(const gpu_spec_t *spec, distance_t *distance)
{
    const icnt_spec_t *x = &spec->mem.icnt;
    distance_init(distance, x->distance, x->columns, spec->sm.sm.count, spec->mem.l2.slices);
}

cycle_t gpu_spec_window(const gpu_spec_t *spec)
{
    distance_t distance;
    gpu_spec_distance(spec, &distance);
    cycle_t w = cycle_min(spec->mem.icnt.request_latency, spec->mem.icnt.reply_latency) +
                (cycle_t)distance_range(&distance).least;
    w = cycle_min(w, spec->mem.mmu.latency);
    w = cycle_min(w, spec->sched.dispatch_latency);
    if (spec->gpu.concurrent_launches > 1)
        w = cycle_min(w, overlap_least(spec));
    return cycle_min(w, spec->sched.completion_latency);
}

static rb_code_t check_window(const gpu_spec_t *s, rb_err_t *err)
{
    const struct {
        const char *key;
        uint32_t cycles;
    } channel[] = {
        {"icnt.request_latency", s->mem.icnt.request_latency},
        {"icnt.reply_latency", s->mem.icnt.reply_latency},
        {"sched.dispatch_latency", s->sched.dispatch_latency},
        {"sched.completion_latency", s->sched.completion_latency},
        {"mmu.latency", s->mem.mmu.latency},
    };
    if (s->gpu.concurrent_launches > 1 && s->gpu.launch_latency == 0)
        return rb_fail(
            err, RB_CONFIG,
            "gpu.launch_latency = 0: with gpu.concurrent_launches above 1 it is at least 1");
    for (size_t i = 0; i < sizeof(channel) / sizeof(channel[0]); i++) {
        if (channel[i].cycles < 1)
            return rb_fail(err, RB_CONFIG, "%s must be at least 1 cycle", channel[i].key);
        if (channel[i].cycles < SLOW_WINDOW)
            rb_warn_once("%s = %" PRIu32 ": simulation is slow if it is below %d cycles",
                         channel[i].key, channel[i].cycles, SLOW_WINDOW);
    }
    return RB_OK;
}

rb_code_t gpu_spec_check(const gpu_spec_t *spec, rb_err_t *err)
{
    RB_TRY(check_sm(spec, err));
    RB_TRY(check_l1(spec, err));
    RB_TRY(check_small_caches(spec, err));
    RB_TRY(check_latencies(spec, err));
    RB_TRY(check_tlb(spec, err));
    RB_TRY(check_l2(spec, err));
    RB_TRY(check_policies(spec, err));
    RB_TRY(check_dram(spec, err));
    RB_TRY(check_shared_ports(&spec->mem.icnt, err));
    RB_TRY(check_crossbar(spec, err));
    return check_window(spec, err);
}
