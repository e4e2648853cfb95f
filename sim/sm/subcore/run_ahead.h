/*
 * A sub-core may run ahead of its SM: simulate several cycles in a row before anything else on the SM
 * is simulated. This is exact while neither can influence the other:
 *
 * - Nothing reaches the sub-core from outside: it stops at the next cycle in which a message or an
 *   event of the wheel is due on the SM, or the load/store unit, if that has an instruction of the
 *   sub-core or may take one. Other sub-cores, which are behind, influence it only when one of their
 *   warps completes a barrier; barrier_latency cycles later at the earliest.
 * - It influences nothing outside: it stops before an instruction that goes to memory, reads the
 *   constant cache or the clock, or waits for other warps; when a warp is ready for a unit of the
 *   whole SM; before the end of a warp; and before an instruction line that is not in its L0.
 *
 * What it has stopped before it issues in step with the others; the warp is picked already.
 */
#ifndef RUBATO_SM_RUN_AHEAD_H
#define RUBATO_SM_RUN_AHEAD_H

#include "sim/sm/subcore/subcore_parts.h"

/* Whether a sub-core may run ahead at all. Records of single instructions must be made in the order
 * of time. A warp that is ready for a unit of the whole SM is throttled when others use it. */
static inline bool run_ahead_is_possible(const sm_t *sm, const sub_core_t *sub)
{
    return sm->subcore.plain && !recorded(sm, RETIRED_BASIC_BLOCK) && sub->dry == 0 &&
           !(sub->ready_pipes & sm->subcore.shared_pipes);
}

/* The cycle at which the sub-core, which is issuing, must stop if it runs ahead in cycle now; until: end
 * of the window. */
static inline cycle_t run_ahead_end(const sm_t *sm, const sub_core_t *sub, cycle_t now,
                                    cycle_t until)
{
    cycle_t end = cycle_min(until, sm_next_arrival(sm));
    end = cycle_min(end, memory_reaches(sm, (uint32_t)sm->subcore.issuing));
    /* Waits that do not fit the wake ring go through the event wheel of the SM. */
    end = cycle_min(end, now + WAKE_CYCLES);
    return sub->at_barrier > 0 ? cycle_min(end, now + sm->config->sm.barrier_latency) : end;
}

#endif
