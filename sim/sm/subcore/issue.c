/*
 * Issue: in each cycle, each sub-core issues one ready warp whose pipe is free, chosen by the
 * scheduler.
 */
#include "sim/sm/subcore/next_inst.h"
#include "sim/sm/subcore/scheduler_state.h"

/* A function of its own also for the compiler, so that its values stay in the host's registers. */
#define APART __attribute__((noinline))

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

static inline void count_issue(sm_t *sm, const warp_t *warp, const op_properties_t *cls)
{
    uint64_t *count = (uint64_t *)&sm->stats;
    const inst_t *inst = warp->inst;
    sm->stats.warp_insts++;
    sm->stats.thread_insts += warp->lanes;
    sm->stats.pred_off_insts += warp->mask == 0;
    count[cls->mix]++;
    /* Without a source register it only moves a constant: HFMA2.MMA R0, -RZ, RZ, 1, 0. */
    if (inst->flops != 0 && inst->n_src != 0)
        count[cls->flops] += (uint64_t)inst->flops * warp->lanes;
}

/* Occupies the other pipes that share the dispatch port of a pipe. */
static void occupy_others(sm_t *sm, sub_core_t *sub, unsigned number, uint32_t others, cycle_t now)
{
    for (; others != 0; others &= others - 1) {
        unsigned other = (unsigned)__builtin_ctz(others);
        if (sub->pipe[other].ready != 0)
            ready_charge_pipe(sm, sub, other, now + 1);
        sub->pipe[other].free_base = sub->pipe[number].free_base;
        sub->pipe[other].free_at = sub->pipe[number].free_at;
    }
}

/* The SM has only one FP64 unit: it is busy for every sub-core. */
static void occupy_shared_fp64(sm_t *sm, const sub_core_t *from, cycle_t now)
{
    for (uint32_t s = 0; s < sm->n_sub_cores; s++) {
        sub_core_t *sub = &sm->subcore.sub[s];
        if (sub == from)
            continue;
        ready_charge_pipe(sm, sub, PIPE_FP64, now);
        sub->pipe[PIPE_FP64].free_base = from->pipe[PIPE_FP64].free_base;
        sub->pipe[PIPE_FP64].free_at = from->pipe[PIPE_FP64].free_at;
    }
}

/* Occupies the instruction's pipe. */
static inline void occupy(sm_t *sm, sub_core_t *sub, const inst_t *inst, const op_properties_t *cls,
                          uint32_t conflict, cycle_t now)
{
    pipe_state_t *pipe = &sub->pipe[cls->pipe];
    if (cls->interval == 0)
        return;
    pipe->free_base = now + (cls->varies ? pipes_varying_interval(sm, inst) : cls->interval);
    pipe->free_at = pipe->free_base + conflict;
    if (cls->port_others != 0)
        occupy_others(sm, sub, cls->pipe, cls->port_others, now);
    if (cls->one_unit)
        occupy_shared_fp64(sm, sub, now);
}

/* When the result of an instruction that bypasses the memory queue is ready. */
static inline cycle_t fixed_result(sm_t *sm, const warp_t *warp, const op_properties_t *cls,
                                   uint32_t conflict, cycle_t now)
{
    if (warp->inst->cls == OP_LDC)
        return now + supply_constant(sm, warp->sub_core, warp->slot, warp->inst, true);
    return now + cls->latency + conflict;
}

/* The address record of the warp's next instruction, NULL if it has none; advances behind it. */
static inline const uint64_t *take_addresses(warp_t *warp)
{
    const uint64_t *addr = NULL;
    if (warp->inst->traits & INST_ADDRESSED && warp->mask != 0) {
        addr = warp->addr;
        warp->addr += addr_words(addr);
    }
    return addr;
}

/* Passes an instruction to the memory side; the pipes that end in the memory queue wait for
 * room. */
static void hand_over(sm_t *sm, const warp_t *warp, const uint64_t *addr, cycle_t now)
{
    cycle_t free_at =
        memory_take(sm, warp->sub_core, warp->slot, warp->inst, warp->mask, addr, now);
    if (free_at != 0)
        ready_queue_free(sm, warp->sub, free_at, now + 1);
}

/* Occupies the pipe of the next instruction of a warp without control words. Returns the cycles by
 * which reading its registers delays it. */
static inline uint32_t read_and_occupy(sm_t *sm, const warp_t *warp, const op_properties_t *cls,
                                       cycle_t now)
{
    const inst_t *inst = warp->inst;
    uint32_t conflict = 0;
    if (inst->most_reads[sm->subcore.last_bank] > cls->reads_free)
        conflict = pipes_conflict(&sm->config->sm, inst, cls->interval);
    occupy(sm, warp->sub, inst, cls, conflict, now);
    return conflict;
}

