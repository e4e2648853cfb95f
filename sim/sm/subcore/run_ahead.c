#include "sim/sm/subcore/hot.h"

#include "sim/sm/subcore/run_ahead.h"

#include "sim/core/clones.h"
#include "sim/sm/subcore/next_inst.h"
#include "sim/sm/subcore/pipes.h"
#include "sim/sm/subcore/sub_cycle.h"
#include "sim/sm/subcore/tally.h"

/* The warp's instruction after the next one; NULL if it is not known or there is none. */
RB_CLONE_PART const inst_t *second_inst(const warp_t *warp)
{
    if (warp->left > 0)
        return warp->inst + 1;
    return warp->runs_left > 0 ? warp->run[1].first : NULL;
}

/* Whether the warp may issue its next instruction without the SM. Then the instruction after it is
 * in the warp's buffer. */
RB_CLONE_PART bool may_issue(sm_t *sm, const warp_t *warp, cycle_t now)
{
    const inst_t *second = second_inst(warp);
    if (!(warp->inst->traits & INST_ALONE) || second == NULL)
        return false;
    if (second->traits & INST_CONST_SOURCE && !sm->config->constant.perfect)
        return false;
    return supply_holds(sm, warp->slot, second->pc) ||
           fetch_local(sm, warp->sub_core, warp->slot, second->pc, now);
}

/* The warp issues an instruction without control word. */
static void issue_alone(sm_t *sm, sub_core_t *sub, warp_t *warp, const op_properties_t *cls,
                        cycle_t now)
{
    const inst_t *inst = warp->inst;
    cycle_t at;
    uint32_t conflict = pipes_read_and_occupy(sm, sub, inst, cls, now);
    depend_set(warp, inst, now + pipes_latency(sm, inst, cls) + conflict,
               (dep_kind_t)cls->dep_kind);
    if (inst->flags & INST_PRED_WRITE)
        warp->pred_ready = now + sm->config->sm.predicate_latency;
    (void)next_inst_take(sm, warp, now);
    if (next_inst_when(sm, warp, now, &at))
        next_inst_put(sm, sub, warp, at, now);
}

/* When the operands of the next instruction allow a warp to issue it, which then waits for nothing
 * else; CYCLE_NEVER if it is not as simple. */
RB_CLONE_PART cycle_t simple_operands(const warp_t *warp, const inst_t *inst, cycle_t now)
{
    const dep_t from = (dep_t)(now << DEP_SHIFT);
    dep_t any = 0;
    int32_t latest = 0;
    next_inst_quad(warp, inst->dep, from, &any, &latest);
    if (any & DEP_PENDING || warp->held > 0 || warp->held_until > now)
        return CYCLE_NEVER;
    if (latest < 1 << DEP_SHIFT)
        return now + 1;
    bool fixed = (latest & DEP_KIND) == DEP_FIXED && !(inst->traits & INST_FORWARDED);
    return fixed ? now + (cycle_t)(latest >> DEP_SHIFT) : CYCLE_NEVER;
}

/* next_inst_take() to an instruction of the same run, which nothing delays. */
RB_CLONE_PART void go_to(warp_t *warp, const inst_t *next, cycle_t now)
{
    warp->inst = next;
    warp->left--;
    warp->since = now + 1;
    warp->base = now + 1;
    warp->base_state = STATE_WAIT;
    if (next->traits & INST_ADDRESSED)
        __builtin_prefetch(warp->addr);
}

/* issue_alone() for an INST_SIMPLE that is not the last one of its run. */
RB_CLONE_PART void issue_simple(sm_t *sm, sub_core_t *sub, warp_t *warp, const op_properties_t *cls,
                                cycle_t now)
{
    const inst_t *inst = warp->inst, *next = inst + 1;
    pipe_state_t *pipe = &sub->pipe[cls->pipe];
    const cycle_t result = now + cls->latency;
    pipe->free_base = now + cls->interval;
    pipe->free_at = pipe->free_base;
    pipe->busy += cls->interval - 1;
    if (inst->n_set > 0)
        warp->dep[inst->dep[inst->n_wait - 1]] = dep_encode(result, (dep_kind_t)cls->dep_kind);
    if (result > warp->dep_until)
        warp->dep_until = result;
    go_to(warp, next, now);
    cycle_t at = simple_operands(warp, next, now);
    bool simple = at != CYCLE_NEVER && next->n_wait <= INST_QUAD && !(next->traits & INST_GUESSED);
    if (simple)
        warp->state = STATE_WAIT;
    else if (!next_inst_when(sm, warp, now, &at))
        return;
    next_inst_put(sm, sub, warp, at, now);
}

