/* The equations: docs/predict.md has them in the same order. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sampling/predict/interval_model.h"
#include "sampling/predict/predict.h"
#include "sampling/predict/wave_model.h"
#include "sim/gpu/dispatch/occupancy.h"
#include "sim/parts/gpc.h"
#include "sim/sm/memory/coalesce.h"

/* Order of the norm that joins bounds. */
#define NORM 4.0

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

/* --- latencies -------------------------------------------------------------------------------- */

/* A warp alone on the chip. */
typedef struct {
    const gpu_spec_t *spec;
    const predict_traffic_t *traffic;
    double l1, l2, dram; /* cycles to the use of a load that ends there */
    double warps;        /* of its block */
    double to_l2[OP_CLASS_COUNT], to_dram[OP_CLASS_COUNT]; /* shares of instructions */
    inst_timing_t timing[OP_CLASS_COUNT]; /* of classes that do not vary, as they are met */
    bool timed[OP_CLASS_COUNT];
    bool control; /* dependences by control words */
} alone_t;

static double dram_ticks(const gpu_spec_t *spec)
{
    return spec->gpu.clock_mhz / spec->mem.dram.clock_mhz;
}

/* The share of instructions with n accesses of which one misses or more. */
static double any_miss(double hit, double n)
{
    return 1 - pow(hit, n > 1 ? n : 1);
}

/* The shares depend on the class only. */
static void set_misses(alone_t *a, op_class_t cls)
{
    a->to_l2[cls] = any_miss(a->traffic->l1_hit, a->traffic->lines[cls]);
    a->to_dram[cls] = any_miss(a->traffic->l2_hit, a->traffic->lines[cls]);
}

static alone_t alone_on(const gpu_spec_t *spec, const predict_traffic_t *traffic)
{
    const sm_config_t *sm = &spec->sm;
    const mem_config_t *m = &spec->mem;
    const interval_latencies_t unloaded = interval_unloaded(spec);
    const double dram =
        m->l2.perfect ? 0
                      : m->dram.latency +
                            (m->dram.perfect ? 0 : dram_ticks(spec) * (m->dram.tRCD + m->dram.tCL));
    const double far = m->icnt.distance / 2.0 + (m->l2.halves > 1 ? m->l2.far_latency / 2.0 : 0);
    alone_t a = {.spec = spec, .traffic = traffic, .l1 = sm->l1.latency};
    a.dram = unloaded.of[OP_LOAD_LG] + far;
    a.l2 = a.dram - dram;
    if (sm->l1.perfect)
        a.l2 = a.dram = a.l1;
    set_misses(&a, OP_LOAD_LG);
    set_misses(&a, OP_TEX);
    return a;
}

static inst_timing_t timing_of(alone_t *a, const inst_t *inst)
{
    if (a->timed[inst->cls])
        return a->timing[inst->cls];
    a->timing[inst->cls] = sm_inst_timing(&a->spec->sm, inst);
    a->timed[inst->cls] = !a->timing[inst->cls].varies;
    return a->timing[inst->cls];
}

static double load_latency(const alone_t *a, const inst_t *inst)
{
    const sm_spec_t *sm = &a->spec->sm.sm;
    const double sectors = a->traffic->sectors[inst->cls], to_dram = a->to_dram[inst->cls];
    const double to_l2 = inst->flags & INST_BYPASS_L1 ? 1 : a->to_l2[inst->cls];
    const double wide = inst->width > 4 ? (inst->width / 4 - 1) * 128.0 / sm->return_bytes : 0;
    const double many = fmax(a->traffic->passes[inst->cls] - 1, 0) +
                        to_l2 * fmax(sectors - 1, 0) / a->spec->mem.icnt.sm_flits;
    return a->l1 + to_l2 * (a->l2 - a->l1 + to_dram * (a->dram - a->l2)) + wide + many;
}

static double shared_latency(const alone_t *a, const inst_t *inst)
{
    const shared_spec_t *s = &a->spec->sm.shared;
    const double more = fmax(a->traffic->passes[inst->cls] - 1, 0);
    if (inst->cls == OP_ATOM_SH)
        return s->atomic_latency +
               s->atomic_conflict * fmax(a->traffic->conflict[inst->cls] - 1, 0);
    return s->latency + s->conflict_latency * more;
}

