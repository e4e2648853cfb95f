#include "sim/sm/subcore/tally.h"

static void move_class(const sm_t *sm, sub_core_t *sub, unsigned cls, sm_stats_t *to)
{
    uint64_t *count = (uint64_t *)to;
    count[sm->cls[cls].mix] += sub->issued[cls];
    count[sm->cls[cls].flops] += sub->flops[cls];
    to->warp_insts += sub->issued[cls];
    to->state_selected += sub->issued[cls];
    sub->issued[cls] = sub->flops[cls] = 0;
}

static void move_lanes(sub_core_t *sub, sm_stats_t *to)
{
    to->thread_insts += sub->threads;
    to->pred_off_insts += sub->pred_off;
    sub->threads = sub->pred_off = 0;
}

void tally_flush(sm_t *sm, sub_core_t *sub)
{
    if (sub->threads == 0 && sub->pred_off == 0)
        return; /* nothing was issued */
    for (unsigned c = 0; c < OP_CLASS_COUNT; c++)
        move_class(sm, sub, c, &sm->stats);
    move_lanes(sub, &sm->stats);
}

void tally_move(const sm_t *sm, sub_core_t *sub, unsigned cls, sm_stats_t *to)
{
    move_class(sm, sub, cls, to);
    move_lanes(sub, to);
}

uint64_t subcore_issued(const sm_t *sm)
{
    uint64_t issued = 0;
    for (uint32_t s = 0; s < sm->n_sub_cores; s++) {
        for (unsigned c = 0; c < OP_CLASS_COUNT; c++)
            issued += sm->subcore.sub[s].issued[c];
    }
    return issued;
}
