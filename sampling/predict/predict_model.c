/* The equations: docs/predict.md has them in the same order. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sampling/predict/interval_model.h"
#include "sampling/predict/predict.h"
#include "sampling/predict/wave_model.h"
#include "sim/gpu/dispatch/occupancy.h"
#include "sim/sm/memory/coalesce.h"

/* Bounds that are near each other add up in part: the cycles are their norm of this order. */
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
    bool control;        /* dependences by control words */
} alone_t;

static double dram_ticks(const gpu_spec_t *spec)
{
    return spec->gpu.clock_mhz / spec->mem.dram.clock_mhz;
}

static alone_t alone_on(const gpu_spec_t *spec, const predict_traffic_t *traffic)
{
    const sm_config_t *sm = &spec->sm;
    const mem_config_t *m = &spec->mem;
    const interval_latencies_t unloaded = interval_unloaded(spec);
    const double dram =
        m->l2.perfect ? 0
                      : m->dram.latency + (m->dram.perfect ? 0 : dram_ticks(spec) *
                                                                     (m->dram.tRCD + m->dram.tCL));
    const double far = m->icnt.distance / 2.0 + (m->l2.halves > 1 ? m->l2.far_latency / 2.0 : 0);
    alone_t a = {.spec = spec, .traffic = traffic, .l1 = sm->l1.latency};
    a.dram = unloaded.of[OP_LOAD_LG] + far;
    a.l2 = a.dram - dram;
    if (sm->l1.perfect)
        a.l2 = a.dram = a.l1;
    return a;
}

/* The share of instructions with n accesses of which one misses or more. */
static double any_miss(double hit, double n)
{
    return 1 - pow(hit, n > 1 ? n : 1);
}

static double load_latency(const alone_t *a, const inst_t *inst)
{
    const sm_spec_t *sm = &a->spec->sm.sm;
    const double lines = a->traffic->lines[inst->cls], sectors = a->traffic->sectors[inst->cls];
    const double l1_hit = inst->flags & INST_BYPASS_L1 ? 0 : a->traffic->l1_hit;
    const double to_l2 = any_miss(l1_hit, lines), to_dram = any_miss(a->traffic->l2_hit, lines);
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
        return s->atomic_latency + s->atomic_conflict * fmax(a->traffic->conflict[inst->cls] - 1, 0);
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
                   ? t->latency + any_miss(a->traffic->l1_hit, a->traffic->lines[OP_TEX]) * (a->l2 - a->l1)
                   : t->latency;
    default:
        return t->latency;
    }
}

/* --- a warp alone ----------------------------------------------------------------------------- */

/* What a warp takes: its time alone, and cycles of everything that it shares with others. */
typedef struct {
    double cycles;
    double part[PREDICT_BOUND_COUNT];
    double sectors; /* that it stores */
} warp_cost_t;

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

static void take_memory(const alone_t *a, const inst_t *inst, double times, warp_cost_t *cost)
{
    const sm_config_t *sm = &a->spec->sm;
    const predict_traffic_t *t = a->traffic;
    const double passes = fmax(t->passes[inst->cls], 1);
    cost->part[PREDICT_QUEUE] += times * sm->sm.mem_interval;
    cost->part[PREDICT_MIO] += times * sm->sm.mio_interval;
    switch (inst->cls) {
    case OP_LOAD_SH:
    case OP_STORE_SH:
        cost->part[PREDICT_L1] += times * fmax(passes * sm->shared.pass_cycles, inst->width / 4.0);
        break;
    case OP_ATOM_SH:
        cost->part[PREDICT_L1] +=
            times * (passes + sm->shared.atomic_pass * fmax(t->conflict[inst->cls] - 1, 0));
        break;
    case OP_LOAD_LG:
    case OP_STORE_LG:
    case OP_ATOM_LG:
        if (!sm->l1.perfect)
            passes > t->lines[inst->cls] / sm->l1.tags_per_cycle
                ? (cost->part[PREDICT_L1] += times * passes)
                : (cost->part[PREDICT_L1] += times * t->lines[inst->cls] / sm->l1.tags_per_cycle);
        break;
    case OP_TEX:
        cost->part[PREDICT_L1] += times * sm->sm.tex_interval;
        break;
    default:
        cost->part[PREDICT_L1] += times;
    }
}

static void take_shared(const alone_t *a, const inst_t *inst, const inst_timing_t *t, double times,
                        warp_cost_t *cost)
{
    cost->part[PREDICT_ISSUE] += times;
    if (t->interval > 0)
        cost->part[station_of(t->pipe)] += times * t->interval;
    if (t->queued)
        take_memory(a, inst, times, cost);
}

