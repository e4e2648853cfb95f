#include "sampling/predict/block_model.h"

#include <math.h>
#include <string.h>

#include "sampling/predict/interval_model.h"
#include "sim/core/mix64.h"
#include "sim/sm/memory/coalesce.h"

/* With measured hit rates, of all paths together. */
enum { WALKS = 8 };

/* --- latencies -------------------------------------------------------------------------------- */

/* The share of instructions with n accesses of which one misses or more. */
static double any_miss(double hit, double n)
{
    return 1 - pow(hit, n > 1 ? n : 1);
}

/* The shares depend on the class only. */
static void set_misses(alone_t *a, op_class_t cls)
{
    a->to_l2[cls] = any_miss(a->traffic->l1_hit - a->traffic->l1_late, a->traffic->lines[cls]);
    a->to_dram[cls] = any_miss(a->traffic->l2_hit, a->traffic->lines[cls]);
}

alone_t alone_on(const gpu_spec_t *spec, const predict_traffic_t *traffic, double warps,
                 bool control, bool measured)
{
    const sm_config_t *sm = &spec->sm;
    const mem_config_t *m = &spec->mem;
    const interval_latencies_t unloaded = interval_unloaded(spec);
    const double dram =
        m->l2.perfect ? 0
                      : m->dram.latency +
                            (m->dram.perfect ? 0 : dram_ticks(spec) * (m->dram.tRCD + m->dram.tCL));
    const double far = m->icnt.distance / 2.0 + (m->l2.halves > 1 ? m->l2.far_latency / 2.0 : 0);
    alone_t a = {
        .spec = spec, .traffic = traffic, .l1 = sm->l1.latency, .warps = warps, .control = control};
    a.measured = measured;
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

/*
 * From 0 to 1: the numbers of one instruction, round by round, are evenly spread (multiples of the golden section;
 * Knuth, The Art of Computer Programming 3, 6.4), those of different instructions are independent.
 */
static double number_of(const alone_t *a, const inst_t *inst)
{
    const double at = (double)(mix64(inst->pc) >> 11) * 0x1p-53 + a->round * 0.6180339887498949;
    return at - floor(at);
}

/* Each load is drawn: a warp that waits for several waits for the slowest, which takes longer than the mean one. */
static double load_latency(const alone_t *a, const inst_t *inst)
{
    const sm_spec_t *sm = &a->spec->sm.sm;
    const double sectors = a->traffic->sectors[inst->cls], to_dram = a->to_dram[inst->cls];
    const double to_l2 = inst->flags & INST_BYPASS_L1 ? 1 : a->to_l2[inst->cls];
    const double wide = inst->width > 4 ? (inst->width / 4.0 - 1) * 128.0 / sm->return_bytes : 0;
    const double many = fmax(a->traffic->passes[inst->cls] - 1, 0) +
                        to_l2 * fmax(sectors - 1, 0) / a->spec->mem.icnt.sm_flits;
    const double u = number_of(a, inst);
    const double from = u >= to_l2 ? a->l1 : u >= to_l2 * to_dram ? a->l2 : a->dram;
    /* A warp that is n lines ahead of itself waits for one of n + 1 at a time. */
    const double ahead = a->spec->sm.l1.prefetch_lines;
    return from * (1 - a->traffic->ahead * ahead / (ahead + 1)) + wide + many;
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

/* Cycles of passes through the banks (pass_time()), if all lanes are active. */
static double pass_cycles(double passes, uint32_t each)
{
    enum { LANES = 32 };
    return fmin(passes * each, fmax(passes, LANES));
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
        return fmax(pass_cycles(passes, sm->shared.pass_cycles), inst->width / 4.0);
    case OP_ATOM_SH:
        return passes + sm->shared.atomic_pass * fmax(t->conflict[inst->cls] - 1, 0);
    case OP_LOAD_LG:
    case OP_STORE_LG:
    case OP_ATOM_LG: {
        const double data = pass_cycles(passes, sm->l1.pass_cycles);
        const double busy = fmax(data, t->lines[inst->cls] / sm->l1.tags_per_cycle);
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

double bounds_norm(const double *part, unsigned first, unsigned end)
{
    double sum = 0;
    for (unsigned b = first; b < end; b++) {
        const double square = part[b] * part[b];
        sum += square * square;
    }
    return sqrt(sqrt(sum));
}

double station_time(const alone_t *a, unsigned b, double part, double warps)
{
    const double each =
        bound_is_sub_core(b) ? fmax(ceil(warps) / a->spec->sm.sm.sub_cores, 1) : warps;
    return part * each;
}

double with_others(double part, double n)
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
                        bound_is_sub_core(b) ? w->fellows / a->spec->sm.sm.sub_cores : w->fellows);
    w->block += bounds_norm(part, PREDICT_LATENCY, PREDICT_L1 + 1);
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

/* Where a warp was after a round. */
typedef struct {
    double next, began, block;
    demand_t taken;
} round_t;

/* What came after `before` comes `more` times again. The warp's times stay as they are: their origin moves. */
static void repeat_round(walker_t *w, const round_t *before, double more)
{
    const double later = more * (w->warp.next - before->next);
    const bool closed = w->began > before->began; /* it has a barrier */
    for (unsigned b = 0; b < PREDICT_BOUND_COUNT; b++) {
        const double taken = more * (w->taken.part[b] - before->taken.part[b]);
        w->taken.part[b] += taken;
        w->at_barrier.part[b] += closed ? taken : 0;
    }
    if (closed)
        w->block += more * (w->block - before->block);
    else
        w->began -= later;
}

/* n steps that are executed equally often. */
static void issue_loop(alone_t *a, walker_t *w, const path_step_t *step, size_t n, double walk)
{
    const double times = step[0].times, most = a->measured ? 3 : 17, rounds = fmin(times, most);
    round_t before = {0};
    for (unsigned round = 0; round < rounds; round++) {
        if (round == 1)
            before = (round_t){w->warp.next, w->began, w->block, w->taken};
        a->round = walk * rounds + round;
        for (size_t i = 0; i < n; i++)
            issue_step(a, w, &step[i], i + 1 == n && times > 1);
    }
    if (times > most)
        repeat_round(w, &before, (times - most) / (most - 1));
}

/* Cycles of the block with this walk's draws. *taken is the same for every walk: no latency is in it. */
static double walk_path(alone_t *a, const warp_path_t *path, double fellows, double walk,
                        demand_t *taken)
{
    walker_t w;
    memset(&w, 0, sizeof(w));
    w.fellows = fmax(fellows, 1);
    for (size_t i = 0, end; i < path->n; i = end) {
        for (end = i + 1; end < path->n && path->step[end].times == path->step[i].times;)
            end++;
        issue_loop(a, &w, &path->step[i], end - i, walk);
    }
    close_phase(a, &w, fmax(w.warp.done, w.warp.next));
    *taken = w.taken;
    return w.block;
}

block_cost_t block_cost(alone_t *a, const warp_path_t *path, double fellows)
{
    block_cost_t cost = {0};
    const double part = path->share > 0 ? ceil(WALKS * path->share) : WALKS;
    const double walks = a->measured ? fmin(part, WALKS) : 1;
    double insts = 0;
    for (unsigned walk = 0; walk < walks; walk++)
        cost.cycles +=
            walk_path(a, path, fellows, a->measured ? a->next_walk++ : 0, &cost.warp) / walks;
    for (size_t i = 0; i < path->n; i++)
        insts += path->step[i].times * path->step[i].known;
    const double scale =
        insts > 0 ? path->insts / insts : 1; /* instructions whose code is unknown */
    cost.cycles *= scale;
    for (unsigned b = 0; b < PREDICT_BOUND_COUNT; b++)
        cost.warp.part[b] *= scale;
    return cost;
}