static void execute(sm_t *sm, warp_t *warp, const op_properties_t *cls, cycle_t now)
{
    const inst_t *inst = warp->inst;
    const dep_kind_t kind = (dep_kind_t)cls->dep_kind;
    const uint64_t *addr = take_addresses(warp);
    if (sm->config->sm.ideal) {
        depend_set(warp, inst, now + 1, DEP_FIXED);
        return;
    }
    uint32_t conflict = read_and_occupy(sm, warp, cls, now);
    if (cls->queued && warp->mask != 0) {
        hand_over(sm, warp, addr, now);
        depend_set_pending(sm, warp->slot, inst, kind);
        depend_hold(sm, warp->slot, inst, kind);
        return;
    }
    depend_set(warp, inst, fixed_result(sm, warp, cls, conflict, now), kind);
    if (inst->flags & INST_PRED_WRITE)
        warp->pred_ready = now + sm->config->sm.predicate_latency;
}

/* execute() for a warp with control words. Returns when the result is ready; CYCLE_NEVER: not known
 * yet. */
static cycle_t execute_controlled(sm_t *sm, warp_t *warp, const op_properties_t *cls, cycle_t now)
{
    const inst_t *inst = warp->inst;
    const uint64_t *addr = take_addresses(warp);
    if (sm->subcore.check != NULL)
        control_check_issue(sm, warp->slot, inst, warp->mask);
    uint32_t conflict =
        cls->through_allocate ? operands_allocate(sm, warp->sub, warp->slot, inst, now) : 0;
    occupy(sm, warp->sub, inst, cls, conflict, now);
    if (!cls->queued || warp->mask == 0) {
        cycle_t result = fixed_result(sm, warp, cls, conflict, now);
        if (cls->through_allocate && warp->mask != 0)
            results_fixed(sm, warp->sub, inst, result, now);
        return result;
    }
    hand_over(sm, warp, addr, now);
    return CYCLE_NEVER;
}

