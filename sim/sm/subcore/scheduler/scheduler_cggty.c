/* Greedy then youngest, as measured on Ampere and checked on Turing (Huerta et al., MICRO 2025). */
#include "sim/sm/subcore/scheduler/scheduler_state.h"

uint32_t scheduler_cggty_pick(const sm_spec_t *spec, sub_core_t *sub, uint32_t eligible)
{
    (void)spec;
    return last_is_eligible(sub, eligible) ? sub->last : by_age(sub, eligible, true);
}
