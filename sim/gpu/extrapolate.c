#include "sim/gpu/extrapolate.h"

#include <math.h>
#include <string.h>

#include "sim/stats/stats.h"

void extrapolation_begin(extrapolation_t *x, const gpu_counters_t *now)
{
    memset(x, 0, sizeof(*x));
    x->begin = x->mark = *now;
}

static gpu_counters_t between(const gpu_counters_t *from, const gpu_counters_t *to)
{
    gpu_counters_t out;
    stats_sub((uint64_t *)&out, (const uint64_t *)to, (const uint64_t *)from, GPU_COUNTERS);
    return out;
}

void extrapolation_stop(extrapolation_t *x, const gpu_counters_t *now)
{
    x->stretch = between(&x->mark, now);
}

/* What so many instructions add that take after those of c, which has some. */
static void add_like(extrapolation_t *x, const gpu_counters_t *c, double insts)
{
    const uint64_t *from = (const uint64_t *)c;
    for (size_t i = 0; i < GPU_COUNTERS; i++)
        x->extra[i] += (double)from[i] * (insts / (double)c->sm.warp_insts);
    x->insts += insts;
}

void extrapolation_resume(extrapolation_t *x, const gpu_counters_t *now, double insts)
{
    if (x->stretch.sm.warp_insts > 0)
        add_like(x, &x->stretch, insts);
    x->mark = *now;
}

void extrapolation_finish(extrapolation_t *x, gpu_counters_t *c, double insts)
{
    uint64_t *to = (uint64_t *)c;
    if (c->sm.warp_insts == 0)
        return;
    const double left = fmax(insts - (double)c->sm.warp_insts, 0);
    const double part = x->insts > left ? left / x->insts : 1;
    for (size_t i = 0; i < GPU_COUNTERS; i++)
        x->extra[i] *= part;
    x->insts *= part;
    const gpu_counters_t before = between(&x->begin, &x->mark), last = between(&before, c);
    if (left > x->insts)
        add_like(x, last.sm.warp_insts > 0 ? &last : c, left - x->insts);
    for (size_t i = 0; i < GPU_COUNTERS; i++)
        to[i] = (uint64_t)llround((double)to[i] + x->extra[i]);
}
