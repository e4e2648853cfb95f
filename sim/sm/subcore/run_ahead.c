#include "sim/sm/subcore/run_ahead.h"

#include "sim/sm/subcore/next_inst.h"
#include "sim/sm/subcore/pipes.h"
#include "sim/sm/subcore/sub_cycle.h"
#include "sim/sm/subcore/tally.h"

/* The warp's instruction after the next one; NULL if it is not known or there is none. */
static inline const inst_t *second_inst(const warp_t *warp)
{
    if (warp->left > 0)
        return warp->inst + 1;
    return warp->runs_left > 0 ? warp->run[1].first : NULL;
}

/* Whether the warp may issue its next instruction without the SM. Then the instruction after it is
 * in the warp's buffer. */
static inline bool may_issue(sm_t *sm, const warp_t *warp, cycle_t now)
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
static inline void issue_alone(sm_t *sm, sub_core_t *sub, warp_t *warp, const op_properties_t *cls,
                               cycle_t now)
{
    const inst_t *inst = warp->inst;
    cycle_t at;
    uint32_t conflict = pipes_read_and_occupy(sm, sub, inst, cls, now);
    depend_set(warp, inst, now + cls->latency + conflict, (dep_kind_t)cls->dep_kind);
    if (inst->flags & INST_PRED_WRITE)
        warp->pred_ready = now + sm->config->sm.predicate_latency;
    (void)next_inst_take(sm, warp, now);
    if (next_inst_when(sm, warp, now, &at))
        next_inst_put(sm, sub, warp, at, now);
}

/* One of the eligible warps issues. false: its instruction concerns others. */
static inline bool issue_eligible(sm_t *sm, sub_core_t *sub, uint32_t eligible, cycle_t now)
{
    const uint32_t word = sub->scheduler_word;
    const uint32_t place = sub_cycle_pick(&sm->config->sm, sub, eligible);
    warp_t *warp = sub_cycle_warp(sm, sub, place);
    const op_properties_t *cls = &sm->cls[warp->inst->cls];
    if (cls->one_unit || !may_issue(sm, warp, now)) {
        sub->scheduler_word = word;
        return false;
    }
    sub->last = place;
    ready_looked(sub, eligible, now);
    ready_take(sub, place, cls->pipe, now);
    tally_issue(sub, warp);
    if (warp->control)
        issue_controlled(sm, warp, cls, now);
    else
        issue_alone(sm, sub, warp, cls, now);
    return true;
}

cycle_t run_ahead(sm_t *sm, sub_core_t *sub, cycle_t from, cycle_t end)
{
    cycle_t now = from;
    while (now < end) {
        cycle_t next = CYCLE_NEVER;
        uint32_t eligible = 0;
        sub_cycle_wake(sm, sub, now);
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
