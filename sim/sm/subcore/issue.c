/*
 * Issue: each sub-core picks one ready warp a cycle whose pipe is free, by its scheduling policy.
 *
 * Ready warps of a sub-core are bits of one mask per pipe. Charging is lazy: between two visits the
 * ready sets and pipes do not change, so every ready warp waited for its busy pipe the whole time.
 */
#include "sim/sm/sm_internal.h"
#include "sim/sm/subcore/scheduler_state.h"

static uint64_t *counter_of(sm_t *sm, const uint64_t *first, unsigned n)
{
    uint64_t *all = (uint64_t *)&sm->stats;
    return all + (first - all) + n;
}

static sm_state_t throttle_state(unsigned pipe)
{
    switch (pipe) {
    case PIPE_LG:
        return STATE_LG_THROTTLE;
    case PIPE_MIO:
    case PIPE_CONST:
        return STATE_MIO_THROTTLE;
    case PIPE_TEX:
        return STATE_TEX_THROTTLE;
    default:
        return STATE_MATH_PIPE_THROTTLE;
    }
}

/* n warps waited for a pipe during [from, to). */
static void charge_blocked(sm_t *sm, const sub_core_t *sub, unsigned pipe, cycle_t from, cycle_t to)
{
    uint64_t *state = (uint64_t *)&sm->stats;
    uint64_t warps = (uint64_t)__builtin_popcount(sub->ready[pipe]);
    /* From free_base on only a register-file conflict keeps the pipe busy. */
    cycle_t split = cycle_max(from, cycle_min(to, sub->free_base[pipe]));
    state[throttle_state(pipe)] += warps * (split - from);
    state[STATE_DISPATCH_STALL] += warps * (to - split);
}

void issue_charge(sm_t *sm, sub_core_t *sub, cycle_t now)
{
    if (now <= sub->charged)
        return;
    for (uint32_t pipes = sub->ready_pipes; pipes != 0; pipes &= pipes - 1)
        charge_blocked(sm, sub, (unsigned)__builtin_ctz(pipes), sub->charged, now);
    sub->charged = now;
}

#define PICK_(NAME, name, help)                                                                    \
    case SCHEDULER_##NAME:                                                                         \
        return scheduler_##name##_pick(spec, sub, eligible);

/* The warp that the sub-core's policy issues, of those that could. */
static inline uint32_t pick_warp(const sm_spec_t *spec, sub_core_t *sub, uint32_t eligible)
{
    switch ((scheduler_policy_t)spec->scheduler) {
        SCHEDULER_POLICIES(PICK_)
    }
    return 0; /* not reached: settings are words of the list */
}

static uint64_t *flops_of(sm_stats_t *st, unsigned group)
{
    switch (group) {
    case MIX_FP32:
        return &st->flops_fp32;
    case MIX_FP64:
        return &st->flops_fp64;
    case MIX_TENSOR:
        return &st->flops_tensor;
    default:
        return &st->flops_fp16;
    }
}

static void count_issue(sm_t *sm, const inst_t *inst, uint32_t mask)
{
    sm_stats_t *st = &sm->stats;
    uint32_t lanes = (uint32_t)__builtin_popcount(mask);
    st->warp_insts++;
    st->thread_insts += lanes;
    st->pred_off_insts += mask == 0;
    unsigned group = sm->cls[inst->cls].group;
    (*counter_of(sm, &st->mix_fp16, group))++;
    /* Without a register as source it only moves a constant: HFMA2.MMA R0, -RZ, RZ, 1, 0. */
    if (inst->flops != 0 && inst->n_src != 0)
        *flops_of(st, group) += (uint64_t)inst->flops * lanes;
}

/* The registers that an instruction reads from one bank, where most are. */
static uint32_t most_bank_reads(const inst_t *inst, uint32_t banks)
{
    const uint8_t *reads = inst->bank_reads; /* by number modulo 4 */
    if (banks == 2) {
        uint32_t even = (uint32_t)reads[0] + reads[2], odd = (uint32_t)reads[1] + reads[3];
        return even > odd ? even : odd;
    }
    uint32_t most = 0;
    for (uint32_t b = 0; b < banks; b++) {
        uint32_t sum = 0;
        for (uint32_t r = b; r < 4; r += banks)
            sum += reads[r];
        if (sum > most)
            most = sum;
    }
    return most;
}

