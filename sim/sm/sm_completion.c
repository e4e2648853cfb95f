/*
 * Completion: source registers have been read, a result is known, a store is acknowledged. Updates
 * the dependences, wakes the warp, and tells its block.
 */
#include "sim/sm/inst_profile.h"
#include "sim/sm/landing.h"
#include "sim/sm/subcore/subcore.h"

void sm_sources_read(sm_t *sm, uint32_t w, const inst_t *inst, cycle_t cycle, cycle_t now)
{
    results_sources_read(sm, w, inst, cycle, now);
    warp_unpark(sm, w, PARK_DEPEND, now);
}

/* The result of inst of warp w takes this many cycles. */
static void note_result(sm_t *sm, uint32_t w, const inst_t *inst, cycle_t cycles)
{
    if (recorded(sm, RETIRED_BASIC_BLOCK))
        record_latency(sm, inst, cycles);
    if (sm->profile != NULL)
        profile_result(sm, w, inst, cycles);
}

void sm_result(sm_t *sm, uint32_t w, const inst_t *inst, cycle_t issued, cycle_t cycle,
               dep_kind_t kind, cycle_t now)
{
    if (sm->recorded & (retired_bit(RETIRED_BASIC_BLOCK) | RECORD_PROFILE))
        note_result(sm, w, inst, cycle - issued);
    if (results_come(sm, w, inst, cycle, kind, now))
        sm_result_written(sm, w, now);
}

void sm_copied(sm_t *sm, uint32_t w, const inst_t *inst, unsigned group, cycle_t issued,
               cycle_t cycle, cycle_t now)
{
    copies_done(sm, w, group, cycle, now);
    sm_result(sm, w, inst, issued, cycle, DEP_LONG, now);
}

void sm_result_written(sm_t *sm, uint32_t w, cycle_t now)
{
    sm->slot[w].loads--;
    warp_unpark(sm, w, PARK_DEPEND, now);
    block_memory_done(sm, w, now);
}

void sm_store_done(sm_t *sm, uint32_t index, cycle_t now)
{
    const uint32_t launch = index >> STORE_LAUNCH_SHIFT,
                   w = index & ((1u << STORE_LAUNCH_SHIFT) - 1);
    sm->slot[w].stores--;
    sm->stores[launch]--;
    block_store_done(sm, w, launch, now);
}
