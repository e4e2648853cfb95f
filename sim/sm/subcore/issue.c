/*
 * Issue: in each cycle, each sub-core issues one ready warp whose pipe is free, chosen by the
 * scheduler.
 */
#include "sim/sm/subcore/scheduler_state.h"
#include "sim/sm/subcore/subcore_parts.h"

static uint64_t *counter_of(sm_t *sm, const uint64_t *first, unsigned n)
{
    uint64_t *all = (uint64_t *)&sm->stats;
    return all + (first - all) + n;
}

#define PICK_(NAME, name, values, help)                                                            \
    case SCHEDULER_##NAME:                                                                         \
        return scheduler_##name##_pick(spec, sub, eligible);

/* The eligible warp that the configured scheduler picks. */
static inline uint32_t pick_warp(const sm_spec_t *spec, sub_core_t *sub, uint32_t eligible)
{
    switch ((scheduler_policy_t)spec->scheduler) {
        SCHEDULER_POLICIES(PICK_)
    }
    return 0; /* not reached: the configuration allows only names of the list */
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
    /* Without a source register it only moves a constant: HFMA2.MMA R0, -RZ, RZ, 1, 0. */
    if (inst->flops != 0 && inst->n_src != 0)
        *flops_of(st, group) += (uint64_t)inst->flops * lanes;
}

/* Occupies the pipes that share the instruction's dispatch port. */
static inline void occupy_pipes(sm_t *sm, sub_core_t *sub, const inst_t *inst, uint32_t conflict,
                                cycle_t now)
{
    uint32_t interval =
        sm->cls[inst->cls].varies ? pipes_varying_interval(sm, inst) : sm->cls[inst->cls].interval;
    for (uint32_t pipes = sm->cls[inst->cls].port_pipes; pipes != 0; pipes &= pipes - 1) {
        unsigned p = (unsigned)__builtin_ctz(pipes);
        sub->free_base[p] = now + interval;
        sub->free_at[p] = now + interval + conflict;
    }
}

/* The SM has only one FP64 unit: it is busy for every sub-core. */
static void occupy_shared_fp64(sm_t *sm, const sub_core_t *from, cycle_t now)
{
    for (uint32_t s = 0; s < sm->n_sub_cores; s++) {
        sub_core_t *sub = &sm->subcore.sub[s];
        if (sub == from)
            continue;
        ready_charge(sm, sub, now);
        sub->free_base[PIPE_FP64] = from->free_base[PIPE_FP64];
        sub->free_at[PIPE_FP64] = from->free_at[PIPE_FP64];
    }
}

