/* Greedy then round robin. */
#include "sim/sm/subcore/scheduler/scheduler_state.h"

uint32_t scheduler_grr_pick(const sm_spec_t *spec, sub_core_t *sub, uint32_t eligible)
{
    (void)spec;
    return last_is_eligible(sub, eligible) ? sub->last : next_in_turn(sub, eligible);
}
