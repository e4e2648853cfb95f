#include "sim/sm/subcore/tally.h"

void tally_flush(sm_t *sm, sub_core_t *sub)
{
    uint64_t *count = (uint64_t *)&sm->stats, issued = 0;
    if (sub->threads == 0 && sub->pred_off == 0)
        return; /* nothing was issued */
    for (unsigned c = 0; c < OP_CLASS_COUNT; c++) {
        tally_t *t = &sub->tally[c];
        count[sm->cls[c].mix] += t->issued;
        count[sm->cls[c].flops] += t->flops;
        issued += t->issued;
        *t = (tally_t){0};
    }
    sm->stats.warp_insts += issued;
    sm->stats.state_selected += issued;
    sm->stats.thread_insts += sub->threads;
    sm->stats.pred_off_insts += sub->pred_off;
    sub->threads = sub->pred_off = 0;
}

uint64_t subcore_issued(const sm_t *sm)
{
    uint64_t issued = 0;
    for (uint32_t s = 0; s < sm->n_sub_cores; s++) {
        for (unsigned c = 0; c < OP_CLASS_COUNT; c++)
            issued += sm->subcore.sub[s].tally[c].issued;
    }
    return issued;
}
