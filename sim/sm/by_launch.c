#include "sim/sm/by_launch.h"

#include <string.h>

#include "sim/core/model_mem.h"
#include "sim/sm/inst_profile.h"
#include "sim/sm/supply/supply.h"

void by_launch_free(sm_t *sm)
{
    by_launch_t *b = sm->by_launch;
    if (b == NULL)
        return;
    stats_split_free(&b->split);
    rb_model_free(b->line);
    rb_model_free(b->fetch);
    rb_model_free(b);
    sm->by_launch = NULL;
    sm->counted = 0;
}

void sm_count_by_launch(sm_t *sm, bool on, inst_table_t *const *tables)
{
    sm_profile(sm, NULL);
    by_launch_free(sm);
    if (!on)
        return;
    by_launch_t *b = rb_model_calloc(1, sizeof(*b));
    stats_split_init(&b->split, (uint64_t *)&sm->stats, SM_STAT_COUNT);
    b->line = rb_model_calloc(sm->config->l1.mshrs, sizeof(*b->line));
    b->fetch = rb_model_calloc(supply_requests_max(sm), sizeof(*b->fetch));
    sm->by_launch = b;
    inst_profile_begin(sm, tables);
}

void sm_drain_by_launch(sm_t *sm, stats_split_sink_t *sink, void *ctx)
{
    stats_split_drain(&sm->by_launch->split, sink, ctx);
}

size_t sm_sets_by_launch(const sm_t *sm)
{
    return sm->by_launch->split.n_sets;
}

void by_launch_active(sm_t *sm, cycle_t now)
{
    by_launch_t *b = sm->by_launch;
    const uint64_t cycles = now - b->since;
    for (uint32_t i = 0; i < b->n_resident; i++) {
        sm_stats_t *s = by_launch_of(sm, b->resident[i].tag);
        s->active_cycles += cycles / b->n_resident + (i < cycles % b->n_resident);
    }
    b->since = now;
}

void by_launch_start(sm_t *sm, uint16_t tag, cycle_t now)
{
    by_launch_t *b = sm->by_launch;
    uint32_t i = 0;
    while (i < b->n_resident && b->resident[i].tag != tag)
        i++;
    if (i == b->n_resident) {
        by_launch_active(sm, now);
        b->resident[b->n_resident++] = (resident_launch_t){.tag = tag};
    }
    b->resident[i].warps++;
}

void by_launch_leave(sm_t *sm, uint16_t tag, cycle_t now)
{
    by_launch_t *b = sm->by_launch;
    uint32_t i = 0;
    while (b->resident[i].tag != tag)
        i++;
    if (--b->resident[i].warps > 0)
        return;
    by_launch_active(sm, now);
    b->n_resident--;
    memmove(&b->resident[i], &b->resident[i + 1], (b->n_resident - i) * sizeof(*b->resident));
}
