/* The totals of a run that simulates a part of what another one chose. */
#include <stdlib.h>

#include "frontend/tool/run/sampled/run_sampling_parts.h"

void run_sampling_free_base(run_sampling_t *s)
{
    if (s->base == NULL)
        return;
    run_arm_free(&s->base->arm);
    free(s->base);
}

/* By the ratio of each value between both runs in the launches of the part, as paired_change() does. */
void run_sampling_settle_base(run_sampling_t *s)
{
    double part[STAT_VALUES] = {0};
    if (s->base == NULL || !s->plan.part)
        return;
    for (uint64_t i = 0; i < s->plan.n_samples; i++) {
        const arm_launch_t *l = run_arm_find(&s->base->arm, s->plan.samples[i].launch);
        for (size_t v = 0; v < STAT_VALUES; v++)
            part[v] += s->plan.samples[i].weight * l->values[v];
    }
    for (size_t v = 0; v < STAT_VALUES; v++) {
        if (part[v] > 0)
            s->sum[v] *= s->base->sum[v] / part[v];
        else
            s->sum[v] += s->base->sum[v];
    }
}
