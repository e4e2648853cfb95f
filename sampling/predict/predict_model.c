/* The equations: docs/predict.md has them in the same order. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sampling/predict/block_model.h"
#include "sampling/predict/predict.h"
#include "sampling/predict/wave_model.h"
#include "sim/gpu/dispatch/occupancy.h"
#include "sim/parts/gpc.h"
#include "sim/sm/memory/coalesce.h"

/* What level 0 assumes. */
#define ASSUMED_L1_HIT 0.3
#define ASSUMED_L2_HIT 0.7

#define BOUND_NAME_(id, name, text) name,
#define BOUND_TEXT_(id, name, text) text,
static const char *const bound_names[] = {PREDICT_BOUNDS(BOUND_NAME_)};
static const char *const bound_texts[] = {PREDICT_BOUNDS(BOUND_TEXT_)};

const char *predict_bound_name(predict_bound_t bound)
{
    return bound_names[bound];
}

const char *predict_bound_text(predict_bound_t bound)
{
    return bound_texts[bound];
}

const char *predict_doubt_text(unsigned bit)
{
    static const char *const texts[PREDICT_DOUBTS] = {
        "less than one wave of blocks: what a single SM does decides",
        "warps wait in loops for others: how long depends on time",
        "instructions of unknown classes",
    };
    return texts[bit];
}

/* --- a launch --------------------------------------------------------------------------------- */

/* Cycles of the channels: data, rows that few sectors are taken of, and turns of the bus between reads
 * and writes (a write buffer is emptied from one mark to the other). A sector that was written in part is
 * read before, one at a time. */
static double dram_cycles(const gpu_spec_t *spec, const predict_traffic_t *t)
{
    const dram_spec_t *d = &spec->mem.dram;
    const double channel = dram_ticks(spec) / spec->mem.mem.partitions;
    const double burst = fmax((double)SECTOR_BYTES / (d->bus_bytes * d->data_rate), d->tCCD);
    const double patched = d->ecc ? t->dram_writes * t->partial : 0;
    const double of_line = t->sectors[OP_STORE_LG] / fmax(t->lines[OP_STORE_LG], 1);
    const double drains =
        fmin(t->dram_writes / fmax(of_line, 1) / (d->write_high - d->write_low), t->dram_reads);
    const double turns = d->tRTW + d->tCDLR + d->tCL;
    const double data = burst * (t->dram_reads + t->dram_writes + patched);
    const double few = spec->mem.l2.fill_sectors; /* sectors of a line that has a row for itself */
    const double rows =
        (t->sectors[OP_LOAD_LG] <= few * t->lines[OP_LOAD_LG] ? t->dram_reads / few : 0) +
        (of_line <= few ? t->dram_writes / fmax(of_line, 1) : 0);
    const double opened = rows * fmax(d->tRRD, d->tFAW / 4.0);
    return channel * (fmax(data, opened) + turns * (drains + patched));
}

/* Cycles of the ports from the SMs to the L2 and back. busy: what the busiest SM has, over the mean. */
static double port_cycles(const gpu_spec_t *spec, double replies, double sent, double busy)
{
    const icnt_spec_t *x = &spec->mem.icnt;
    const double sms = spec->sm.sm.count;
    const double of_sm = x->data_interval > 0 ? x->data_interval : 1.0 / x->sm_flits;
    const double gpcs = x->gpc_sms > 0 ? gpc_count(spec->sm.sm.count, x->gpc_sms) : 1;
    double most = fmax(replies / x->sm_flits, sent * of_sm) / sms;
    if (x->tpc_data > 0)
        most = fmax(most, sent / x->tpc_data / (sms / 2));
    if (x->gpc_data > 0)
        most = fmax(most, sent / x->gpc_data / gpcs);
    if (x->gpc_replies > 0)
        most = fmax(most, replies / x->gpc_replies / gpcs);
    return most * busy;
}

/* Atomics of the slice that has the most. */
static double atomic_cycles(const gpu_spec_t *spec, const predict_traffic_t *t)
{
    const l2_spec_t *l2 = &spec->mem.l2;
    const double lines = fmax(t->lines[OP_ATOM_LG], 1);
    const double of_line = t->sectors[OP_ATOM_LG] / lines;
    const double requests = of_line > 0 ? t->atomic_sectors / of_line : 0;
    const double steps = fmax(fmax(of_line, t->conflict[OP_ATOM_LG]), 1);
    return fmax(requests / l2->slices, t->hot_atomics) *
           fmax(steps, t->words[OP_ATOM_LG] * l2->atomic_word_interval);
}

