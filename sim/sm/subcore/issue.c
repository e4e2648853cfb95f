/*
 * Issue: in each cycle, each sub-core issues one ready warp whose pipe is free, chosen by the
 * scheduler. A sub-core runs ahead of its SM where that makes no difference (run_ahead.h).
 */
#include "sim/sm/subcore/hot.h"

#include "sim/sm/subcore/run_ahead.h"
#include "sim/sm/subcore/sub_cycle.h"

/* Cycle now of a sub-core. Returns the next cycle in which it may issue. */
static cycle_t issue_cycle(sm_t *sm, sub_core_t *sub, cycle_t now)
{
    if (!sub->picked) {
        cycle_t soonest = CYCLE_NEVER;
        sub_cycle_wake(sm, sub, now);
        if (sub->issue_free > now)
            return sub->ready_pipes != 0 ? sub->issue_free : CYCLE_NEVER;
        uint32_t eligible = ready_eligible(sub, now, &soonest);
        if (eligible == 0)
            return soonest;
        sub_cycle_pick(sm, sub, eligible, now);
    }
    sub->picked = false;
    issue_warp(sm, sub, sub_cycle_warp(sm, sub, sub->last), now);
    return sub_cycle_next(sub, now + 1);
}

/* Whether a sub-core begins to run ahead in cycle now: not if the warp that issues probably goes to
 * memory, which happens in step. */
static inline bool begins_ahead(const sm_t *sm, const sub_core_t *sub)
{
    const uint32_t queued = UINT32_C(1) << PIPE_LG | UINT32_C(1) << PIPE_MIO;
    return !sub->picked && !(sub->ready_pipes & queued) && run_ahead_is_possible(sm, sub);
}

/* Cycle now of the sub-core that is issuing, and the cycles around which it can run ahead. Returns the next
 * cycle in which something happens in the sub-core. */
static inline cycle_t run_sub_core(sm_t *sm, sub_core_t *sub, cycle_t now, cycle_t until)
{
    cycle_t next;
    if (begins_ahead(sm, sub)) {
        next = run_ahead(sm, sub, now, run_ahead_end(sm, sub, now, until));
        if (next > now)
            return next;
    }
    next = issue_cycle(sm, sub, now);
    next = cycle_min(next, wake_ring_next(&sub->wakes));
    if (next >= until || !run_ahead_is_possible(sm, sub))
        return next;
    const cycle_t end = run_ahead_end(sm, sub, now, until);
    return next < end ? run_ahead(sm, sub, next, end) : next;
}

/* The sub-core that goes first rotates, so that shared units serve all of them. */
static inline uint32_t first_in_turn(const sm_t *sm, cycle_t now)
{
    const uint32_t n = sm->n_sub_cores;
    return (n & (n - 1)) == 0 ? (uint32_t)now & (n - 1)
                              : (uint32_t)divider_rest(&sm->by_sub_cores, now);
}

void issue_step(sm_t *sm, cycle_t now, cycle_t until)
{
    const uint32_t n = sm->n_sub_cores;
    sub_core_t *const begin = sm->subcore.sub, *const end = begin + n;
    sub_core_t *sub = begin + first_in_turn(sm, now);
    cycle_t next = CYCLE_NEVER;
    sm->subcore.issue_next = CYCLE_NEVER;
    for (uint32_t i = 0; i < n; i++) {
        if (sub->next <= now) {
            sm->subcore.issuing = (int32_t)(sub - begin);
            sub->next = run_sub_core(sm, sub, now, until);
        }
        next = cycle_min(next, sub->next);
        if (++sub == end)
            sub = begin;
    }
    sm->subcore.issuing = NOT_ISSUING;
    sm->subcore.issue_next = cycle_min(sm->subcore.issue_next, next);
}