/* The warp has issued inst: continues with its next instruction. */
static inline void go_on(sm_t *sm, warp_t *warp, const inst_t *inst, uint32_t mask, cycle_t now)
{
    if (!next_inst_take(sm, warp, now))
        block_warp_end(sm, warp->slot, now);
    else if (!(inst->traits & INST_STOPS) || mask == 0)
        next_inst_schedule(sm, warp, now);
    else if (inst->flags & INST_BARRIER)
        block_barrier_arrive(sm, warp->slot, inst->flags & INST_IMM ? (unsigned)inst->imm : 0, now);
    else
        block_membar(sm, warp->slot, inst, now);
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
APART static void issue_controlled(sm_t *sm, warp_t *warp, const op_properties_t *cls, cycle_t now)
{
    const inst_t *inst = warp->inst;
    const uint32_t w = warp->slot, mask = warp->mask;
    cycle_t result = execute_controlled(sm, warp, cls, now);
    if (sm->recorded != 0)
        note_issue(sm, w, inst, mask, now);
    /* Counters are incremented a cycle after issue: an instruction in the next cycle does not see
     * it. */
    cycle_t gap = control_gap(sm, inst->ctl);
    bool counted = inst->traits & INST_COUNTED, unseen = gap == 1;
    warp->stalled_until = now + gap;
    if (counted && !unseen)
        control_count(sm, w, inst, result, now);
    go_on(sm, warp, inst, mask, now);
    if (counted && unseen)
        control_count(sm, w, inst, result, now);
}

/* Issue of a warp without control words. */
APART static void issue_any(sm_t *sm, warp_t *warp, const op_properties_t *cls, cycle_t now)
{
    const inst_t *inst = warp->inst;
    uint32_t mask = warp->mask;
    if (sm->recorded != 0)
        note_issue(sm, warp->slot, inst, mask, now);
    execute(sm, warp, cls, now);
    go_on(sm, warp, inst, mask, now);
}

/* issue_any() for an instruction in which neither memory nor synchronisation has a part. */
APART static void issue_arithmetic(sm_t *sm, warp_t *warp, const op_properties_t *cls, cycle_t now)
{
    const inst_t *inst = warp->inst;
    uint32_t conflict = read_and_occupy(sm, warp, cls, now);
    depend_set(warp, inst, now + cls->latency + conflict, (dep_kind_t)cls->dep_kind);
    if (inst->flags & INST_PRED_WRITE)
        warp->pred_ready = now + sm->config->sm.predicate_latency;
    if (next_inst_take(sm, warp, now))
        next_inst_schedule(sm, warp, now);
    else
        block_warp_end(sm, warp->slot, now);
}

/* Removes a warp from the ready set of a pipe. */
static inline void take_ready(sub_core_t *sub, warp_t *warp, unsigned number)
{
    pipe_state_t *pipe = &sub->pipe[number];
    pipe->ready &= ~(UINT32_C(1) << warp->place);
    pipe->n_ready--;
    if (pipe->ready == 0)
        sub->ready_pipes &= ~(UINT32_C(1) << number);
    warp->ready = false;
}

/* The ready warps whose pipe is free, charged for the cycles up to now: one of them is selected, the
 * others are not. If there is none, *soonest is when a pipe of a ready warp is free. */
static inline uint32_t find_eligible(sm_t *sm, sub_core_t *sub, cycle_t now, cycle_t *soonest)
{
    uint32_t eligible = 0, n = 0;
    for (uint32_t pipes = sub->ready_pipes; pipes != 0; pipes &= pipes - 1) {
        unsigned number = (unsigned)__builtin_ctz(pipes);
        pipe_state_t *pipe = &sub->pipe[number];
        if (pipe->free_at > now) {
            *soonest = cycle_min(*soonest, pipe->free_at);
            continue;
        }
        if (pipe->charged < now)
            ready_charge_span(sm, pipe, number, now);
        pipe->charged = now + 1;
        eligible |= pipe->ready;
        n += pipe->n_ready;
    }
    if (n > 1)
        ((uint64_t *)&sm->stats)[STATE_NOT_SELECTED] += n - 1;
    return eligible;
}

static inline void issue_warp(sm_t *sm, warp_t *warp, cycle_t now)
{
    const op_properties_t *cls = &sm->cls[warp->inst->cls];
    take_ready(warp->sub, warp, cls->pipe);
    count_issue(sm, warp, cls);
    if (warp->control)
        issue_controlled(sm, warp, cls, now);
    else if (warp->inst->traits & INST_ARITHMETIC && sm->subcore.plain && sm->recorded == 0)
        issue_arithmetic(sm, warp, cls, now);
    else
        issue_any(sm, warp, cls, now);
}

/* A cycle before which no pipe of a ready warp is free, not before `from`. */
static inline cycle_t next_issue(const sub_core_t *sub, cycle_t from)
{
    uint32_t pipes = sub->ready_pipes;
    if (pipes == 0)
        return CYCLE_NEVER;
    if ((pipes & (pipes - 1)) != 0)
        return from; /* mostly one of several is free */
    return cycle_max(from, sub->pipe[__builtin_ctz(pipes)].free_at);
}

/* One cycle of a sub-core with ready warps. Returns the next cycle in which it may issue. */
APART static cycle_t issue_sub_core(sm_t *sm, sub_core_t *sub, cycle_t now)
{
    cycle_t soonest = CYCLE_NEVER;
    if (sub->issue_free > now)
        return sub->ready_pipes != 0 ? sub->issue_free : CYCLE_NEVER;
    uint32_t eligible = find_eligible(sm, sub, now, &soonest);
    if (eligible == 0)
        return soonest;
    ((uint64_t *)&sm->stats)[STATE_SELECTED]++;
    sub->last = pick_warp(&sm->config->sm, sub, eligible);
    issue_warp(sm, sub->warp + (size_t)sub->last * sm->n_sub_cores, now);
    return next_issue(sub, now + 1);
}

/* The sub-core that goes first rotates, so that shared units serve all of them. */
static inline uint32_t first_in_turn(const sm_t *sm, cycle_t now)
{
    const uint32_t n = sm->n_sub_cores;
    return (n & (n - 1)) == 0 ? (uint32_t)now & (n - 1)
                              : (uint32_t)divider_rest(&sm->by_sub_cores, now);
}

void issue_step(sm_t *sm, cycle_t now)
{
    const uint32_t n = sm->n_sub_cores;
    sub_core_t *const begin = sm->subcore.sub, *const end = begin + n;
    sub_core_t *sub = begin + first_in_turn(sm, now);
    cycle_t next = CYCLE_NEVER;
    sm->subcore.issue_next = CYCLE_NEVER;
    for (uint32_t i = 0; i < n; i++) {
        if (sub->next <= now) {
            sm->subcore.issuing = (int32_t)(sub - begin);
            sub->next = issue_sub_core(sm, sub, now);
        }
        next = cycle_min(next, sub->next);
        if (++sub == end)
            sub = begin;
    }
    sm->subcore.issuing = NOT_ISSUING;
    sm->subcore.issue_next = cycle_min(sm->subcore.issue_next, next);
}