/* Cycles of the chip's memory for the launch. */
static void chip_parts(const gpu_spec_t *spec, const predict_traffic_t *t, double busy,
                       predicted_t *out)
{
    const mem_config_t *m = &spec->mem;
    const double misses = t->load_sectors * (1 - t->l1_hit) + t->wasted;
    const double sent = t->store_sectors + t->atomic_sectors;
    if (!m->icnt.perfect)
        out->part[PREDICT_PORT] = port_cycles(spec, misses, sent, busy);
    if (!m->l2.perfect)
        out->part[PREDICT_L2] = (misses + sent) / (m->l2.slices * l2_port_rate(m));
    if (!m->dram.perfect && !m->l2.perfect)
        out->part[PREDICT_DRAM] = dram_cycles(spec, t);
    out->part[PREDICT_ATOMIC] = atomic_cycles(spec, t);
}

/* What an access of each class is like, as far as blocks were decoded. */
static void take_access(predict_traffic_t *t, const access_mean_t *access)
{
    for (unsigned k = 0; k < OP_CLASS_COUNT; k++) {
        const access_mean_t *a = &access[k];
        if (a->n <= 0)
            continue;
        t->passes[k] = a->passes / a->n;
        t->lines[k] = a->lines / a->n;
        t->sectors[k] = a->sectors / a->n;
        t->conflict[k] = a->conflict / a->n;
        t->words[k] = a->words / a->n;
    }
}

predict_traffic_t predict_assume(const predict_profile_t *p, const gpu_spec_t *spec)
{
    predict_traffic_t t = {.l1_hit = spec->sm.l1.enabled ? ASSUMED_L1_HIT : 0,
                           .l2_hit = ASSUMED_L2_HIT};
    const launch_counts_t *c = &p->counts;
    const double insts[] = {(double)c->insts[OP_LOAD_LG], (double)c->insts[OP_STORE_LG],
                            (double)c->insts[OP_ATOM_LG]};
    const double all = insts[0] + insts[1] + insts[2];
    const double sectors = (double)c->global_sectors + (double)c->local_sectors;
    const double of_inst = all > 0 ? sectors / all : 0;
    const op_class_t cls[] = {OP_LOAD_LG, OP_STORE_LG, OP_ATOM_LG};
    for (int i = 0; i < 3; i++) {
        t.sectors[cls[i]] = of_inst;
        t.lines[cls[i]] = all > 0 ? (double)c->requests / all : 0;
        t.passes[cls[i]] = 1;
    }
    t.load_sectors = insts[0] * of_inst;
    t.store_sectors = insts[1] * of_inst;
    t.atomic_sectors = insts[2] * of_inst;
    t.load_lines = insts[0] * t.lines[OP_LOAD_LG];
    take_access(&t, p->access);
    /* Data that the host copied is read once, if the launch reads that much; the L2 holds its share of it. */
    const double reads = t.load_sectors * (1 - t.l1_hit);
    const double room = (double)spec->mem.l2.size / SECTOR_BYTES;
    const double data = p->copied + t.store_sectors;
    const double absent = data > 0 ? fmax(1 - room / data, 0) : 0;
    if (p->copied > 0 && reads > 0)
        t.l2_hit = 1 - fmin(1, p->copied / reads) * absent;
    for (unsigned i = 0; i < PROFILE_SLOW; i++)
        t.slow_l1_hit[i] = t.l1_hit;
    t.dram_reads = reads * (1 - t.l2_hit);
    t.dram_writes = t.store_sectors * (p->copied > 0 ? absent : 1 - t.l2_hit);
    return t;
}

/* Reading the code for the first time: groups of lines that are fetched together, one after another. */
static double cold_code(const alone_t *a, const predict_profile_t *p, bool cold)
{
    const icache_spec_t *c = &a->spec->sm.icache;
    if (c->perfect)
        return 0;
    double groups = 0;
    for (uint64_t line = 0; line < p->code_lines; line += p->code[line] ? 1 + c->prefetch : 1)
        groups += p->code[line];
    return groups * (cold ? a->dram : a->l2);
}

/* The first access of an SM to a page: the MMU translates it. */
static double first_access(const alone_t *a)
{
    const mmu_spec_t *m = &a->spec->mem.mmu;
    return a->spec->sm.tlb.perfect || a->traffic->load_sectors + a->traffic->store_sectors <= 0
               ? 0
               : 2 * m->latency + m->lookup;
}

static unsigned doubts_of(const predict_profile_t *p, const predicted_t *out)
{
    return (out->waves < 1 && p->uneven ? PREDICT_FEW_WAVES : 0u) |
           (p->spins > 0 ? PREDICT_SPINS : 0u) | (p->unknown > 0 ? PREDICT_UNKNOWN : 0u);
}

