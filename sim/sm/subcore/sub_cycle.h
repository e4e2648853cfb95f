/*
 * Parts of a cycle of a sub-core that are the same in step with its SM (issue.c) and ahead of it
 * (run_ahead.c): warps become ready, the scheduler picks one.
 */
#ifndef RUBATO_SM_SUB_CYCLE_H
#define RUBATO_SM_SUB_CYCLE_H

#include "sim/sm/subcore/ready.h"
#include "sim/sm/subcore/scheduler/scheduler.h"
#include "sim/sm/subcore/scheduler/scheduler_state.h"

static inline warp_t *sub_cycle_warp(const sm_t *sm, const sub_core_t *sub, uint32_t place)
{
    return sub->warp + (size_t)place * sm->n_sub_cores;
}

/* Makes the warps ready whose cycle is now. */
static inline void sub_cycle_wake(sm_t *sm, sub_core_t *sub, cycle_t now)
{
    for (uint32_t warps = wake_ring_take(&sub->wakes, now); warps != 0; warps &= warps - 1)
        ready_add(sm, sub, sub_cycle_warp(sm, sub, (uint32_t)__builtin_ctz(warps)), now);
}

#define SUB_CYCLE_PICK_(NAME, name, values, help)                                                  \
    case SCHEDULER_##NAME:                                                                         \
        return scheduler_##name##_pick(spec, sub, eligible);

/* The eligible warp that the configured scheduler picks. */
static inline uint32_t sub_cycle_choice(const sm_spec_t *spec, sub_core_t *sub, uint32_t eligible)
{
    switch ((scheduler_policy_t)spec->scheduler) {
        SCHEDULER_POLICIES(SUB_CYCLE_PICK_)
    }
    return 0; /* not reached: the configuration allows only names of the list */
}

/* Picks one of the eligible warps in cycle now: it is `last`. */
static inline void sub_cycle_pick(sm_t *sm, sub_core_t *sub, uint32_t eligible, cycle_t now)
{
    if (!sm->subcore.greedy || !last_is_eligible(sub, eligible))
        sub->last = sub_cycle_choice(&sm->config->sm, sub, eligible);
    ready_looked(sub, eligible, now);
    if (PROFILED(sm))
        profile_pick(sm, sub, now);
}

/* A cycle before which no pipe of a ready warp is free, not before `from`. */
static inline cycle_t sub_cycle_next(const sub_core_t *sub, cycle_t from)
{
    uint32_t pipes = sub->ready_pipes;
    if (pipes == 0)
        return CYCLE_NEVER;
    if ((pipes & (pipes - 1)) != 0)
        return from; /* mostly one of several is free */
    return cycle_max(from, sub->pipe[__builtin_ctz(pipes)].free_at);
}

#endif