/*
 * Cycles that reading the operands takes beyond the pipe's interval. A bank serves rf_bank_reads
 * registers in the two cycles that a 32-bit instruction takes to dispatch, and accordingly more
 * while a wider one dispatches (a pair is read over as many passes as it has words). Tensor
 * operands are always aligned pairs or quads, and HMMA runs at its full rate with them (Accel-Sim's
 * tuner on a TITAN V: 509 of 512 FMA per cycle and SM).
 */
static uint32_t register_conflict(const sm_spec_t *spec, const inst_t *inst, uint32_t interval)
{
    if (inst->flags & INST_TENSOR)
        return 0;
    uint32_t most = most_bank_reads(inst, spec->rf_banks);
    uint32_t window = interval < 2 ? 2 : interval;
    if (2 * most <= window * spec->rf_bank_reads)
        return 0;
    return (2 * most + spec->rf_bank_reads - 1) / spec->rf_bank_reads - window;
}

/* Cycles that the tensor cores take for a warp's multiply-adds, of which a thread's share counts
 * two operations. */
static uint32_t hmma_interval(const sm_spec_t *spec, const inst_t *inst)
{
    uint32_t fma = inst->flops * (uint32_t)WARP_LANES / 2;
    return fma == 0 ? spec->tensor_interval : (fma + spec->tensor_fma - 1) / spec->tensor_fma;
}

/* Cycles that an instruction of a class that varies occupies its pipe: an HMMA by its size, an IMAD
 * with a result of 64 bits for several passes. */
static uint32_t varying_interval(const sm_t *sm, const inst_t *inst)
{
    const sm_spec_t *spec = &sm->config->sm;
    if (inst->cls == OP_HMMA)
        return hmma_interval(spec, inst);
    bool wide = inst->n_dst > 0 && inst->dst[0].file == REG_GPR && inst->dst[0].count == 2;
    return sm->cls[inst->cls].interval * (wide ? spec->imad_wide_passes : 1);
}

/* The pipes that share the instruction's dispatch port are busy. */
static inline void occupy_pipes(sm_t *sm, sub_core_t *sub, const inst_t *inst, uint32_t conflict,
                                cycle_t now)
{
    uint32_t interval =
        sm->cls[inst->cls].varies ? varying_interval(sm, inst) : sm->cls[inst->cls].interval;
    for (uint32_t pipes = sm->cls[inst->cls].port_pipes; pipes != 0; pipes &= pipes - 1) {
        unsigned p = (unsigned)__builtin_ctz(pipes);
        sub->free_base[p] = now + interval;
        sub->free_at[p] = now + interval + conflict;
    }
}

/* The SM has one FP64 unit: it is busy for every sub-core. */
static void occupy_shared_fp64(sm_t *sm, const sub_core_t *from, cycle_t now)
{
    for (uint32_t s = 0; s < sm->n_sub_cores; s++) {
        sub_core_t *sub = &sm->sub[s];
        if (sub == from)
            continue;
        issue_charge(sm, sub, now);
        sub->free_base[PIPE_FP64] = from->free_base[PIPE_FP64];
        sub->free_at[PIPE_FP64] = from->free_at[PIPE_FP64];
    }
}

static bool goes_through_queue(const inst_t *inst)
{
    switch (inst->cls) {
    case OP_LOAD_LG:
    case OP_STORE_LG:
    case OP_ATOM_LG:
    case OP_LOAD_SH:
    case OP_STORE_SH:
    case OP_ATOM_SH:
    case OP_S2R:
    case OP_SHFL:
    case OP_MATCH:
    case OP_TEX:
        return true;
    default:
        return false;
    }
}

/* When the results of what does not go through the memory queue are ready. */
static inline cycle_t fixed_result(sm_t *sm, uint32_t w, const inst_t *inst, uint32_t conflict,
                                   cycle_t now)
{
    if (inst->cls == OP_LDC)
        return now + const_read(sm, &sm->warp[w], inst, true);
    return now + sm->cls[inst->cls].latency + conflict;
}

