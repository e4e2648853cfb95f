#include "sim/gpu/gpu_conf.h"

#include <string.h>

#include "sim/gpu/gpu.h"

enum { GROUPS_MAX = 32 };

rb_code_t gpu_spec_from_conf(gpu_spec_t *spec, conf_t *c, rb_err_t *err)
{
    conf_group_t groups[GROUPS_MAX];
    size_t n = 0;
    for (const gpu_group_t *g = gpu_groups; g->group; g++) {
        RB_INVARIANT(n < GROUPS_MAX, "more than %d parameter groups", GROUPS_MAX);
        groups[n++] = (conf_group_t){g->group, (char *)spec + g->offset};
    }
    memset(spec, 0, sizeof(*spec));
    RB_TRY(conf_apply(c, groups, n, err));
    spec->mem.core_mhz = spec->gpu.clock_mhz;
    return gpu_spec_check(spec, err);
}