/* Issues the known instructions of a step. Returns the cycle at which the next step may begin. */
static void issue_step(const alone_t *a, interval_warp_t *w, const path_step_t *s, bool again)
{
    const sm_spec_t *sm = &a->spec->sm.sm;
    for (uint32_t i = 0; i < s->known; i++) {
        const inst_t *inst = &s->first[i];
        const inst_timing_t t = sm_inst_timing(&a->spec->sm, inst);
        const double latency = latency_of(a, inst, &t), before = w->next;
        const double read = sm->mem_read_latency;
        const double at = a->control ? interval_issue_controlled(w, inst, latency, read, sm->zero_stall)
                                     : interval_issue(w, inst, latency);
        (void)before;
        if (t.interval > 1 && w->next < at + 1)
            w->next = at + 1;
        if (inst->flags & INST_BRANCH)
            w->next = at + (again ? sm->branch_taken_latency : sm->branch_latency);
        if (inst->flags & INST_BARRIER && !(inst->flags & INST_BAR_ARRIVE))
            w->next = at + sm->barrier_latency;
        if (inst->flags & INST_MEMBAR)
            w->next = w->done > at + latency ? w->done : at + latency;
        if (inst->flags & INST_EXIT)
            w->next = w->done > at + 1 ? w->done : at + 1;
    }
}

/* Steps [from, to) are executed equally often: three times, and the last of these for all others. */
static void issue_loop(const alone_t *a, interval_warp_t *w, const path_step_t *step, size_t n)
{
    enum { ROUNDS = 3 };
    const double times = step[0].times, known = fmin(times, ROUNDS);
    double last = 0;
    for (double round = 0; round < known; round++) {
        const double before = w->next;
        for (size_t i = 0; i < n; i++)
            issue_step(a, w, &step[i], i + 1 == n && times > 1);
        last = w->next - before;
    }
    const double more = last * (times - known);
    w->next += more;
    w->done += more;
    for (unsigned r = 0; r < REG_ID_COUNT; r++)
        w->ready[r] += more;
    for (unsigned b = 0; b < 6; b++)
        w->counter[b] += more;
}

static warp_cost_t cost_of(const alone_t *a, const warp_path_t *path)
{
    warp_cost_t cost = {0};
    interval_warp_t w;
    memset(&w, 0, sizeof(w));
    for (size_t i = 0, end; i < path->n; i = end) {
        for (end = i + 1; end < path->n && path->step[end].times == path->step[i].times;)
            end++;
        issue_loop(a, &w, &path->step[i], end - i);
    }
    for (size_t i = 0; i < path->n; i++) {
        const path_step_t *s = &path->step[i];
        const double times = s->times * s->n / s->known;
        for (uint32_t k = 0; k < s->known; k++) {
            const inst_timing_t t = sm_inst_timing(&a->spec->sm, &s->first[k]);
            take_shared(a, &s->first[k], &t, times, &cost);
        }
    }
    cost.cycles = w.done > w.next ? w.done : w.next;
    return cost;
}

/* --- a launch --------------------------------------------------------------------------------- */

static bool is_sub_core(predict_bound_t b)
{
    return b >= PREDICT_ISSUE && b <= PREDICT_QUEUE;
}

/* Cycles of the chip's memory for the launch. */
static void chip_parts(const gpu_spec_t *spec, const predict_traffic_t *t, double sms, double busy,
                       predicted_t *out)
{
    const mem_config_t *m = &spec->mem;
    const dram_spec_t *d = &m->dram;
    const double misses = t->load_sectors * (1 - t->l1_hit);
    const double channel = dram_ticks(spec) / m->mem.partitions;
    const double burst = (double)SECTOR_BYTES / (d->bus_bytes * d->data_rate);
    const double sent = t->store_sectors + t->atomic_sectors;
    if (!m->icnt.perfect)
        out->part[PREDICT_PORT] =
            busy / sms * fmax(misses / m->icnt.sm_flits,
                       sent * (m->icnt.data_interval > 0 ? m->icnt.data_interval
                                                         : 1.0 / m->icnt.sm_flits));
    if (!m->l2.perfect)
        out->part[PREDICT_L2] = (misses + sent) / (m->l2.slices * l2_port_rate(m));
    if (!m->dram.perfect && !m->l2.perfect)
        out->part[PREDICT_DRAM] = channel * (fmax(burst, d->tCCD) * (t->dram_reads + t->dram_writes) +
                                    0);
    const double requests = t->atomic_sectors / fmax(t->sectors[OP_ATOM_LG], 1) *
                            fmax(t->lines[OP_ATOM_LG], 1);
    const double steps = fmax(fmax(t->conflict[OP_ATOM_LG], t->sectors[OP_ATOM_LG] /
                                                                fmax(t->lines[OP_ATOM_LG], 1)), 1);
    out->part[PREDICT_ATOMIC] =
        fmax(requests / m->l2.slices, t->hot_atomics) * steps / l2_port_rate(m);
}