/* The addresses of warp's next instruction, NULL if it has none; moves behind them. */
static inline const uint64_t *take_addresses(warp_t *warp)
{
    const inst_t *inst = warp->inst;
    const uint64_t *addr = NULL;
    if (inst->space != MEM_NONE && inst->width != 0 && warp->mask != 0) {
        addr = warp->addr;
        warp->addr += addr_words(addr);
    }
    return addr;
}

static inline void occupy(sm_t *sm, sub_core_t *sub, const inst_t *inst, uint32_t conflict,
                          cycle_t now)
{
    occupy_pipes(sm, sub, inst, conflict, now);
    if (sm->config->sm.fp64_shared && sm->cls[inst->cls].pipe == PIPE_FP64)
        occupy_shared_fp64(sm, sub, now);
}

static void execute(sm_t *sm, uint32_t sub_core, uint32_t w, cycle_t now)
{
    const sm_spec_t *spec = &sm->config->sm;
    sub_core_t *sub = &sm->sub[sub_core];
    warp_t *warp = &sm->warp[w];
    const inst_t *inst = warp->inst;
    uint32_t mask = warp->mask;
    const uint64_t *addr = take_addresses(warp);
    if (spec->ideal) {
        depend_set(sm, w, inst, now + 1, DEP_FIXED);
        return;
    }
    uint32_t conflict = register_conflict(spec, inst, sm->cls[inst->cls].interval);
    occupy(sm, sub, inst, conflict, now);
    if (goes_through_queue(inst) && mask != 0) {
        lsu_enqueue(sm, w, inst, mask, addr, now);
        return;
    }
    cycle_t result = fixed_result(sm, w, inst, conflict, now);
    depend_set(sm, w, inst, result, (dep_kind_t)sm->cls[inst->cls].dep_kind);
    if (inst->flags & INST_PRED_WRITE)
        warp->pred_ready = now + spec->predicate_latency;
}

/* The same for a warp with control words; returns when the results are ready, CYCLE_NEVER: later to
 * be known. */
static cycle_t execute_controlled(sm_t *sm, uint32_t sub_core, uint32_t w, cycle_t now)
{
    sub_core_t *sub = &sm->sub[sub_core];
    warp_t *warp = &sm->warp[w];
    const inst_t *inst = warp->inst;
    const uint64_t *addr = take_addresses(warp);
    if (sm->check != NULL)
        control_check_issue(sm, w, inst, warp->mask);
    uint32_t conflict = operands_allocate(sm, sub, w, inst, now);
    occupy(sm, sub, inst, conflict, now);
    if (!goes_through_queue(inst) || warp->mask == 0) {
        cycle_t result = fixed_result(sm, w, inst, conflict, now);
        if (sm->cls[inst->cls].through_allocate && warp->mask != 0)
            results_fixed(sm, sub, inst, result, now);
        return result;
    }
    lsu_enqueue(sm, w, inst, warp->mask, addr, now);
    return CYCLE_NEVER;
}

/* Warp w has issued inst: on to the next one. */
static inline void go_on(sm_t *sm, uint32_t w, const inst_t *inst, uint32_t mask, cycle_t now)
{
    if (!warp_advance(sm, w, now))
        block_warp_end(sm, w, now);
    else if (inst->flags & INST_BARRIER && !(inst->flags & INST_BAR_ARRIVE) && mask != 0)
        block_barrier_arrive(sm, w, inst->flags & INST_IMM ? (unsigned)inst->imm : 0, now);
    else if (inst->flags & INST_MEMBAR && mask != 0)
        block_membar(sm, w, inst, now);
    else
        warp_schedule(sm, w, now);
}

