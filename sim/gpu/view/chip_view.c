#include "sim/gpu/view/chip_view.h"

#include <stdlib.h>

#include "sim/core/alloc.h"
#include "sim/gpu/gpu_internal.h"

struct chip_views {
    struct gpu *g;         /* borrowed */
    sm_stats_t *sm_before; /* owned, per SM: counters at the previous view */
    partition_view_t *partition_before;
    sm_view_t *sm; /* owned, like the members below: the view being made */
    partition_view_t *partition;
    sm_stay_t (*resident)[SM_MAX_STAYS];
    const launch_info_t *launch; /* borrowed */
    cycle_t start, from;         /* from: start of the next view, relative to start */
    bool open, first;
};

chip_views_t *chip_views_create(gpu_t *g)
{
    const run_state_t *r = &g->run;
    if (r->plan->view.interval == 0 || r->callbacks->view == NULL)
        return NULL;
    chip_views_t *v = rb_calloc(1, sizeof(*v));
    v->g = g;
    v->sm_before = rb_calloc(g->n_sms, sizeof(*v->sm_before));
    v->sm = rb_calloc(g->n_sms, sizeof(*v->sm));
    v->resident = rb_calloc(g->n_sms, sizeof(*v->resident));
    v->partition_before = rb_calloc(g->n_partitions, sizeof(*v->partition_before));
    v->partition = rb_calloc(g->n_partitions, sizeof(*v->partition));
    return v;
}

static void watch_all(const gpu_t *g, bool on)
{
    for (uint32_t i = 0; i < g->n_sms; i++)
        sm_watch(g->sm[i], on);
}

void chip_views_destroy(chip_views_t *v)
{
    if (v == NULL)
        return;
    watch_all(v->g, false);
    free(v->sm_before);
    free(v->sm);
    free(v->resident);
    free(v->partition_before);
    free(v->partition);
    free(v);
}

/* Stores all counters as of cycle now. */
static void remember(chip_views_t *v, cycle_t now)
{
    gpu_t *g = v->g;
    for (uint32_t i = 0; i < g->n_sms; i++) {
        sm_charge(g->sm[i], now);
        v->sm_before[i] = *sm_stats(g->sm[i]);
    }
    for (uint32_t i = 0; i < g->n_partitions; i++)
        partition_stats(g->partition[i], &v->partition_before[i].l2, &v->partition_before[i].dram);
}

cycle_t chip_views_begin(chip_views_t *v, const launch_info_t *info, cycle_t start)
{
    const chip_view_plan_t *plan = &v->g->run.plan->view;
    v->open = info->id >= plan->first_launch && info->id <= plan->last_launch;
    if (!v->open)
        return CYCLE_NEVER;
    v->launch = info;
    v->start = start;
    v->from = plan->from;
    v->first = true;
    watch_all(v->g, true);
    /* The view at plan->from is only the base of the next one: it is taken but not reported. */
    if (plan->from == 0)
        remember(v, start);
    return start + (plan->from > 0 ? plan->from : cycle_min(plan->interval, plan->to));
}

static void view_sm(chip_views_t *v, uint32_t i, bool last)
{
    enum { N = SM_STAT_COUNT };
    sm_t *sm = v->g->sm[i];
    sm_view_t *view = &v->sm[i];
    const sm_stats_t *now = sm_stats(sm);
    stats_sub((uint64_t *)&view->did, (const uint64_t *)now, (const uint64_t *)&v->sm_before[i], N);
    v->sm_before[i] = *now;
    sm_gauges(sm, &view->holds);
    view->ended = sm_stays(sm, &view->n_ended);
    view->resident = v->resident[i];
    view->n_resident = last ? sm_residents(sm, v->resident[i]) : 0;
}

static void view_partition(chip_views_t *v, uint32_t i, cycle_t cycle)
{
    const partition_t *p = v->g->partition[i];
    partition_view_t *view = &v->partition[i], *before = &v->partition_before[i], now;
    partition_stats(p, &now.l2, &now.dram);
    stats_sub((uint64_t *)&view->l2, (const uint64_t *)&now.l2, (const uint64_t *)&before->l2,
              L2_STAT_COUNT);
    stats_sub((uint64_t *)&view->dram, (const uint64_t *)&now.dram, (const uint64_t *)&before->dram,
              DRAM_STAT_COUNT);
    before->l2 = now.l2;
    before->dram = now.dram;
    partition_gauges(p, cycle, &view->holds);
}

rb_code_t chip_views_take(chip_views_t *v, cycle_t now, bool ended, cycle_t *next, rb_err_t *err)
{
    gpu_t *g = v->g;
    const gpu_callbacks_t *callbacks = g->run.callbacks;
    const chip_view_plan_t *plan = &g->run.plan->view;
    const cycle_t to = now - v->start;
    const bool last = ended || to >= plan->to;
    *next = CYCLE_NEVER;
    if (!v->open)
        return RB_OK;
    if (!last)
        *next = v->start + cycle_min(to + plan->interval, plan->to);
    v->open = !last;
    if (to <= v->from) { /* at the start of the range; or the launch ended before it */
        remember(v, now);
        return RB_OK;
    }
    for (uint32_t i = 0; i < g->n_sms; i++) {
        sm_charge(g->sm[i], now);
        view_sm(v, i, last);
    }
    for (uint32_t i = 0; i < g->n_partitions; i++)
        view_partition(v, i, now);
    const chip_view_t view = {.launch = v->launch,
                              .start = v->start,
                              .from = v->from,
                              .to = to,
                              .first = v->first,
                              .last = last,
                              .ended = ended,
                              .n_sms = g->n_sms,
                              .n_partitions = g->n_partitions,
                              .sm = v->sm,
                              .partition = v->partition};
    v->from = to;
    v->first = false;
    rb_code_t rc = callbacks->view(callbacks->ctx, &view, err);
    for (uint32_t i = 0; i < g->n_sms; i++)
        sm_stays_clear(g->sm[i]);
    if (last)
        watch_all(g, false);
    return rc;
}
