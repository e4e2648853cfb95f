/*
 * The ready sets of a sub-core: one bit mask per pipe. What runs for every instruction, and therefore
 * is inline; ready.c explains how the waiting of ready warps is counted.
 */
#ifndef RUBATO_SM_READY_H
#define RUBATO_SM_READY_H

#include "sim/sm/subcore/warp_profile.h"

/* Cycles before t in which the pipe was busy, register-file conflicts apart; t is not before the
 * last change of free_base. */
static inline uint64_t pipe_busy_before(const pipe_state_t *pipe, cycle_t t)
{
    return pipe->busy - (pipe->free_base > t ? pipe->free_base - t : 0);
}

/* From cycle `from` on the pipe is busy until free_base, and because of register-file conflicts
 * until free_at. */
static inline void pipe_occupy(pipe_state_t *pipe, cycle_t from, cycle_t free_base, cycle_t free_at)
{
    pipe->busy = pipe_busy_before(pipe, from) + (free_base > from ? free_base - from : 0);
    pipe->free_base = free_base;
    pipe->free_at = free_at;
}

/* The sub-core has something to do in cycle `at`. */
static inline void ready_issue_from(sm_t *sm, sub_core_t *sub, cycle_t at)
{
    sub->next = cycle_min(sub->next, at);
    sm->subcore.issue_next = cycle_min(sm->subcore.issue_next, at);
}

/* Adds a warp to the ready set of its next instruction's pipe, effective from cycle `at`, in which
 * its sub-core will look. */
static inline void ready_add(sm_t *sm, sub_core_t *sub, const warp_t *warp, cycle_t at)
{
    const unsigned number = sm->cls[warp->inst->cls].pipe;
    pipe_state_t *pipe = &sub->pipe[number];
    if (PROFILED(sm))
        profile_ready(sm, warp, number, pipe_busy_before(pipe, at), at);
    else if (at > warp->since)
        ((uint64_t *)&sm->stats)[warp->state] += at - warp->since;
    sub->ready[number] |= UINT32_C(1) << warp->place;
    sub->ready_pipes |= UINT32_C(1) << number;
    sub->waited -= at;
    pipe->throttled -= pipe_busy_before(pipe, at);
}

/* Removes a warp, which issues now: its pipe is free. */
static inline void ready_take(sub_core_t *sub, unsigned place, unsigned number, cycle_t now)
{
    pipe_state_t *pipe = &sub->pipe[number];
    uint32_t others = sub->ready[number] & ~(UINT32_C(1) << place);
    sub->ready[number] = others;
    if (others == 0)
        sub->ready_pipes &= ~(UINT32_C(1) << number);
    sub->waited += now;
    pipe->throttled += pipe->busy;
}

/* The same as ready_add() if the sub-core may not know yet. */
static inline void ready_insert(sm_t *sm, warp_t *warp, cycle_t at)
{
    ready_add(sm, warp->sub, warp, at);
    ready_issue_from(sm, warp->sub, at);
}

/* The ready warps whose pipe is free. If there is none, *soonest is when a pipe of a ready warp is
 * free. */
static inline uint32_t ready_eligible(const sub_core_t *sub, cycle_t now, cycle_t *soonest)
{
    uint32_t eligible = 0;
    for (uint32_t pipes = sub->ready_pipes; pipes != 0; pipes &= pipes - 1) {
        const unsigned number = (unsigned)__builtin_ctz(pipes);
        const cycle_t free_at = sub->pipe[number].free_at;
        if (free_at > now)
            *soonest = cycle_min(*soonest, free_at);
        else
            eligible |= sub->ready[number];
    }
    return eligible;
}

/* *sum: for all ready warps together, the cycles before t in which their pipes were free; only
 * differences have a meaning. false: register-file conflicts keep one of these pipes busy in cycle t. */
static inline bool ready_free_before(const sub_core_t *sub, cycle_t t, uint64_t *sum)
{
    bool known = true;
    *sum = 0;
    for (uint32_t pipes = sub->ready_pipes; pipes != 0; pipes &= pipes - 1) {
        const unsigned number = (unsigned)__builtin_ctz(pipes);
        const pipe_state_t *pipe = &sub->pipe[number];
        known &= pipe->free_at <= cycle_max(pipe->free_base, t);
        *sum += (uint64_t)__builtin_popcount(sub->ready[number]) * (t - pipe_busy_before(pipe, t));
    }
    return known;
}

/* One of the eligible warps issues. */
static inline void ready_looked(sub_core_t *sub, uint32_t eligible, cycle_t now)
{
    sub->passed_over += (uint64_t)(__builtin_popcount(eligible) - 1);
    sub->looked = now;
}

/* ready.c */

/* Charges the ready warps of a sub-core for the cycles before now. Returns which are ready. */
uint32_t ready_charge(sm_t *sm, sub_core_t *sub, cycle_t now);

/* From cycle `from` on, the pipes that end in the memory queue of a sub-core wait for the queue
 * until cycle `at`. */
void ready_queue_free(sub_core_t *sub, cycle_t at, cycle_t from);

#endif
