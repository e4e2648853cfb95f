/*
 * Records of what retires on an SM (retired.h). If nobody asks for them, the cost is one test per
 * warp, per block and per issued instruction.
 */
#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/isa/basic_block.h"
#include "sim/sm/landing.h"

void sm_record(sm_t *sm, unsigned kinds)
{
    RB_INVARIANT(sm->n_resident == 0 || kinds == 0, "SM %u: recording starts while it has warps",
                 sm->wiring.index);
    sm->recorded = kinds | (sm->recorded & RECORD_PROFILE);
    memset(sm->latency, 0, sizeof(sm->latency));
    sm_retired_clear(sm);
}

const latency_sum_t *sm_latencies(const sm_t *sm)
{
    return sm->latency;
}

const retired_t *sm_retired(const sm_t *sm, retired_kind_t kind, size_t *n)
{
    *n = sm->retired[kind].n;
    return sm->retired[kind].list;
}

void sm_retired_clear(sm_t *sm)
{
    for (unsigned kind = 0; kind < RETIRED_KINDS; kind++)
        sm->retired[kind].n = 0;
}

void record_free(sm_t *sm)
{
    for (unsigned kind = 0; kind < RETIRED_KINDS; kind++)
        free(sm->retired[kind].list);
}

static void note(sm_t *sm, retired_kind_t kind, const retired_t *r)
{
    size_t n = sm->retired[kind].n;
    rb_grow(&sm->retired[kind].list, &sm->retired[kind].cap, n + 1, sizeof(*r));
    sm->retired[kind].list[n] = *r;
    sm->retired[kind].list[n].sm = (uint16_t)sm->wiring.index;
    sm->retired[kind].n = n + 1;
}

void record_warp_start(sm_t *sm, uint32_t w, cycle_t now)
{
    sm->trail[w] = (trail_t){.start = now};
}

static void end_basic_block(sm_t *sm, uint32_t w, cycle_t now)
{
    trail_t *t = &sm->trail[w];
    const warp_slot_t *warp = &sm->slot[w];
    note(sm, RETIRED_BASIC_BLOCK,
         &(retired_t){.start = t->bb_start,
                      .retire = now,
                      .block = sm->block[warp->block].block->index,
                      .n_insts = t->bb_insts,
                      .pc = t->bb_pc,
                      .warp = warp->index});
    t->bb_insts = 0;
}

void record_latency(sm_t *sm, const inst_t *inst, cycle_t cycles)
{
    sm->latency[inst->cls].n++;
    sm->latency[inst->cls].cycles += cycles;
}

void record_issue(sm_t *sm, uint32_t w, const inst_t *inst, cycle_t now)
{
    trail_t *t = &sm->trail[w];
    if (t->bb_insts > 0 && !basic_block_goes_on(t->last, t->bb_insts, inst))
        end_basic_block(sm, w, now);
    if (t->bb_insts++ == 0) {
        t->bb_start = now;
        t->bb_pc = inst->pc;
    }
    t->last = inst;
}

void record_clock(sm_t *sm, uint32_t w, const inst_t *inst, cycle_t now)
{
    const warp_slot_t *warp = &sm->slot[w];
    note(sm, RETIRED_CLOCK,
         &(retired_t){.start = now,
                      .retire = now,
                      .block = sm->block[warp->block].block->index,
                      .n_insts = 1,
                      .pc = inst->pc,
                      .warp = warp->index});
}

void record_warp(sm_t *sm, uint32_t w, cycle_t now)
{
    const warp_slot_t *warp = &sm->slot[w];
    const struct trace_block *block = sm->block[warp->block].block;
    if (sm->trail[w].bb_insts > 0)
        end_basic_block(sm, w, now);
    if (recorded(sm, RETIRED_WARP))
        note(sm, RETIRED_WARP,
             &(retired_t){.start = sm->trail[w].start,
                          .retire = now,
                          .block = block->index,
                          .n_insts = block->warps[warp->index].n_insts,
                          .warp = warp->index});
}

void record_block(sm_t *sm, uint32_t b, cycle_t now)
{
    const struct trace_block *block = sm->block[b].block;
    note(sm, RETIRED_BLOCK,
         &(retired_t){.start = sm->block_since[b],
                      .retire = now,
                      .block = block->index,
                      .n_insts = block->n_insts});
}