static double latency_of(const alone_t *a, const inst_t *inst, const inst_timing_t *t)
{
    switch (inst->cls) {
    case OP_LOAD_LG:
        return load_latency(a, inst);
    case OP_ATOM_LG:
        return a->l2 + a->spec->mem.l2.atomic_latency;
    case OP_LOAD_SH:
    case OP_ATOM_SH:
        return shared_latency(a, inst);
    case OP_LDC:
        return a->spec->sm.constant.l1_latency;
    case OP_MEMBAR:
        return inst->flags & INST_MEMBAR_SYS   ? a->spec->sm.sm.membar_sys_latency
               : inst->flags & INST_MEMBAR_GPU ? a->spec->sm.sm.membar_gpu_latency
                                               : a->spec->sm.sm.membar_cta_latency;
    case OP_TEX:
        return inst->space == MEM_TEX && a->traffic->lines[OP_TEX] > 0
                   ? t->latency + a->to_l2[OP_TEX] * (a->l2 - a->l1)
                   : t->latency;
    default:
        return t->latency;
    }
}

/* --- a warp alone ----------------------------------------------------------------------------- */

/* What a warp takes of everything that it shares with others, in cycles. */
typedef struct {
    double part[PREDICT_BOUND_COUNT];
} demand_t;

/*
 * A warp on its way, with its fellows of the block: between two barriers the block takes as long as a warp
 * alone, or as all its warps take of what they share.
 */
typedef struct {
    interval_warp_t warp;
    demand_t taken;      /* so far */
    demand_t at_barrier; /* of it, until the last barrier */
    double began;        /* the last barrier */
    double block;        /* cycles of the block until then */
    double fellows;      /* warps of the block that do as much */
} walker_t;

typedef struct {
    double cycles; /* of a block that has an SM for itself */
    demand_t warp;
} block_cost_t;

static predict_bound_t station_of(pipe_t pipe)
{
    switch (pipe) {
    case PIPE_FMA:
        return PREDICT_FMA;
    case PIPE_ALU:
        return PREDICT_ALU;
    case PIPE_FP16:
    case PIPE_FP64:
    case PIPE_TENSOR:
        return PREDICT_FP;
    case PIPE_XU:
        return PREDICT_XU;
    case PIPE_CBU:
        return PREDICT_BRANCH;
    default:
        return PREDICT_CONST;
    }
}

/* The time that an instruction occupies the tags and data of the L1, or shared memory. */
static double l1_time(const alone_t *a, const inst_t *inst)
{
    const sm_config_t *sm = &a->spec->sm;
    const predict_traffic_t *t = a->traffic;
    const double passes = fmax(t->passes[inst->cls], 1);
    switch (inst->cls) {
    case OP_LOAD_SH:
    case OP_STORE_SH:
        return fmax(passes * sm->shared.pass_cycles, inst->width / 4.0);
    case OP_ATOM_SH:
        return passes + sm->shared.atomic_pass * fmax(t->conflict[inst->cls] - 1, 0);
    case OP_LOAD_LG:
    case OP_STORE_LG:
    case OP_ATOM_LG: {
        const double busy = fmax(passes, t->lines[inst->cls] / sm->l1.tags_per_cycle);
        const double filled = (1 - t->l1_hit) * t->lines[inst->cls] * sm->l1.fill_cycles;
        if (sm->l1.perfect)
            return 1;
        return inst->cls == OP_LOAD_LG ? fmax(busy, sm->l1.load_interval) + filled : busy;
    }
    case OP_TEX:
        return sm->sm.tex_interval;
    default:
        return 1;
    }
}

static void take_shared(const alone_t *a, const inst_t *inst, const inst_timing_t *t,
                        demand_t *taken)
{
    taken->part[PREDICT_ISSUE]++;
    if (t->interval > 0)
        taken->part[station_of(t->pipe)] += t->interval;
    if (!t->queued)
        return;
    taken->part[PREDICT_QUEUE] += a->spec->sm.sm.mem_interval;
    taken->part[PREDICT_MIO] += a->spec->sm.sm.mio_interval;
    taken->part[PREDICT_L1] += l1_time(a, inst);
}

/* Bounds that are near each other add up in part. */
static double norm(const double *part, unsigned first, unsigned end)
{
    double most = 0, sum = 0;
    for (unsigned b = first; b < end; b++)
        most = fmax(most, part[b]);
    for (unsigned b = first; b < end && most > 0; b++)
        sum += pow(part[b] / most, NORM);
    return most > 0 ? most * pow(sum, 1 / NORM) : 0;
}

static bool is_sub_core(unsigned b)
{
    return b >= PREDICT_ISSUE && b <= PREDICT_QUEUE;
}

/* What that many warps of an SM take of a station, if one of them takes `part`. */
static double station_time(const alone_t *a, unsigned b, double part, double warps)
{
    const double each = is_sub_core(b) ? fmax(ceil(warps) / a->spec->sm.sm.sub_cores, 1) : warps;
    return part * each;
}

/* A warp or block that has a station for itself waits there for nobody: its use is in its own time. n: how
 * many share it. */
