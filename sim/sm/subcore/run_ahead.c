#include "sim/sm/subcore/hot.h"

#include "sim/sm/subcore/run_ahead.h"

#include "sim/core/clones.h"
#include "sim/sm/subcore/next_inst.h"
#include "sim/sm/subcore/pipes.h"
#include "sim/sm/subcore/sub_cycle.h"
#include "sim/sm/subcore/tally.h"

#include <string.h>

/* The guard bit of each byte of inst_t.near. */
#define EACH_BYTE UINT32_C(0x01010101)
enum { NEAR_GUARD = 0x80 };

/* The warp's instruction after the next one; NULL if it is not known or there is none. */
RB_CLONE_PART const inst_t *second_inst(const warp_t *warp)
{
    if (warp->left > 0)
        return warp->inst + 1;
    return warp->runs_left > 0 ? warp->run[1].first : NULL;
}

/* Whether the instruction after the next one is in the warp's buffer when that has issued, and needs no
 * constant. */
RB_CLONE_PART bool second_is_there(sm_t *sm, const warp_t *warp, const inst_t *second, cycle_t now)
{
    if (second->traits & INST_CONST_SOURCE && !sm->config->constant.perfect)
        return false;
    return supply_holds(sm, warp->slot, second->pc) ||
           fetch_local(sm, warp->sub_core, warp->slot, second->pc, now);
}

/* Whether the warp may issue its next instruction without the SM. Then the instruction after it is
 * in the warp's buffer. */
