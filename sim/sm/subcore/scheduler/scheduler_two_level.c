/*
 * Two levels (Narasiman et al., MICRO 2011): the warps of a sub-core are divided into groups of
 * sm.scheduler_group slots. The warps of the active group issue in turn. When none of them can
 * issue, the next group with an eligible warp becomes active, so that groups reach their long waits
 * at different times.
 */
#include "sim/sm/subcore/scheduler/scheduler_state.h"

static uint32_t group_mask(uint32_t group, uint32_t size)
{
    uint64_t bits = (UINT64_C(1) << size) - 1;
    return (uint32_t)(bits << (group * size));
}

uint32_t scheduler_two_level_pick(const sm_spec_t *spec, sub_core_t *sub, uint32_t eligible)
{
    const uint32_t size = spec->scheduler_group;
    const uint32_t groups = scheduler_groups(spec);
    uint32_t *active = &sub->scheduler_word;
    while ((eligible & group_mask(*active, size)) == 0)
        *active = (*active + 1) % groups;
    return next_in_turn(sub, eligible & group_mask(*active, size));
}