/* What execute() and go_on() are to a warp with control words. */
static void issue_controlled(sm_t *sm, uint32_t sub_core, uint32_t w, cycle_t now)
{
    const inst_t *inst = sm->warp[w].inst;
    uint32_t mask = sm->warp[w].mask;
    cycle_t result = execute_controlled(sm, sub_core, w, now);
    if (sm->recorded != 0)
        record_issue(sm, w, inst, now);
    /* Counters count up a cycle after issue: what issues in the next cycle does not see it. */
    cycle_t gap = control_gap(sm, inst->ctl);
    bool unseen = gap == 1;
    sm->warp[w].stalled_until = now + gap;
    if (!unseen)
        control_count(sm, w, inst, result, now);
    go_on(sm, w, inst, mask, now);
    if (unseen)
        control_count(sm, w, inst, result, now);
}

static void issue_warp(sm_t *sm, uint32_t sub_core, uint32_t w, cycle_t now)
{
    warp_t *warp = &sm->warp[w];
    const inst_t *inst = warp->inst;
    uint32_t mask = warp->mask;
    count_issue(sm, inst, mask);
    sm->block[warp->block].thread_insts += (uint32_t)__builtin_popcount(mask);
    if (warp->control) {
        issue_controlled(sm, sub_core, w, now);
        return;
    }
    if (sm->recorded != 0)
        record_issue(sm, w, inst, now);
    execute(sm, sub_core, w, now);
    go_on(sm, w, inst, mask, now);
}

/* One cycle of a sub-core with ready warps; the next cycle worth a visit. */
static cycle_t issue_sub_core(sm_t *sm, uint32_t sub_core, cycle_t now)
{
    sub_core_t *sub = &sm->sub[sub_core];
    uint64_t *state = (uint64_t *)&sm->stats;
    uint32_t eligible = 0, busy = 0;
    cycle_t soonest = CYCLE_NEVER;
    if (sub->issue_free > now)
        return sub->issue_free;
    for (uint32_t pipes = sub->ready_pipes; pipes != 0; pipes &= pipes - 1) {
        unsigned p = (unsigned)__builtin_ctz(pipes);
        if (sub->free_at[p] <= now) {
            eligible |= sub->ready[p];
        } else {
            busy |= UINT32_C(1) << p;
            soonest = cycle_min(soonest, sub->free_at[p]);
        }
    }
    if (eligible == 0)
        return soonest;
    issue_charge(sm, sub, now);
    for (; busy != 0; busy &= busy - 1)
        charge_blocked(sm, sub, (unsigned)__builtin_ctz(busy), now, now + 1);
    state[STATE_SELECTED]++;
    state[STATE_NOT_SELECTED] += (uint64_t)__builtin_popcount(eligible) - 1;
    sub->charged = now + 1;

    uint32_t bit = pick_warp(&sm->config->sm, sub, eligible);
    uint32_t w = bit * sm->n_sub_cores + sub_core;
    unsigned pipe = sm->cls[sm->warp[w].inst->cls].pipe;
    sub->last = bit;
    sub->ready[pipe] &= ~(UINT32_C(1) << bit);
    if (sub->ready[pipe] == 0)
        sub->ready_pipes &= ~(UINT32_C(1) << pipe);
    sub->pending &= ~(UINT32_C(1) << bit);
    sm->warp[w].ready = false;
    issue_warp(sm, sub_core, w, now);
    return sub->pending != 0 ? now + 1 : CYCLE_NEVER;
}

cycle_t issue_step(sm_t *sm, cycle_t now)
{
    cycle_t next = CYCLE_NEVER;
    sm->issue_next = CYCLE_NEVER;
    /* What sub-cores share goes to each of them in turn. */
    uint32_t s = (uint32_t)divider_rest(&sm->by_sub_cores, now);
    for (uint32_t i = 0; i < sm->n_sub_cores; i++) {
        sm->issuing = (int32_t)s;
        if (sm->sub[s].pending != 0)
            next = cycle_min(next, issue_sub_core(sm, s, now));
        s = s + 1 == sm->n_sub_cores ? 0 : s + 1;
    }
    sm->issuing = NOT_ISSUING;
    sm->issue_next = cycle_min(sm->issue_next, next);
    return sm->issue_next;
}

/* Interval of a pipe that lanes threads of a warp enter per cycle. */
static uint32_t lanes_interval(uint32_t lanes)
{
    return (WARP_LANES + lanes - 1) / lanes;
}

