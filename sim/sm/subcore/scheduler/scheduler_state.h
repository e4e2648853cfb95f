/* Interface for warp schedulers (scheduler.h). */
#ifndef RUBATO_SM_SCHEDULER_STATE_H
#define RUBATO_SM_SCHEDULER_STATE_H

#include "sim/sm/subcore/scheduler/scheduler.h"
#include "sim/sm/subcore/subcore_state.h"

#define SCHEDULER_PICK_(NAME, name, values, help)                                                  \
    uint32_t scheduler_##name##_pick(const sm_spec_t *spec, sub_core_t *sub, uint32_t eligible);
SCHEDULER_POLICIES(SCHEDULER_PICK_)
#undef SCHEDULER_PICK_

/* Number of values that a sub-core's word can have, starting with 0. */
uint32_t scheduler_word_values(const sm_spec_t *spec);

/* Whether the scheduler always picks the warp issued last if that is eligible, and then keeps its word
 * of state. */
static inline bool scheduler_is_greedy(const sm_spec_t *spec)
{
    return spec->scheduler == SCHEDULER_GTO || spec->scheduler == SCHEDULER_CGGTY ||
           spec->scheduler == SCHEDULER_GRR;
}

/* Groups of warp slots of the scheduler two_level. */
static inline uint32_t scheduler_groups(const sm_spec_t *spec)
{
    return (SM_SUB_CORE_WARPS + spec->scheduler_group - 1) / spec->scheduler_group;
}

/* Whether the warp issued last is eligible. */
static inline bool last_is_eligible(const sub_core_t *sub, uint32_t eligible)
{
    return eligible >> sub->last & 1;
}

/* The next eligible warp after the one issued last, in slot order. */
static inline uint32_t next_in_turn(const sub_core_t *sub, uint32_t eligible)
{
    uint32_t after = sub->last >= 31 ? 0 : eligible & ~((UINT32_C(2) << sub->last) - 1);
    return (uint32_t)__builtin_ctz(after != 0 ? after : eligible);
}

/* The eligible warp that started first or last. Ages wrap around after 2^32 warps, but differences
 * between resident warps stay correct. */
static inline uint32_t by_age(const sub_core_t *sub, uint32_t eligible, bool youngest)
{
    uint32_t best = (uint32_t)__builtin_ctz(eligible);
    for (uint32_t bits = eligible & (eligible - 1); bits != 0; bits &= bits - 1) {
        uint32_t bit = (uint32_t)__builtin_ctz(bits);
        int32_t newer = (int32_t)(sub->age[bit] - sub->age[best]);
        if (youngest ? newer > 0 : newer < 0)
            best = bit;
    }
    return best;
}

#endif