/* The mean block, and what a mean warp of it takes. */
static block_cost_t mean_cost(alone_t *a, const predict_profile_t *p)
{
    block_cost_t mean = {0};
    double insts = 0, of_block = 0;
    for (size_t i = 0; i < p->n_paths; i++)
        of_block += p->path[i].share * p->path[i].insts * p->warps;
    for (size_t i = 0; i < p->n_paths; i++) {
        const block_cost_t c = block_cost(a, &p->path[i], of_block / p->path[i].insts);
        mean.cycles += p->path[i].share * c.cycles;
        insts += p->path[i].share * p->path[i].insts;
        for (unsigned b = 0; b < PREDICT_BOUND_COUNT; b++)
            mean.warp.part[b] += p->path[i].share * c.warp.part[b];
    }
    /* The sampled blocks stand for all. */
    const double scale = insts > 0 && p->indexed
                             ? (double)p->counts.warp_insts / (insts * p->warps * (double)p->blocks)
                             : 1;
    mean.cycles *= scale * p->slowest;
    for (unsigned b = 0; b < PREDICT_BOUND_COUNT; b++)
        mean.warp.part[b] *= scale;
    return mean;
}

/* The slot that is busy for longest: its blocks one after another, of which one may be the slowest. */
static double latency_cycles(const alone_t *a, const predict_profile_t *p, const wave_t *wave,
                             double block)
{
    const sched_spec_t *sched = &a->spec->sched;
    const double turn =
        sched->dispatch_latency + sched->completion_latency + a->spec->sm.sm.block_start_latency;
    double slowest = 0;
    for (size_t i = 0; i < p->n_slow; i++) {
        const slow_block_t *l = &p->slow[i];
        predict_traffic_t own = *a->traffic;
        take_access(&own, l->access);
        own.l1_hit = a->traffic->slow_l1_hit[i];
        own.l1_late = 0;
        alone_t in_it = alone_on(a->spec, &own, a->warps, a->control, a->measured);
        if (l->path.n > 0)
            slowest = fmax(
                slowest,
                block_cost(&in_it, &l->path, (double)p->lengths[l->block] / l->path.insts).cycles);
    }
    if (slowest <= 0)
        return wave->longest * (block + turn);
    return slowest + turn + fmax(wave->longest - wave->block, 0) * (block + turn);
}

/* The cycles of all bounds together. blocks: that are on an SM. */
static double joined(const predicted_t *out, double blocks)
{
    double part[PREDICT_BOUND_COUNT];
    memcpy(part, out->part, sizeof(part));
    for (unsigned b = PREDICT_ISSUE; b <= PREDICT_L1; b++)
        part[b] = with_others(part[b], blocks);
    return bounds_norm(part, PREDICT_LATENCY, PREDICT_BOUND_COUNT);
}

rb_code_t predict_launch(const predict_profile_t *p, const gpu_spec_t *spec,
                         const predict_traffic_t *traffic, bool cold, predicted_t *out,
                         rb_err_t *err)
{
    occupancy_t o;
    RB_TRY(occupancy_compute(spec, &p->info, &o, err));
    *out = (predicted_t){.traffic = traffic != NULL ? *traffic : predict_assume(p, spec)};
    const bool control = p->n_paths > 0 && p->path[0].n > 0 &&
                         p->path[0].step[0].first->flags & INST_CONTROL_WORD &&
                         spec->sm.sm.dependences != DEPS_SCOREBOARD;
    alone_t a = alone_on(spec, &out->traffic, fmax(p->warps, 1), control, traffic != NULL);
    const block_cost_t block = mean_cost(&a, p);
    const double sms = spec->sm.sm.count, slots = sms * o.blocks_per_sm;
    const wave_t wave = wave_model(p->lengths, p->blocks, spec->sm.sm.count, o.blocks_per_sm);
    out->waves = (double)p->blocks / slots;
    for (unsigned b = PREDICT_ISSUE; b <= PREDICT_L1; b++)
        out->part[b] = station_time(&a, b, block.warp.part[b], wave.busiest * p->warps);
    chip_parts(spec, &out->traffic, wave.busiest * sms / (double)p->blocks, out);
    out->part[PREDICT_LAUNCH] = spec->gpu.launch_latency;
    out->part[PREDICT_LATENCY] = latency_cycles(&a, p, &wave, block.cycles) +
                                 fmin(slots, (double)p->blocks) * spec->sched.dispatch_interval;
    /* All warps wait for code and pages that are new: nothing else is done meanwhile. */
    const double begin = cold_code(&a, p, cold) + first_access(&a);
    out->cycles =
        out->part[PREDICT_LAUNCH] + begin + joined(out, fmin(wave.busiest, o.blocks_per_sm));
    out->part[PREDICT_LATENCY] += begin;
    for (unsigned b = 0; b < PREDICT_BOUND_COUNT; b++)
        out->bound = out->part[b] > out->part[out->bound] ? (predict_bound_t)b : out->bound;
    out->doubts = doubts_of(p, out);
    return RB_OK;
}
