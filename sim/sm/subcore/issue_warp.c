/*
 * A warp issues one instruction, of any kind. What a sub-core executes alone is mostly issued by
 * run_ahead.c.
 */
#include "sim/sm/subcore/hot.h"

#include "sim/sm/subcore/next_inst.h"
#include "sim/sm/subcore/pipes.h"
#include "sim/sm/subcore/tally.h"

/* The result of an LDC. Its sub-core waits until the unit of the SM has taken all its addresses. */
static cycle_t constant_result(sm_t *sm, const warp_t *warp, const uint64_t *addr, cycle_t now)
{
    cycle_t taken, ready = supply_load_constant(sm, warp->slot, warp->inst, addr, now, &taken);
    pipe_state_t *pipe = &warp->sub->pipe[PIPE_CONST];
    pipe->free_at = cycle_max(pipe->free_at, taken);
    return ready;
}

/* When the result of an instruction that bypasses the memory queue is ready. */
static inline cycle_t fixed_result(sm_t *sm, const warp_t *warp, const op_properties_t *cls,
                                   const uint64_t *addr, uint32_t conflict, cycle_t now)
{
    if (warp->inst->cls == OP_LDC)
        return constant_result(sm, warp, addr, now);
    return now + pipes_latency(sm, warp->inst, cls) + conflict;
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
    if (warp->inst->flags & INST_TO_SHARED)
        copies_issue(sm, warp->slot);
    cycle_t free_at =
        memory_take(sm, warp->sub_core, warp->slot, warp->inst, warp->mask, addr, now);
    if (free_at != 0)
        ready_queue_free(warp->sub, free_at, now + 1);
}

/* Notes for those who compare stall counts with latencies. */
static __attribute__((noinline)) void stall_counts_issue(sm_t *sm, const warp_t *warp, cycle_t now)
{
    if (sm->subcore.check != NULL)
        control_check_issue(sm, warp->slot, warp->inst, warp->mask);
    if (sm->subcore.written != NULL)
        stall_stretch_issue(sm, warp, now);
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
    uint32_t conflict = pipes_read_and_occupy(sm, warp->sub, inst, cls, now);
    if (cls->one_unit)
        pipes_occupy_shared_fp64(sm, warp->sub, now);
    if (cls->queued && warp->mask != 0) {
        hand_over(sm, warp, addr, now);
        depend_set_pending(sm, warp->slot, inst, kind);
        depend_hold(sm, warp->slot, inst, kind);
        return;
    }
    if (inst->flags & INST_COPY_COMMIT && warp->mask != 0)
        copies_commit(sm, warp, now);
    depend_set(warp, inst, fixed_result(sm, warp, cls, addr, conflict, now), kind);
    if (inst->flags & INST_PRED_WRITE)
        warp->pred_ready = now + sm->config->sm.predicate_latency;
}

/* execute() for a warp with control words. Returns when the result is ready; CYCLE_NEVER: not known
 * yet. */
static cycle_t execute_controlled(sm_t *sm, warp_t *warp, const op_properties_t *cls, cycle_t now)
{
    const inst_t *inst = warp->inst;
    const uint64_t *addr = take_addresses(warp);
    uint32_t conflict =
        cls->through_allocate ? operands_allocate(sm, warp->sub, warp->slot, inst, now) : 0;
    if (!sm->subcore.plain)
        stall_counts_issue(sm, warp, now + conflict);
    pipes_occupy_own(sm, warp->sub, inst, cls, conflict, now);
    if (cls->one_unit)
        pipes_occupy_shared_fp64(sm, warp->sub, now);
    if (inst->flags & INST_COPY_COMMIT && warp->mask != 0)
        return copies_commit(sm, warp, now);
    if (!cls->queued || warp->mask == 0) {
        cycle_t result = fixed_result(sm, warp, cls, addr, conflict, now);
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
        next_inst_schedule(sm, warp->sub, warp, now);
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
void issue_controlled(sm_t *sm, warp_t *warp, const op_properties_t *cls, cycle_t now)
{
    const inst_t *inst = warp->inst;
    const uint32_t w = warp->slot, mask = warp->mask;
    cycle_t result = execute_controlled(sm, warp, cls, now);
    if (sm->recorded != 0)
        note_issue(sm, w, inst, mask, now);
    /* Counters are incremented a cycle after issue: an instruction in the next cycle does not see
     * it. */
    cycle_t gap = control_gap(sm, inst);
    bool counted = inst->traits & INST_COUNTED, unseen = gap == 1;
    warp->stalled_until = now + gap;
    if (PROFILED(sm) && counted)
        profile_counted(sm, w, inst, result);
    if (counted && !unseen)
        control_count(sm, w, inst, result, now);
    go_on(sm, warp, inst, mask, now);
    if (counted && unseen)
        control_count(sm, w, inst, result, now);
}

/* Issue of a warp without control words. */
static void issue_any(sm_t *sm, warp_t *warp, const op_properties_t *cls, cycle_t now)
{
    const inst_t *inst = warp->inst;
    uint32_t mask = warp->mask;
    if (sm->recorded != 0)
        note_issue(sm, warp->slot, inst, mask, now);
    execute(sm, warp, cls, now);
    go_on(sm, warp, inst, mask, now);
}

/* issue_any() for an instruction that the sub-core executes alone. */
static void issue_plain(sm_t *sm, warp_t *warp, const op_properties_t *cls, cycle_t now)
{
    const inst_t *inst = warp->inst;
    uint32_t conflict = pipes_read_and_occupy(sm, warp->sub, inst, cls, now);
    if (cls->one_unit)
        pipes_occupy_shared_fp64(sm, warp->sub, now);
    depend_set(warp, inst, now + pipes_latency(sm, inst, cls) + conflict,
               (dep_kind_t)cls->dep_kind);
    if (inst->flags & INST_PRED_WRITE)
        warp->pred_ready = now + sm->config->sm.predicate_latency;
    if (next_inst_take(sm, warp, now))
        next_inst_schedule(sm, warp->sub, warp, now);
    else
        block_warp_end(sm, warp->slot, now);
}

void issue_warp(sm_t *sm, sub_core_t *sub, warp_t *warp, cycle_t now)
{
    const op_properties_t *cls = &sm->cls[warp->inst->cls];
    ready_take(sub, warp->place, cls->pipe, now);
    tally_issue(sub, warp);
    if (PROFILED(sm))
        profile_issue(sm, sub, warp, cls, now);
    if (warp->control)
        issue_controlled(sm, warp, cls, now);
    else if (warp->inst->traits & INST_ALONE && sm->subcore.plain &&
             sm->recorded == (PROFILED(sm) ? RECORD_PROFILE : 0u))
        issue_plain(sm, warp, cls, now);
    else
        issue_any(sm, warp, cls, now);
}
