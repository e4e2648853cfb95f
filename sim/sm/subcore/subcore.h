/* Interface of the sub-cores for the landing. sm_calls.h has the calls of the other rooms. */
#ifndef RUBATO_SM_SUBCORE_H
#define RUBATO_SM_SUBCORE_H

#include "sim/sm/sm_calls.h"

/* subcore.c */

void subcore_init(sm_t *sm);
void subcore_free(sm_t *sm);

/* Charges every warp for the cycles before now. */
void subcore_charge(sm_t *sm, cycle_t now);

/* Warp instructions issued that the statistics do not have yet. (tally.c) */
uint64_t subcore_issued(const sm_t *sm);

/* Keeps old entries of the dependence tables comparable. Call when due. (depend.c) */
void depend_sweep(sm_t *sm, cycle_t now);

static inline bool depend_sweep_is_due(const sm_t *sm, cycle_t now)
{
    return now >= sm->subcore.sweep_at;
}

/* Host-side hint that a window of the SM begins soon. */
void subcore_prefetch(const sm_t *sm);

/* Checkpoint of an idle SM. 0, or -1 with errno. latest: see checkpoint_read.h. */
int subcore_save(const sm_t *sm, FILE *out);
int subcore_load(sm_t *sm, FILE *in, cycle_t latest);

/* issue.c */

/* Next cycle at which something happens in a sub-core. */
static inline cycle_t issue_next(const sm_t *sm)
{
    return sm->subcore.issue_next;
}

/* Lets every sub-core issue. Each may run on beyond this cycle, but not beyond cycle `until`, as long
 * as that concerns nobody else. */
void issue_step(sm_t *sm, cycle_t now, cycle_t until);

/* The same with counts per instruction. (profiled.c) */
void issue_step_profiled(sm_t *sm, cycle_t now, cycle_t until);

/* copies.c: an asynchronous copy of warp w, of this group, is in shared memory at cycle `at`. */
void copies_done(sm_t *sm, uint32_t w, unsigned group, cycle_t at, cycle_t now);

/* warp.c */

/* Why a warp is in no ready set. */
typedef enum {
    PARK_NOT,    /* ready, or an event will wake it at a known cycle */
    PARK_DEPEND, /* waits for a register whose cycle is not known yet */
    PARK_FETCH,  /* waits for an instruction line whose cycle is not known yet */
    PARK_BARRIER,
    PARK_MEMBAR,
    PARK_EXITED, /* no instruction left */
} park_t;

/* Determines when warp w can issue its next instruction, and puts it into a ready set or the event
 * wheel, or parks it. */
void warp_schedule(sm_t *sm, uint32_t w, cycle_t now);

/* Parks warp w, charged to state, until warp_resume(). */
void warp_park(sm_t *sm, uint32_t w, park_t why, sm_state_t state);

/* The same for a warp with a next instruction; its instruction buffer is filled meanwhile. */
void warp_wait(sm_t *sm, uint32_t w, park_t why, sm_state_t state, cycle_t now);

static inline park_t warp_parked(const sm_t *sm, uint32_t w)
{
    return (park_t)sm->subcore.warp[w].park;
}

/* Warp w can issue from cycle `at`; until then it is charged to state. */
void warp_resume(sm_t *sm, uint32_t w, cycle_t at, sm_state_t state, cycle_t now);

/* The earliest issue cycle of the warp's next instruction, dependences apart. */
static inline cycle_t warp_base(const sm_t *sm, uint32_t w)
{
    return sm->subcore.warp[w].base;
}

/* Reschedules a warp if it is parked for this reason. */
void warp_unpark(sm_t *sm, uint32_t w, park_t why, cycle_t now);

/* The same for warps that wait for instructions, in a set of sub-cores. */
void warps_fetched(sm_t *sm, uint32_t sub_cores, cycle_t now);

/* Makes warp w ready; its event is due. */
void warp_make_ready(sm_t *sm, uint32_t w, cycle_t now);

/* warp_slot.c */

/* The sub-core with the most free slots, where the block in slot b begins. */
uint32_t warp_slot_best(const sm_t *sm, uint32_t b);

/* Takes a free slot of sub-core s, or of the next one that has one; NO_INDEX if none has. */
uint32_t warp_slot_take(sm_t *sm, uint32_t s);

/* Puts a warp into slot w. warp_schedule() then starts it. */
void warp_slot_fill(sm_t *sm, uint32_t w, const warp_stream_t *stream, cycle_t now);

/* Frees slot w. */
void warp_slot_free(sm_t *sm, uint32_t w, cycle_t now);

/* Next instruction of the warp in slot w, for dumps; NULL: none. */
const inst_t *warp_slot_next(const sm_t *sm, uint32_t w);

/* ready.c: charges warp w, which must not be in a ready set, for the cycles before now. */
void warp_charge(sm_t *sm, uint32_t w, cycle_t now);

/* results.c: replies of the memory side, see sm_calls.h. */

void results_sources_read(sm_t *sm, uint32_t w, const inst_t *inst, cycle_t cycle, cycle_t now);

/* true: the result needs no further event. false: results_due() will write it. */
bool results_come(sm_t *sm, uint32_t w, const inst_t *inst, cycle_t cycle, dep_kind_t kind,
                  cycle_t now);

/* Handles a wheel event of a result that wants the write port. Returns its warp; NO_INDEX if the
 * result must wait another cycle. */
uint32_t results_due(sm_t *sm, uint32_t event, cycle_t now);

#endif