/* Whether issue_simple() will do. */
RB_CLONE_PART bool is_simple(const sm_t *sm, const warp_t *warp, const op_properties_t *cls)
{
    const inst_t *inst = warp->inst;
    return inst->traits & INST_SIMPLE && warp->left > 0 && cls->simple &&
           inst->most_reads[sm->subcore.last_bank] <= cls->reads_free;
}

/* issue_controlled() for an INST_STEADY that is not the last one of its run. */
RB_CLONE_PART void issue_steady(sm_t *sm, sub_core_t *sub, warp_t *warp, const op_properties_t *cls,
                                cycle_t now)
{
    const inst_t *inst = warp->inst, *next = inst + 1;
    pipe_state_t *pipe = &sub->pipe[cls->pipe];
    const uint32_t conflict = operands_allocate(sm, sub, warp->slot, inst, now);
    const uint32_t interval = cls->varies ? pipes_varying_interval(sm, inst) : cls->interval;
    cycle_t at = now + control_gap(sm, inst);
    pipe->free_base = now + interval;
    pipe->free_at = pipe->free_base + conflict;
    pipe->busy += interval - 1;
    if (warp->mask != 0)
        results_fixed(sm, sub, inst, now + pipes_latency(sm, inst, cls) + conflict, now);
    warp->stalled_until = at;
    go_to(warp, next, now);
    if (!(next->traits & (INST_WAITS | INST_GUESSED)))
        warp->state = STATE_WAIT;
    else if (!next_inst_when(sm, warp, now, &at))
        return;
    next_inst_put(sm, sub, warp, at, now);
}

/* Whether issue_steady() will do. */
RB_CLONE_PART bool is_steady(const warp_t *warp, const op_properties_t *cls)
{
    return warp->inst->traits & INST_STEADY && warp->left > 0 && cls->simple &&
           cls->through_allocate;
}

/* One of the eligible warps issues. false: its instruction concerns others. */
RB_CLONE_PART bool issue_eligible(sm_t *sm, sub_core_t *sub, uint32_t eligible, cycle_t now)
{
    const uint32_t word = sub->scheduler_word;
    const uint32_t place = sub_cycle_pick(&sm->config->sm, sub, eligible);
    warp_t *warp = sub_cycle_warp(sm, sub, place);
    const op_properties_t *cls = &sm->cls[warp->inst->cls];
    if (!may_issue(sm, warp, now)) {
        sub->scheduler_word = word;
        return false;
    }
    sub->last = place;
    ready_looked(sub, eligible, now);
    if (PROFILED(sm))
        profile_pick(sm, sub, now);
    ready_take(sub, place, cls->pipe, now);
    tally_issue(sub, warp);
    if (PROFILED(sm))
        profile_issue(sm, sub, warp, cls, now);
    if (is_simple(sm, warp, cls))
        issue_simple(sm, sub, warp, cls, now);
    else if (warp->control && is_steady(warp, cls))
        issue_steady(sm, sub, warp, cls, now);
    else if (warp->control)
        issue_controlled(sm, warp, cls, now);
    else
        issue_alone(sm, sub, warp, cls, now);
    return true;
}

/* run_ahead() without the note of how far it came. */
RB_CLONE_PART cycle_t run(sm_t *sm, sub_core_t *sub, cycle_t from, cycle_t end)
{
    cycle_t now = from;
    while (now < end) {
        cycle_t next = CYCLE_NEVER;
        uint32_t eligible = 0;
        sub_cycle_wake(sm, sub, now);
        if (sub->ready_pipes & sm->subcore.shared_pipes)
            return now;
        if (sub->issue_free > now)
            next = sub->ready_pipes != 0 ? sub->issue_free : CYCLE_NEVER;
        else
            eligible = ready_eligible(sub, now, &next);
        if (eligible != 0) {
            if (!issue_eligible(sm, sub, eligible, now))
                return now;
            next = sub->ready_pipes != 0 ? now + 1 : CYCLE_NEVER;
        }
        now = next == now + 1 ? next : cycle_min(next, wake_ring_next(&sub->wakes));
    }
    return now;
}

RB_CLONES_V3 cycle_t run_ahead(sm_t *sm, sub_core_t *sub, cycle_t from, cycle_t end)
{
    cycle_t next = run(sm, sub, from, end);
    sub->ahead = cycle_min(next, end);
    return next;
}