uint32_t sm_fixed_latency(const lat_spec_t *lat, op_class_t cls)
{
    switch (cls) {
    case OP_FP32:
        return lat->fp32;
    case OP_FP32_CMP:
        return lat->fp32_cmp;
    case OP_FP32_SETP:
        return lat->fp32_setp;
    case OP_IMAD:
        return lat->imad;
    case OP_INT:
        return lat->integer;
    case OP_MOVE:
        return lat->move;
    case OP_POPC:
        return lat->popc;
    case OP_BITFIND:
        return lat->bitfind;
    case OP_MUFU:
        return lat->mufu;
    case OP_CONV:
        return lat->conv;
    case OP_FP16:
        return lat->fp16;
    case OP_FP64:
        return lat->fp64;
    case OP_FP64_FMA:
        return lat->fp64_fma;
    case OP_FP64_CMP:
        return lat->fp64_cmp;
    case OP_CONV64:
        return lat->conv64;
    case OP_PRED:
        return lat->pred;
    case OP_UNIFORM:
        return lat->uniform;
    case OP_HMMA:
        return lat->hmma;
    case OP_IMMA:
        return lat->imma;
    case OP_S2R:
        return lat->s2r;
    case OP_CS2R:
        return lat->cs2r;
    case OP_SHFL:
        return lat->shfl;
    case OP_MATCH:
        return lat->match;
    case OP_TEX:
        return lat->tex;
    case OP_UNKNOWN:
        return lat->unknown;
    default: /* no result, or a latency of its own (memory, LDC) */
        return 1;
    }
}

static uint32_t pipe_interval(const sm_spec_t *spec, pipe_t pipe)
{
    switch (pipe) {
    case PIPE_FMA:
        return lanes_interval(spec->fp32_lanes);
    case PIPE_ALU:
        return lanes_interval(spec->int_lanes);
    case PIPE_FP16:
        return lanes_interval(spec->fp16_lanes);
    case PIPE_FP64:
        return lanes_interval(spec->fp64_lanes);
    case PIPE_XU:
        return lanes_interval(spec->xu_lanes);
    case PIPE_TENSOR:
        return spec->tensor_interval;
    case PIPE_UNIFORM:
        return spec->uniform_interval;
    case PIPE_CBU:
        return spec->branch_interval;
    default:
        return 0; /* no pipe of its own, or throttled by the memory queue */
    }
}

void issue_init(sm_t *sm)
{
    const sm_spec_t *spec = &sm->config->sm;
    const uint32_t fp_port = 1u << PIPE_FP16 | 1u << PIPE_FP64 | 1u << PIPE_TENSOR;
    for (unsigned c = 0; c < OP_CLASS_COUNT; c++) {
        pipe_t pipe = isa_class_pipe((op_class_t)c);
        sm->cls[c].pipe = (uint8_t)pipe;
        sm->cls[c].group = (uint8_t)isa_class_group((op_class_t)c);
        sm->cls[c].latency = sm_fixed_latency(&sm->config->lat, (op_class_t)c);
        sm->cls[c].interval = pipe_interval(spec, pipe);
        sm->cls[c].port_pipes = sm->cls[c].interval == 0 ? 0 : 1u << pipe;
        /* A shared FP64 unit hangs behind the MIO, not at the port of FP16 and tensor. */
        bool on_port = fp_port >> pipe & 1 && !(pipe == PIPE_FP64 && spec->fp64_shared);
        if (spec->fp_port_shared && on_port) {
            sm->cls[c].port_pipes = fp_port;
            if (spec->fp64_shared)
                sm->cls[c].port_pipes &= ~(1u << PIPE_FP64);
        }
        bool through_mio = pipe == PIPE_XU || pipe == PIPE_MIO || pipe == PIPE_CONST ||
                           (pipe == PIPE_FP64 && spec->fp64_shared);
        bool through_l1tex = pipe == PIPE_LG || pipe == PIPE_TEX;
        sm->cls[c].dep_kind = through_l1tex ? DEP_LONG : through_mio ? DEP_SHORT : DEP_FIXED;
        sm->cls[c].through_allocate = !through_mio && !through_l1tex;
        sm->cls[c].varies = c == OP_HMMA || c == OP_IMAD;
    }
}
