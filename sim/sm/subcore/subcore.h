/*
 * What the sub-cores offer to the landing. What other rooms ask of them: sm_calls.h.
 */
#ifndef RUBATO_SM_SUBCORE_H
#define RUBATO_SM_SUBCORE_H

#include "sim/sm/sm_calls.h"

/* subcore.c */

void subcore_init(sm_t *sm);
void subcore_free(sm_t *sm);

/* Charges every warp for the cycles before now. */
void subcore_charge(sm_t *sm, cycle_t now);

/* Keeps old entries of the dependence tables comparable. (depend.c) */
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

/* Next cycle at which some sub-core may issue. */
static inline cycle_t issue_next(const sm_t *sm)
{
    return sm->subcore.issue_next;
}

/* Lets every sub-core issue. */
void issue_step(sm_t *sm, cycle_t now);

/* warp.c */

/* Why a warp has no place in a ready set. */
typedef enum {
    PARK_NOT,    /* ready, or an event will wake it at a known cycle */
    PARK_DEPEND, /* a register's time is not known yet */
    PARK_FETCH,  /* an instruction line's time is not known yet */
    PARK_BARRIER,
    PARK_MEMBAR,
    PARK_EXITED, /* no instruction left */
} park_t;

/* Finds out when warp w can issue its next instruction and puts it into a ready set, the event
 * wheel, or parks it. */
void warp_schedule(sm_t *sm, uint32_t w, cycle_t now);

/* Warp w waits for something, charged to state, until warp_resume(). */
void warp_park(sm_t *sm, uint32_t w, park_t why, sm_state_t state);

/* The same for a warp with a next instruction, whose buffer is filled meanwhile. */
void warp_wait(sm_t *sm, uint32_t w, park_t why, sm_state_t state, cycle_t now);

static inline park_t warp_parked(const sm_t *sm, uint32_t w)
{
    return (park_t)sm->subcore.warp[w].park;
}

/* Warp w can issue from cycle at on; if it waits for that, it is charged to state. */
void warp_resume(sm_t *sm, uint32_t w, cycle_t at, sm_state_t state, cycle_t now);

/* Since when it can, so far as was known. */
static inline cycle_t warp_base(const sm_t *sm, uint32_t w)
{
    return sm->subcore.warp[w].base;
}

/* A warp that is parked for this reason may be able to go on: what it waited for is known. */
void warp_unpark(sm_t *sm, uint32_t w, park_t why, cycle_t now);

/* The same for the warps of the sub-cores in a set that wait for instructions. */
void warps_fetched(sm_t *sm, uint32_t sub_cores, cycle_t now);

/* An event of warp w is due: it becomes ready. */
void warp_make_ready(sm_t *sm, uint32_t w, cycle_t now);

/* warp_slot.c */

/* The sub-core with most free slots. */
uint32_t warp_slot_best(const sm_t *sm);

/* Takes a free slot of sub-core s, or of the next one that has one; NO_INDEX: none has. */
uint32_t warp_slot_take(sm_t *sm, uint32_t s);

/* A warp starts in slot w; warp_schedule() lets it go. */
void warp_slot_fill(sm_t *sm, uint32_t w, const warp_stream_t *stream, cycle_t now);

/* The warp in slot w has left it. */
void warp_slot_free(sm_t *sm, uint32_t w, cycle_t now);

/* Next instruction of the warp in slot w, for dumps; NULL: none. */
const inst_t *warp_slot_next(const sm_t *sm, uint32_t w);

/* ready.c: charges warp w, which is in no ready set, for the cycles before now. */
void warp_charge(sm_t *sm, uint32_t w, cycle_t now);

/* results.c: answers of the memory side, see sm_calls.h. */

void results_sources_read(sm_t *sm, uint32_t w, const inst_t *inst, cycle_t cycle, cycle_t now);

/* false: the result has yet to be written, results_due() will tell. */
bool results_come(sm_t *sm, uint32_t w, const inst_t *inst, cycle_t cycle, dep_kind_t kind,
                  cycle_t now);

/* An event of the wheel that is no warp's: a result has its turn at the write port. Returns its
 * warp, NO_INDEX if it has to wait once more. */
uint32_t results_due(sm_t *sm, uint32_t event, cycle_t now);

#endif
