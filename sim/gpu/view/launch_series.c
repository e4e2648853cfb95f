#include "sim/gpu/view/launch_series.h"

void launch_series_begin(launch_series_t *s, gpu_t *g, uint64_t launch_id, cycle_t start,
                         const gpu_counters_t *before, uint64_t copied)
{
    const run_state_t *r = &g->run;
    *s = (launch_series_t){
        .gpu = g, .launch_id = launch_id, .start = start, .from = start, .point = CYCLE_NEVER};
    if (r->callbacks->interval == NULL || r->plan->stats_interval == 0)
        return;
    s->step = r->plan->stats_interval;
    s->point = start + s->step;
    s->last = *before;
    s->last.l2.memcpy_sectors -= copied; /* which nothing else counts */
}

static rb_code_t tell(const launch_series_t *s, rb_err_t *err)
{
    const gpu_callbacks_t *callbacks = s->gpu->run.callbacks;
    return s->holds ? callbacks->interval(callbacks->ctx, &s->held, err) : RB_OK;
}

/* What was counted since the last point, up to these counters. */
static gpu_counters_t take(launch_series_t *s, const gpu_counters_t *now)
{
    gpu_counters_t part;
    gpu_counters_between(&part, now, &s->last);
    s->last = *now;
    return part;
}

/* Holds the interval that ends at cycle `to`. */
static void hold(launch_series_t *s, cycle_t to, const gpu_counters_t *part)
{
    s->held = (interval_result_t){.launch_id = s->launch_id,
                                  .start = s->from - s->start,
                                  .end = to - s->start,
                                  .sm = part->sm,
                                  .l2 = part->l2,
                                  .dram = part->dram};
    s->holds = true;
    s->from = to;
}

rb_code_t launch_series_point(launch_series_t *s, rb_err_t *err)
{
    gpu_counters_t now;
    RB_TRY(tell(s, err));
    gpu_count(s->gpu, s->point, &now);
    const gpu_counters_t part = take(s, &now);
    hold(s, s->point, &part);
    s->point += s->step;
    return RB_OK;
}

rb_code_t launch_series_end(launch_series_t *s, cycle_t end, const gpu_counters_t *all,
                            rb_err_t *err)
{
    if (s->step == 0)
        return RB_OK;
    const gpu_counters_t part = take(s, all);
    if (end > s->from) {
        RB_TRY(tell(s, err));
        hold(s, end, &part);
    } else {
        stats_add((uint64_t *)&s->held.sm, (const uint64_t *)&part.sm, SM_STAT_COUNT);
        stats_add((uint64_t *)&s->held.l2, (const uint64_t *)&part.l2, L2_STAT_COUNT);
        stats_add((uint64_t *)&s->held.dram, (const uint64_t *)&part.dram, DRAM_STAT_COUNT);
    }
    return tell(s, err);
}
