/* Which launches a run is for, and whether its samplers fit the chip. */
#include "sim/core/find_first.h"
#include "sim/gpu/gpu_internal.h"

bool gpu_plan_lists(const run_plan_t *plan, uint64_t id)
{
    if (plan->launch_ids == NULL)
        return true;
    size_t i;
    FIND_FIRST(i, 0, plan->n_launch_ids, plan->launch_ids[i] >= id);
    return i < plan->n_launch_ids && plan->launch_ids[i] == id;
}

rb_code_t gpu_inside_check(const gpu_spec_t *spec, size_t n_inside, rb_err_t *err)
{
    if (n_inside == 0 || spec->sm.l1.write != WRITE_POLICY_WRITE_BACK)
        return RB_OK;
    return rb_fail(err, RB_USAGE,
                   "l1.write = write_back: samplers inside launches do not estimate what the L1s "
                   "write back at the end of a launch; choose whole launches, such as with "
                   "--sample stem");
}
