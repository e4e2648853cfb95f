#include "frontend/tool/library/config_groups.h"

#include "sampling/inside/inside_sampler.h"
#include "sim/gpu/gpu_params.h"

const param_group_t *config_group(size_t i)
{
    size_t n = 0;
    for (; gpu_groups[n].group != NULL; n++)
        if (n == i)
            return gpu_groups[n].group;
    return inside_group(i - n);
}