static double with_others(double part, double n)
{
    return n < 2 ? part * fmax(n - 1, 0) : part;
}

/* The block is at a barrier, or at its end. */
static void close_phase(const alone_t *a, walker_t *w, double at)
{
    double part[PREDICT_BOUND_COUNT] = {0};
    part[PREDICT_LATENCY] = at - w->began;
    for (unsigned b = PREDICT_ISSUE; b <= PREDICT_L1; b++)
        part[b] =
            with_others(station_time(a, b, w->taken.part[b] - w->at_barrier.part[b], w->fellows),
                        is_sub_core(b) ? w->fellows / a->spec->sm.sm.sub_cores : w->fellows);
    w->block += norm(part, PREDICT_LATENCY, PREDICT_L1 + 1);
    w->began = at;
    w->at_barrier = w->taken;
}

/* Issues the known instructions of a step. again: its last branch goes back. */
static void issue_step(alone_t *a, walker_t *w, const path_step_t *s, bool again)
{
    const sm_spec_t *sm = &a->spec->sm.sm;
    interval_warp_t *x = &w->warp;
    for (uint32_t i = 0; i < s->known; i++) {
        const inst_t *inst = &s->first[i];
        const inst_timing_t t = timing_of(a, inst);
        const double latency = latency_of(a, inst, &t);
        const double at =
            a->control
                ? interval_issue_controlled(x, inst, latency, sm->mem_read_latency, sm->zero_stall)
                : interval_issue(x, inst, latency);
        take_shared(a, inst, &t, &w->taken);
        if (inst->flags & INST_BRANCH)
            x->next = at + (again ? sm->branch_taken_latency : sm->branch_latency);
        if (inst->flags & INST_BARRIER && !(inst->flags & INST_BAR_ARRIVE)) {
            x->next = at + sm->barrier_latency + sm->barrier_interval * (a->warps - 1);
            close_phase(a, w, x->next);
        }
        if (inst->flags & INST_MEMBAR)
            x->next = fmax(x->done, at + latency);
        if (inst->flags & INST_EXIT)
            x->next = fmax(x->done, at + 1);
    }
}

/* The last round of a loop stands for `more` others. before: at its beginning. */
static void repeat_round(walker_t *w, const walker_t *before, double more)
{
    const double later = more * (w->warp.next - before->warp.next);
    w->warp.next += later;
    w->warp.done += later;
    for (unsigned r = 0; r < REG_ID_COUNT; r++)
        w->warp.ready[r] += later;
    for (unsigned b = 0; b < INTERVAL_COUNTERS; b++)
        w->warp.counter[b] += later;
    const bool closed = w->began > before->began; /* it has a barrier */
    for (unsigned b = 0; b < PREDICT_BOUND_COUNT; b++) {
        const double taken = more * (w->taken.part[b] - before->taken.part[b]);
        w->taken.part[b] += taken;
        w->at_barrier.part[b] += closed ? taken : 0;
    }
    if (!closed)
        return;
    w->block += more * (w->block - before->block);
    w->began += later;
}

/* n steps that are executed equally often. */
static void issue_loop(alone_t *a, walker_t *w, const path_step_t *step, size_t n)
{
    enum { ROUNDS = 3 };
    const double times = step[0].times;
    walker_t before = *w;
    for (double round = 0; round < fmin(times, ROUNDS); round++) {
        before = *w;
        for (size_t i = 0; i < n; i++)
            issue_step(a, w, &step[i], i + 1 == n && times > 1);
    }
    if (times > ROUNDS)
        repeat_round(w, &before, times - ROUNDS);
}