RB_CLONE_PART bool may_issue(sm_t *sm, const warp_t *warp, cycle_t now)
{
    const inst_t *second = second_inst(warp);
    return warp->inst->traits & INST_ALONE && second != NULL &&
           second_is_there(sm, warp, second, now);
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
 * else; CYCLE_NEVER if it is not as simple. It has INST_QUAD registers at most. No memory instruction may
 * hold registers. */
RB_CLONE_PART cycle_t quad_operands(const warp_t *warp, const inst_t *inst, cycle_t now)
{
    const dep_t from = (dep_t)(now << DEP_SHIFT);
    dep_t any = 0;
    int32_t latest = 0;
    next_inst_quad(warp, inst->dep, from, &any, &latest);
    if (any & DEP_PENDING)
        return CYCLE_NEVER;
    if (latest < 1 << DEP_SHIFT)
        return now + 1;
    bool fixed = (latest & DEP_KIND) == DEP_FIXED && !(inst->traits & INST_FORWARDED);
    return fixed ? now + (cycle_t)(latest >> DEP_SHIFT) : CYCLE_NEVER;
}

/* The same for any instruction. */
RB_CLONE_PART cycle_t simple_operands(const warp_t *warp, const inst_t *inst, cycle_t now)
{
    if (inst->n_wait > INST_QUAD || inst->traits & INST_GUESSED)
        return CYCLE_NEVER;
    return quad_operands(warp, inst, now);
}

/* The end of next_inst_take() to an instruction that nothing delays. */
RB_CLONE_PART void await_next(warp_t *warp, cycle_t now)
{
    warp->since = now + 1;
    warp->base = now + 1;
    warp->base_state = STATE_WAIT;
    if (warp->inst->traits & INST_ADDRESSED)
        __builtin_prefetch(warp->addr);
}

/* Whether simple_step() will do for the warp's next instruction. */
RB_CLONE_PART bool is_simple(const sm_t *sm, const warp_t *warp)
{
    return warp->inst->traits & sm->subcore.simple && warp->left > 0;
}

/* A row of instructions that a warp issues in cycles that follow each other. */
typedef struct {
    cycle_t same;         /* the same warps have been ready since this cycle, */
    uint64_t free_before; /* for which ready_free_before() gave this, */
    cycle_t stop;         /* and are until this one */
} row_t;

/* Counts the warps that were passed over since row->same and before cycle `to`. */
RB_CLONE_PART void row_passes(sub_core_t *sub, const row_t *row, cycle_t to)
{
    uint64_t free;
    (void)ready_free_before(sub, to, &free);
    sub->passed_over += free - row->free_before;
}

/* Other warps may become ready in cycle `at`: they are passed over, too. false: the row ends before it. */
RB_CLONE_PART bool row_meets(sm_t *sm, sub_core_t *sub, row_t *row, cycle_t at, cycle_t end)
{
    if (at == wake_ring_next(&sub->wakes)) {
        if (row->same < at)
            row_passes(sub, row, at);
        row->same = at;
        sub_cycle_wake(sm, sub, at);
        if (sub->ready_pipes & sm->subcore.shared_pipes)
            return false;
    }
    row->stop = cycle_min(wake_ring_next(&sub->wakes), end);
    return row->same < at || ready_free_before(sub, at, &row->free_before);
}

/* For row_is_clear(): the latencies to compare inst_t.near with; while results are in flight of which that
 * tells nothing, more than all of its values. */
RB_CLONE_PART uint32_t row_far(const sm_t *sm, const warp_t *warp, cycle_t at)
{
    const bool told = warp->other_until <= at && sm->slot[warp->slot].loads == 0;
    return told ? sm->subcore.far : EACH_BYTE * NEAR_GUARD;
}

/* Whether straight code has certainly written all that the instruction waits for, if it issues now. */
RB_CLONE_PART bool row_is_clear(const inst_t *inst, uint32_t far)
{
    const uint32_t guard = EACH_BYTE * NEAR_GUARD;
    uint32_t near;
    memcpy(&near, inst->near, sizeof(near));
    return (((near | guard) - far) & guard) == guard;
}

/* An instruction that is_simple() occupies its pipe and sets its result. Returns when that is ready, as in a
 * dep_t, but not cut off. */
RB_CLONE_PART uint64_t simple_step(const warp_t *warp, const inst_t *inst,
                                   const op_properties_t *cls, pipe_state_t *pipe, cycle_t now)
{
    const uint64_t result = (now << DEP_SHIFT) + cls->result;
    pipe->free_at = pipe->free_base = now + cls->interval;
    pipe->busy += cls->interval - 1;
    warp->dep[inst->result] = (dep_t)result;
    return result;
}

/* The warp has issued simple instructions, the last one in cycle now. until: the latest of simple_step(); at:
 * see simple_operands(). */
RB_CLONE_PART cycle_t simple_end(sm_t *sm, sub_core_t *sub, warp_t *warp, uint64_t until,
                                 cycle_t at, cycle_t now)
{
    warp->dep_until = cycle_max(warp->dep_until, until >> DEP_SHIFT);
    await_next(warp, now);
    if (at != CYCLE_NEVER)
        warp->state = STATE_WAIT;
    else if (!next_inst_when(sm, warp, now, &at))
        return now;
    next_inst_put(sm, sub, warp, at, now);
    return now;
}

/* A greedy scheduler keeps to the warp that issued a simple instruction in cycle `first`, and can go on in
 * the next one: issues what is simple in the cycles that follow. Returns the last of these cycles.
 * until: the result of the first one, see simple_step(). */
RB_CLONES_V3 static __attribute__((unused)) cycle_t
issue_row(sm_t *sm, sub_core_t *sub, warp_t *warp, uint64_t until, cycle_t first, cycle_t end)
{
    const inst_t *inst = warp->inst, *const last = inst + warp->left;
    cycle_t now = first, at = first + 1;
    row_t row = {.same = at, .stop = at};
    const uint32_t far = row_far(sm, warp, at);
    for (;;) {
        const op_properties_t *cls = &sm->cls[inst->cls];
        pipe_state_t *pipe = &sub->pipe[cls->pipe];
        if (at == row.stop && (at == end || !row_meets(sm, sub, &row, at, end)))
            break;
        if (pipe->free_at > at || !second_is_there(sm, warp, inst + 1, at))
            break;
        now = at;
        tally_inst(sub, warp, inst);
        const uint64_t result = simple_step(warp, inst, cls, pipe, now);
        until = result > until ? result : until;
        inst++;
        at = now + 1;
        if (!(inst->traits & sm->subcore.simple) || inst == last) {
            at = simple_operands(warp, inst, now);
            break;
        }
        if (!row_is_clear(inst, far) && (at = quad_operands(warp, inst, now)) != now + 1)
            break;
    }
    if (row.same <= now)
        row_passes(sub, &row, now + 1);
    tally_lanes(sub, warp, now - first);
    sub->looked = now;
    sub->wakes.base = now;
    warp->inst = inst;
    warp->left = (uint32_t)(last - inst);
    return simple_end(sm, sub, warp, until, at, now);
}

/* issue_alone() for an instruction that is_simple(), and perhaps a row of them. Returns the cycle of the
 * last one. */
RB_CLONE_PART cycle_t issue_simple(sm_t *sm, sub_core_t *sub, warp_t *warp,
                                   const op_properties_t *cls, cycle_t now, cycle_t end)
{
    const bool held = warp->held > 0 || warp->held_until > now;
    const inst_t *next = warp->inst + 1;
    const uint64_t until = simple_step(warp, warp->inst, cls, &sub->pipe[cls->pipe], now);
    warp->inst = next;
    warp->left--;
    const cycle_t at = held ? CYCLE_NEVER : simple_operands(warp, next, now);
    if (at == now + 1 && sm->subcore.greedy && is_simple(sm, warp) &&
        sub->pipe[sm->cls[next->cls].pipe].free_at <= at)
        return issue_row(sm, sub, warp, until, now, end);
    return simple_end(sm, sub, warp, until, at, now);
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
    warp->inst = next;
    warp->left--;
    await_next(warp, now);
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

/* One of the eligible warps is picked and issues, and perhaps goes on. Returns the last cycle of that;
 * CYCLE_NEVER: its instruction concerns others, so it is only picked. */
RB_CLONE_PART cycle_t issue_eligible(sm_t *sm, sub_core_t *sub, uint32_t eligible, cycle_t now,
                                     cycle_t end)
{
    sub_cycle_pick(sm, sub, eligible, now);
    warp_t *warp = sub_cycle_warp(sm, sub, sub->last);
    const op_properties_t *cls = &sm->cls[warp->inst->cls];
    sub->picked = !may_issue(sm, warp, now);
    if (sub->picked)
        return CYCLE_NEVER;
    ready_take(sub, warp->place, cls->pipe, now);
    tally_issue(sub, warp);
    if (PROFILED(sm))
        profile_issue(sm, sub, warp, cls, now);
    else if (is_simple(sm, warp))
        return issue_simple(sm, sub, warp, cls, now, end);
    if (warp->control && is_steady(warp, cls))
        issue_steady(sm, sub, warp, cls, now);
    else if (warp->control)
        issue_controlled(sm, warp, cls, now);
    else
        issue_alone(sm, sub, warp, cls, now);
    return now;
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
            const cycle_t last = issue_eligible(sm, sub, eligible, now, end);
            if (last == CYCLE_NEVER)
                return now;
            now = last;
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