predict_traffic_t predict_assume(const predict_profile_t *p, const gpu_spec_t *spec)
{
    predict_traffic_t t = {.l1_hit = spec->sm.l1.enabled ? ASSUMED_L1_HIT : 0, .l2_hit = ASSUMED_L2_HIT};
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
    for (unsigned k = 0; k < OP_CLASS_COUNT; k++) {
        const access_mean_t *a = &p->access[k];
        if (a->n <= 0)
            continue;
        t.passes[k] = a->passes / a->n;
        t.lines[k] = a->lines / a->n;
        t.sectors[k] = a->sectors / a->n;
        t.conflict[k] = a->conflict / a->n;
    }
    t.dram_reads = (t.load_sectors * (1 - t.l1_hit)) * (1 - t.l2_hit);
    t.dram_writes = t.store_sectors * (1 - t.l2_hit);
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

static unsigned doubts_of(const predict_profile_t *p, const predicted_t *out)
{
    return (out->waves < 1 && p->lengths != NULL ? PREDICT_FEW_WAVES : 0u) |
           (p->spins > 0 ? PREDICT_SPINS : 0u) | (p->unknown > 0 ? PREDICT_UNKNOWN : 0u);
}

/* The mean warp, and the block: as long as its longest warp. */
static warp_cost_t mean_cost(const alone_t *a, const predict_profile_t *p)
{
    warp_cost_t mean = {0};
    double insts = 0;
    for (size_t i = 0; i < p->n_paths; i++) {
        const warp_cost_t c = cost_of(a, &p->path[i]);
        mean.cycles += p->path[i].share * c.cycles;
        insts += p->path[i].share * p->path[i].insts;
        for (unsigned b = 0; b < PREDICT_BOUND_COUNT; b++)
            mean.part[b] += p->path[i].share * c.part[b];
    }
    /* The sampled blocks stand for all. */
    const double scale = insts > 0 && p->indexed ? (double)p->counts.warp_insts /
                                                       (insts * p->warps * (double)p->blocks)
                                                 : 1;
    mean.cycles *= scale * p->slowest;
    for (unsigned b = 0; b < PREDICT_BOUND_COUNT; b++)
        mean.part[b] *= scale;
    return mean;
}

rb_code_t predict_launch(const predict_profile_t *p, const gpu_spec_t *spec,
                         const predict_traffic_t *traffic, bool cold, predicted_t *out,
                         rb_err_t *err)
{
    occupancy_t o;
    RB_TRY(occupancy_compute(spec, &p->info, &o, err));
    *out = (predicted_t){.traffic = traffic != NULL ? *traffic : predict_assume(p, spec)};
    alone_t a = alone_on(spec, &out->traffic);
    a.control = p->n_paths > 0 && p->path[0].n > 0 &&
                p->path[0].step[0].first->flags & INST_CONTROL_WORD &&
                spec->sm.sm.dependences != DEPS_SCOREBOARD;
    const warp_cost_t warp = mean_cost(&a, p);
    const double sms = spec->sm.sm.count, slots = sms * o.blocks_per_sm;
    const wave_t wave = wave_model(p->lengths, p->blocks, (uint64_t)sms, o.blocks_per_sm);
    const sched_spec_t *sched = &spec->sched;
    const double turn = sched->dispatch_latency + sched->completion_latency +
                        spec->sm.sm.block_start_latency;
    out->waves = (double)p->blocks / slots;
    for (unsigned b = PREDICT_ISSUE; b <= PREDICT_L1; b++) {
        const double warps = wave.busiest * p->warps;
        const double each = is_sub_core((predict_bound_t)b)
                                ? fmax(warps / spec->sm.sm.sub_cores, 1)
                                : warps;
        out->part[b] = warp.part[b] * each;
    }
    chip_parts(spec, &out->traffic, sms, wave.busiest * sms / (double)p->blocks, out);
    out->part[PREDICT_LAUNCH] = spec->gpu.launch_latency;
    out->part[PREDICT_LATENCY] = wave.longest * (warp.cycles + turn) + cold_code(&a, p, cold) +
                                 fmin(slots, (double)p->blocks) * sched->dispatch_interval;
    double sum = 0;
    for (unsigned b = PREDICT_LATENCY; b < PREDICT_BOUND_COUNT; b++)
        sum += pow(out->part[b], NORM);
    out->cycles = out->part[PREDICT_LAUNCH] + pow(sum, 1 / NORM);
    for (unsigned b = 0; b < PREDICT_BOUND_COUNT; b++)
        out->bound = out->part[b] > out->part[out->bound] ? (predict_bound_t)b : out->bound;
    out->doubts = doubts_of(p, out);
    return RB_OK;
}