/* fellows: warps of the block, itself included, if all did as much as it does. */
static block_cost_t cost_of(alone_t *a, const warp_path_t *path, double fellows)
{
    walker_t w;
    double insts = 0;
    memset(&w, 0, sizeof(w));
    w.fellows = fmax(fellows, 1);
    for (size_t i = 0, end; i < path->n; i = end) {
        for (end = i + 1; end < path->n && path->step[end].times == path->step[i].times;)
            end++;
        issue_loop(a, &w, &path->step[i], end - i);
    }
    close_phase(a, &w, fmax(w.warp.done, w.warp.next));
    for (size_t i = 0; i < path->n; i++)
        insts += path->step[i].times * path->step[i].known;
    const double scale =
        insts > 0 ? path->insts / insts : 1; /* instructions whose code is unknown */
    block_cost_t cost = {.cycles = w.block * scale, .warp = w.taken};
    for (unsigned b = 0; b < PREDICT_BOUND_COUNT; b++)
        cost.warp.part[b] *= scale;
    return cost;
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
    const double drains = t->dram_writes / fmax(of_line, 1) / (d->write_high - d->write_low);
    const double turns = d->tRTW + d->tCDLR + d->tCL;
    const double data = burst * (t->dram_reads + t->dram_writes + patched);
    const double rows = t->sectors[OP_LOAD_LG] <= spec->mem.l2.fill_sectors * t->lines[OP_LOAD_LG]
                            ? t->dram_reads / spec->mem.l2.fill_sectors
                            : 0;
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
    const double misses = t->load_sectors * (1 - t->l1_hit);
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
    /* Data that the host copied is read once, if the launch reads so much; the L2 holds its share of it. */
    const double reads = t.load_sectors * (1 - t.l1_hit);
    const double room = (double)spec->mem.l2.size / SECTOR_BYTES;
    const double data = p->copied + t.store_sectors;
    const double absent = data > 0 ? fmax(1 - room / data, 0) : 0;
    if (p->copied > 0 && reads > 0)
        t.l2_hit = 1 - fmin(1, p->copied / reads) * absent;
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
    const double lines = ceil((double)p->code_bytes / LINE_BYTES);
    return ceil(lines / (1 + c->prefetch)) * (cold ? a->dram : a->l2);
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
        const block_cost_t c = cost_of(a, &p->path[i], of_block / p->path[i].insts);
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

/* The slot that is busy for longest: its blocks one after another, of which one may be the longest. */
static double latency_cycles(const alone_t *a, const predict_profile_t *p, const wave_t *wave,
                             double block)
{
    const sched_spec_t *sched = &a->spec->sched;
    const double turn =
        sched->dispatch_latency + sched->completion_latency + a->spec->sm.sm.block_start_latency;
    if (p->longest.n == 0)
        return wave->longest * (block + turn);
    predict_traffic_t own = *a->traffic;
    alone_t in_it = *a;
    take_access(&own, p->longest_access);
    in_it.traffic = &own;
    set_misses(&in_it, OP_LOAD_LG);
    set_misses(&in_it, OP_TEX);
    const double longest =
        cost_of(&in_it, &p->longest, (double)p->lengths[p->longest_block] / p->longest.insts)
            .cycles +
        turn;
    return longest + fmax(wave->longest - wave->block, 0) * (block + turn);
}

/* The cycles of all bounds together. blocks: that are on an SM. */
static double joined(const predicted_t *out, double blocks)
{
    double part[PREDICT_BOUND_COUNT];
    memcpy(part, out->part, sizeof(part));
    for (unsigned b = PREDICT_ISSUE; b <= PREDICT_L1; b++)
        part[b] = with_others(part[b], blocks);
    return norm(part, PREDICT_LATENCY, PREDICT_BOUND_COUNT);
}

rb_code_t predict_launch(const predict_profile_t *p, const gpu_spec_t *spec,
                         const predict_traffic_t *traffic, bool cold, predicted_t *out,
                         rb_err_t *err)
{
    occupancy_t o;
    RB_TRY(occupancy_compute(spec, &p->info, &o, err));
    *out = (predicted_t){.traffic = traffic != NULL ? *traffic : predict_assume(p, spec)};
    alone_t a = alone_on(spec, &out->traffic);
    a.warps = fmax(p->warps, 1);
    a.control = p->n_paths > 0 && p->path[0].n > 0 &&
                p->path[0].step[0].first->flags & INST_CONTROL_WORD &&
                spec->sm.sm.dependences != DEPS_SCOREBOARD;
    const block_cost_t block = mean_cost(&a, p);
    const double sms = spec->sm.sm.count, slots = sms * o.blocks_per_sm;
    const wave_t wave = wave_model(p->lengths, p->blocks, spec->sm.sm.count, o.blocks_per_sm);
    out->waves = (double)p->blocks / slots;
    for (unsigned b = PREDICT_ISSUE; b <= PREDICT_L1; b++)
        out->part[b] = station_time(&a, b, block.warp.part[b], wave.busiest * p->warps);
    chip_parts(spec, &out->traffic, wave.busiest * sms / (double)p->blocks, out);
    out->part[PREDICT_LAUNCH] = spec->gpu.launch_latency;
    out->part[PREDICT_LATENCY] = latency_cycles(&a, p, &wave, block.cycles) +
                                 cold_code(&a, p, cold) + first_access(&a) +
                                 fmin(slots, (double)p->blocks) * spec->sched.dispatch_interval;
    out->cycles = out->part[PREDICT_LAUNCH] + joined(out, fmin(wave.busiest, o.blocks_per_sm));
    for (unsigned b = 0; b < PREDICT_BOUND_COUNT; b++)
        out->bound = out->part[b] > out->part[out->bound] ? (predict_bound_t)b : out->bound;
    out->doubts = doubts_of(p, out);
    return RB_OK;
}
