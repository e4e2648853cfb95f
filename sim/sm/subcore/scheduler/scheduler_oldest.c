/* The oldest warp. */
#include "sim/sm/subcore/scheduler/scheduler_state.h"

uint32_t scheduler_oldest_pick(const sm_spec_t *spec, sub_core_t *sub, uint32_t eligible)
{
    (void)spec;
    return by_age(sub, eligible, false);
}
