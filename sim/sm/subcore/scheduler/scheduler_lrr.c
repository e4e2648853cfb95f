/* Loose round robin. */
#include "sim/sm/subcore/scheduler/scheduler_state.h"

uint32_t scheduler_lrr_pick(const sm_spec_t *spec, sub_core_t *sub, uint32_t eligible)
{
    (void)spec;
    return next_in_turn(sub, eligible);
}