static inline void occupy(sm_t *sm, sub_core_t *sub, const inst_t *inst, uint32_t conflict,
                          cycle_t now)
{
    occupy_pipes(sm, sub, inst, conflict, now);
    if (sm->config->sm.fp64_shared && sm->cls[inst->cls].pipe == PIPE_FP64)
        occupy_shared_fp64(sm, sub, now);
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

/* When the result of an instruction that bypasses the memory queue is ready. */
static inline cycle_t fixed_result(sm_t *sm, uint32_t s, uint32_t w, const inst_t *inst,
                                   uint32_t conflict, cycle_t now)
{
    if (inst->cls == OP_LDC)
        return now + supply_constant(sm, s, w, inst, true);
    return now + sm->cls[inst->cls].latency + conflict;
}

/* The address record of the warp's next instruction, NULL if it has none; advances behind it. */
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

/* Passes an instruction to the memory side; the pipes that end in the memory queue wait for
 * room. */
static void hand_over(sm_t *sm, uint32_t sub_core, uint32_t w, const inst_t *inst, uint32_t mask,
                      const uint64_t *addr, cycle_t now)
{
    cycle_t free_at = memory_take(sm, sub_core, w, inst, mask, addr, now);
    if (free_at != 0)
        ready_queue_free(&sm->subcore.sub[sub_core], free_at);
}

static void execute(sm_t *sm, uint32_t sub_core, uint32_t w, cycle_t now)
{
    const sm_spec_t *spec = &sm->config->sm;
    sub_core_t *sub = &sm->subcore.sub[sub_core];
    warp_t *warp = &sm->subcore.warp[w];
    const inst_t *inst = warp->inst;
    uint32_t mask = warp->mask;
    const uint64_t *addr = take_addresses(warp);
    if (spec->ideal) {
        depend_set(sm, w, inst, now + 1, DEP_FIXED);
        return;
    }
    uint32_t conflict = pipes_conflict(spec, inst, sm->cls[inst->cls].interval);
    occupy(sm, sub, inst, conflict, now);
    if (goes_through_queue(inst) && mask != 0) {
        hand_over(sm, sub_core, w, inst, mask, addr, now);
        depend_set_pending(sm, w, inst, inst_dep_kind(sm, inst));
        depend_hold(sm, w, inst, inst_dep_kind(sm, inst));
        return;
    }
    cycle_t result = fixed_result(sm, sub_core, w, inst, conflict, now);
    depend_set(sm, w, inst, result, inst_dep_kind(sm, inst));
    if (inst->flags & INST_PRED_WRITE)
        warp->pred_ready = now + spec->predicate_latency;
}

/* execute() for a warp with control words. Returns when the result is ready; CYCLE_NEVER: not known
 * yet. */
static cycle_t execute_controlled(sm_t *sm, uint32_t sub_core, uint32_t w, cycle_t now)
{
    sub_core_t *sub = &sm->subcore.sub[sub_core];
    warp_t *warp = &sm->subcore.warp[w];
    const inst_t *inst = warp->inst;
    const uint64_t *addr = take_addresses(warp);
    if (sm->subcore.check != NULL)
        control_check_issue(sm, w, inst, warp->mask);
    uint32_t conflict = operands_allocate(sm, sub, w, inst, now);
    occupy(sm, sub, inst, conflict, now);
    if (!goes_through_queue(inst) || warp->mask == 0) {
        cycle_t result = fixed_result(sm, sub_core, w, inst, conflict, now);
        if (sm->cls[inst->cls].through_allocate && warp->mask != 0)
            results_fixed(sm, sub, inst, result, now);
        return result;
    }
    hand_over(sm, sub_core, w, inst, warp->mask, addr, now);
    return CYCLE_NEVER;
}

/* Warp w has issued inst: continues with its next instruction. */
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

/* Makes records for samplers. With control words after execution, because operands may be read
 * late. */
static void note_issue(sm_t *sm, uint32_t w, const inst_t *inst, uint32_t mask, cycle_t now)
{
    if (recorded(sm, RETIRED_BASIC_BLOCK))
        record_issue(sm, w, inst, now);
    /* An S2R goes through the memory queue and reads the counter when it is executed. */
    bool at_issue = inst->cls == OP_CS2R || sm->config->sm.ideal;
    if (recorded(sm, RETIRED_CLOCK) && inst->flags & INST_CLOCK && at_issue && mask != 0)
        record_clock(sm, w, inst, sm->subcore.warp[w].control ? operands_read_at(sm, w) : now);
}

/* Issue of a warp with control words. */
static void issue_controlled(sm_t *sm, uint32_t sub_core, uint32_t w, cycle_t now)
{
    const inst_t *inst = sm->subcore.warp[w].inst;
    uint32_t mask = sm->subcore.warp[w].mask;
    cycle_t result = execute_controlled(sm, sub_core, w, now);
    if (sm->recorded != 0)
        note_issue(sm, w, inst, mask, now);
    /* Counters are incremented a cycle after issue: an instruction in the next cycle does not see
     * it. */
    cycle_t gap = control_gap(sm, inst->ctl);
    bool unseen = gap == 1;
    sm->subcore.warp[w].stalled_until = now + gap;
    if (!unseen)
        control_count(sm, w, inst, result, now);
    go_on(sm, w, inst, mask, now);
    if (unseen)
        control_count(sm, w, inst, result, now);
}

static void issue_warp(sm_t *sm, uint32_t sub_core, uint32_t w, cycle_t now)
{
    warp_t *warp = &sm->subcore.warp[w];
    const inst_t *inst = warp->inst;
    uint32_t mask = warp->mask;
    count_issue(sm, inst, mask);
    if (warp->control) {
        issue_controlled(sm, sub_core, w, now);
        return;
    }
    if (sm->recorded != 0)
        note_issue(sm, w, inst, mask, now);
    execute(sm, sub_core, w, now);
    go_on(sm, w, inst, mask, now);
}

/* One cycle of a sub-core with ready warps. Returns the next cycle in which it may issue. */
static cycle_t issue_sub_core(sm_t *sm, uint32_t sub_core, cycle_t now)
{
    sub_core_t *sub = &sm->subcore.sub[sub_core];
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
    ready_charge(sm, sub, now);
    for (; busy != 0; busy &= busy - 1)
        ready_charge_pipe(sm, sub, (unsigned)__builtin_ctz(busy), now, now + 1);
    state[STATE_SELECTED]++;
    state[STATE_NOT_SELECTED] += (uint64_t)__builtin_popcount(eligible) - 1;
    sub->charged = now + 1;

    uint32_t bit = pick_warp(&sm->config->sm, sub, eligible);
    uint32_t w = bit * sm->n_sub_cores + sub_core;
    unsigned pipe = sm->cls[sm->subcore.warp[w].inst->cls].pipe;
    sub->last = bit;
    sub->ready[pipe] &= ~(UINT32_C(1) << bit);
    if (sub->ready[pipe] == 0)
        sub->ready_pipes &= ~(UINT32_C(1) << pipe);
    sub->pending &= ~(UINT32_C(1) << bit);
    sm->subcore.warp[w].ready = false;
    issue_warp(sm, sub_core, w, now);
    return sub->pending != 0 ? now + 1 : CYCLE_NEVER;
}

void issue_step(sm_t *sm, cycle_t now)
{
    cycle_t next = CYCLE_NEVER;
    sm->subcore.issue_next = CYCLE_NEVER;
    /* The sub-core that goes first rotates, so that shared units serve all of them. */
    uint32_t s = (uint32_t)divider_rest(&sm->by_sub_cores, now);
    for (uint32_t i = 0; i < sm->n_sub_cores; i++) {
        sm->subcore.issuing = (int32_t)s;
        if (sm->subcore.sub[s].pending != 0)
            next = cycle_min(next, issue_sub_core(sm, s, now));
        s = s + 1 == sm->n_sub_cores ? 0 : s + 1;
    }
    sm->subcore.issuing = NOT_ISSUING;
    sm->subcore.issue_next = cycle_min(sm->subcore.issue_next, next);
}
