/*
 * Counts of issued instructions. They are kept by opcode class in each sub-core, and added to the
 * statistics when somebody looks at them.
 */
#ifndef RUBATO_SM_TALLY_H
#define RUBATO_SM_TALLY_H

#include "sim/sm/subcore/subcore_parts.h"

/* A warp issues an instruction: what depends on the instruction. */
static inline __attribute__((always_inline)) void tally_inst(sub_core_t *sub, const warp_t *warp,
                                                             const inst_t *inst)
{
    sub->issued[inst->cls]++;
    sub->flops[inst->cls] += (uint64_t)inst->work * warp->lanes;
}

/* A warp issues n instructions: what depends on its lanes. */
static inline __attribute__((always_inline)) void tally_lanes(sub_core_t *sub, const warp_t *warp,
                                                              uint64_t n)
{
    sub->threads += n * warp->lanes;
    if (warp->lanes == 0)
        sub->pred_off += n;
}

/* A warp issues its next instruction. */
static inline __attribute__((always_inline)) void tally_issue(sub_core_t *sub, const warp_t *warp)
{
    tally_inst(sub, warp, warp->inst);
    tally_lanes(sub, warp, 1);
}

/* tally.c */

/* Adds the counts of a sub-core to the statistics. */
void tally_flush(sm_t *sm, sub_core_t *sub);

/* The same if all that was counted is of one opcode class, to any counters. */
void tally_move(const sm_t *sm, sub_core_t *sub, unsigned cls, sm_stats_t *to);

#endif
