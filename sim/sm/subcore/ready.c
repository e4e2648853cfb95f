/*
 * The ready sets of a sub-core, and the stall reasons that its warps are charged to.
 *
 * Ready warps are bits of one mask per pipe. Charging is lazy: ready sets and pipes do not change
 * between two visits, so every ready warp waited for its busy pipe all that time.
 */
#include "sim/sm/subcore/subcore_parts.h"

static inline uint64_t *state_counters(sm_t *sm)
{
    return (uint64_t *)&sm->stats;
}

void warp_charge(sm_t *sm, uint32_t w, cycle_t now)
{
    warp_t *warp = &sm->subcore.warp[w];
    if (now > warp->since) {
        state_counters(sm)[warp->state] += now - warp->since;
        warp->since = now;
    }
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

void ready_charge_pipe(sm_t *sm, const sub_core_t *sub, unsigned pipe, cycle_t from, cycle_t to)
{
    uint64_t *state = (uint64_t *)&sm->stats;
    uint64_t warps = (uint64_t)__builtin_popcount(sub->ready[pipe]);
    /* After free_base only a register-file conflict keeps the pipe busy. */
    cycle_t split = cycle_max(from, cycle_min(to, sub->free_base[pipe]));
    state[throttle_state(pipe)] += warps * (split - from);
    state[STATE_DISPATCH_STALL] += warps * (to - split);
}

void ready_charge(sm_t *sm, sub_core_t *sub, cycle_t now)
{
    if (now <= sub->charged)
        return;
    for (uint32_t pipes = sub->ready_pipes; pipes != 0; pipes &= pipes - 1)
        ready_charge_pipe(sm, sub, (unsigned)__builtin_ctz(pipes), sub->charged, now);
    sub->charged = now;
}

void ready_insert(sm_t *sm, uint32_t w, cycle_t at)
{
    warp_t *warp = &sm->subcore.warp[w];
    sub_core_t *sub = &sm->subcore.sub[warp->sub_core];
    uint32_t bit = UINT32_C(1) << warp->place;
    unsigned pipe = sm->cls[warp->inst->cls].pipe;
    warp_charge(sm, w, at);
    ready_charge(sm, sub, at);
    sub->ready[pipe] |= bit;
    sub->ready_pipes |= UINT32_C(1) << pipe;
    sub->pending |= bit;
    warp->ready = true;
    sm->subcore.issue_next = cycle_min(sm->subcore.issue_next, at);
}

void ready_queue_free(sub_core_t *sub, cycle_t at)
{
    sub->free_at[PIPE_LG] = at;
    sub->free_at[PIPE_MIO] = at;
    sub->free_at[PIPE_TEX] = at;
    /* The wait is for the queue, not a register-file conflict. */
    sub->free_base[PIPE_LG] = at;
    sub->free_base[PIPE_MIO] = at;
    sub->free_base[PIPE_TEX] = at;
}

void subcore_queue_opens(sm_t *sm, uint32_t s, cycle_t at, cycle_t now)
{
    sub_core_t *sub = &sm->subcore.sub[s];
    ready_charge(sm, sub, now);
    ready_queue_free(sub, at);
    sm->subcore.issue_next = cycle_min(sm->subcore.issue_next, at);
}
