/* Which launches a run is for. */
#include "sim/gpu/gpu_internal.h"

bool gpu_plan_lists(const run_plan_t *plan, uint64_t id)
{
    if (plan->launch_ids == NULL)
        return true;
    size_t lo = 0, hi = plan->n_launch_ids;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (plan->launch_ids[mid] < id)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < plan->n_launch_ids && plan->launch_ids[lo] == id;
}
