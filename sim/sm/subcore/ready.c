/*
 * The ready sets of a sub-core, and the stall reasons that its warps are charged to.
 *
 * Ready warps are bits of one mask per pipe. Charging is lazy, pipe by pipe: between two changes of
 * a pipe or its ready set every warp of the set waited for the pipe, unless the sub-core issued while
 * the pipe was free (issue.c charges that cycle).
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

static const uint8_t throttle_state[PIPE_COUNT] = {
    [PIPE_FMA] = STATE_MATH_PIPE_THROTTLE,
    [PIPE_ALU] = STATE_MATH_PIPE_THROTTLE,
    [PIPE_FP16] = STATE_MATH_PIPE_THROTTLE,
    [PIPE_FP64] = STATE_MATH_PIPE_THROTTLE,
    [PIPE_TENSOR] = STATE_MATH_PIPE_THROTTLE,
    [PIPE_XU] = STATE_MATH_PIPE_THROTTLE,
    [PIPE_UNIFORM] = STATE_MATH_PIPE_THROTTLE,
    [PIPE_CBU] = STATE_MATH_PIPE_THROTTLE,
    [PIPE_LG] = STATE_LG_THROTTLE,
    [PIPE_MIO] = STATE_MIO_THROTTLE,
    [PIPE_TEX] = STATE_TEX_THROTTLE,
    [PIPE_CONST] = STATE_MIO_THROTTLE,
    [PIPE_NONE] = STATE_MATH_PIPE_THROTTLE,
};

void ready_charge_span(sm_t *sm, pipe_state_t *pipe, unsigned number, cycle_t to)
{
    uint64_t *state = state_counters(sm);
    uint64_t warps = pipe->n_ready;
    cycle_t from = pipe->charged;
    /* After free_base a register-file conflict keeps the pipe busy, or the sub-core does not issue
     * because of one. */
    cycle_t split = cycle_max(from, cycle_min(to, pipe->free_base));
    state[throttle_state[number]] += warps * (split - from);
    state[STATE_DISPATCH_STALL] += warps * (to - split);
    pipe->charged = to;
}

void ready_charge(sm_t *sm, sub_core_t *sub, cycle_t now)
{
    for (uint32_t pipes = sub->ready_pipes; pipes != 0; pipes &= pipes - 1)
        ready_charge_pipe(sm, sub, (unsigned)__builtin_ctz(pipes), now);
}

/* The pipes that end in the memory queue. */
static const uint8_t queue_pipes[] = {PIPE_LG, PIPE_MIO, PIPE_TEX};

void ready_queue_free(sm_t *sm, sub_core_t *sub, cycle_t at, cycle_t charged)
{
    for (unsigned i = 0; i < sizeof(queue_pipes); i++) {
        unsigned pipe = queue_pipes[i];
        ready_charge_pipe(sm, sub, pipe, charged);
        sub->pipe[pipe].free_at = at;
        sub->pipe[pipe].free_base =
            at; /* the wait is for the queue, not a register-file conflict */
    }
}

void subcore_queue_opens(sm_t *sm, uint32_t s, cycle_t at, cycle_t now)
{
    sub_core_t *sub = &sm->subcore.sub[s];
    ready_queue_free(sm, sub, at, now);
    ready_issue_from(sm, sub, at);
}
