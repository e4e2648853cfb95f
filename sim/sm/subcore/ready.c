/*
 * The ready sets of a sub-core, and the stall reasons that ready warps are charged to.
 *
 * A ready warp that does not issue in a cycle is throttled if its pipe is busy, passed over if its
 * pipe is free and another warp is picked, and otherwise waits for the register file (dispatch
 * stall). Nothing is counted cycle by cycle and warp by warp:
 *
 *   waiting in all:  the sum of (issued - became ready). `waited` adds the one cycle when a warp
 *                    issues and subtracts the other when it becomes ready.
 *   throttled:       the same with the cycles in which the pipe was busy before either.
 *   passed over:     counted at each pick, for all warps at once.
 *   dispatch stall:  the rest.
 *
 * All sums are modulo 2^64. They become right when the warps that are ready now are added.
 */
#include "sim/sm/subcore/ready.h"

static inline uint64_t *state_counters(sm_t *sm)
{
    return (uint64_t *)&sm->stats;
}

/* warp_charge() with counts per instruction. */
static __attribute__((noinline)) void charge_profiled(sm_t *sm, warp_t *warp, cycle_t now)
{
    if (now > warp->since) {
        profile_charge(sm, warp, now - warp->since);
        warp->since = now;
    }
}

void warp_charge(sm_t *sm, uint32_t w, cycle_t now)
{
    warp_t *warp = &sm->subcore.warp[w];
    if (PROFILED(sm)) {
        charge_profiled(sm, warp, now);
    } else if (now > warp->since) {
        state_counters(sm)[warp->state] += now - warp->since;
        warp->since = now;
    }
}

const uint8_t ready_throttle_state[PIPE_COUNT] = {
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

/* Takes what the ready warps of a pipe, n, were throttled before now. */
static uint64_t take_throttled(pipe_state_t *pipe, uint64_t n, cycle_t now)
{
    uint64_t pending = n * pipe_busy_before(pipe, now);
    uint64_t throttled = pipe->throttled + pending;
    pipe->throttled = -pending;
    return throttled;
}

uint32_t ready_charge(sm_t *sm, sub_core_t *sub, cycle_t now)
{
    uint64_t counted[STATE_COUNT] = {
        0}; /* by launch: each issue has counted it (profile_issue()) */
    uint64_t *state = sm->by_launch != NULL ? counted : state_counters(sm);
    uint64_t all_throttled = 0, n_ready = 0;
    uint32_t ready = 0;
    if (sub->ready_pipes == 0 && sub->waited == 0)
        return 0; /* no warp is ready, and none has waited */
    for (unsigned p = 0; p < PIPE_COUNT; p++) {
        uint64_t n = (uint64_t)__builtin_popcount(sub->ready[p]);
        uint64_t throttled = take_throttled(&sub->pipe[p], n, now);
        state[ready_throttle_state[p]] += throttled;
        all_throttled += throttled;
        ready |= sub->ready[p];
        n_ready += n;
    }
    uint64_t waited = sub->waited + n_ready * now;
    state[STATE_DISPATCH_STALL] += waited - all_throttled - sub->passed_over;
    state[STATE_NOT_SELECTED] += sub->passed_over;
    sub->waited = -(n_ready * now);
    sub->passed_over = 0;
    return ready;
}

/* The pipes that end in the memory queue. */
static const uint8_t queue_pipes[] = {PIPE_LG, PIPE_MIO, PIPE_TEX};

void ready_queue_free(sub_core_t *sub, cycle_t at, cycle_t from)
{
    for (unsigned i = 0; i < sizeof(queue_pipes); i++)
        pipe_occupy(&sub->pipe[queue_pipes[i]], from, at, at);
}

void subcore_queue_opens(sm_t *sm, uint32_t s, cycle_t at, cycle_t now)
{
    sub_core_t *sub = &sm->subcore.sub[s];
    ready_queue_free(sub, at, now);
    ready_issue_from(sm, sub, at);
}
