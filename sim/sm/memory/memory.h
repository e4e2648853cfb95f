/*
 * What the memory side offers to the landing. What other rooms ask of it: sm_calls.h.
 */
#ifndef RUBATO_SM_MEMORY_H
#define RUBATO_SM_MEMORY_H

#include "sim/sm/sm_calls.h"

/* memory.c */

void memory_init(sm_t *sm);
void memory_free(sm_t *sm);

/* A new launch: the L1 forgets all lines and takes the size that the carve-out leaves. */
void memory_reset(sm_t *sm, uint32_t carveout);

/* Fills in what waits here. */
void memory_gauges(const sm_t *sm, sm_gauges_t *out);

/* What the load/store unit does, for dumps. */
const char *memory_doing(const sm_t *sm);

/* Host-side hints: the SM will run soon; its window begins. */
void memory_prefetch_shape(const sm_t *sm);
void memory_prefetch(const sm_t *sm);

/* Checkpoint of an idle SM. 0, or -1 with errno. latest: see checkpoint_read.h. */
int memory_save(const sm_t *sm, FILE *out);
int memory_load(sm_t *sm, FILE *in, cycle_t latest);

/* lsu.c */

/* Next cycle at which the load/store unit has something to do, CYCLE_NEVER: an event will tell. */
static inline cycle_t lsu_next(const sm_t *sm)
{
    return sm->memory.lsu.retry;
}

/* One cycle of the load/store unit. */
void lsu_step(sm_t *sm, cycle_t now);

/* Counts the cycles before now that an instruction has been stalled. */
void lsu_charge(sm_t *sm, cycle_t now);

/* Host-side hint that the unit will go on soon with an instruction that has lines left. */
void lsu_prefetch(const sm_t *sm);

/* What a line of the instruction in the load/store unit waits for. */
typedef enum { L1_DONE, L1_NO_MSHR, L1_NO_QUEUE, L1_NO_TLB } l1_result_t;

/* A line known to be absent waits for what is still not there: nothing but the unit itself takes
 * MSHRs or requests the line. */
static inline bool lsu_miss_stalled(const sm_t *sm)
{
    const lsu_t *u = &sm->memory.lsu;
    if (!u->absent)
        return false;
    return sm->memory.mshr_free == 0 ? u->stalled == L1_NO_MSHR
                                     : u->stalled == L1_NO_QUEUE && sm_out_full(sm);
}

/* Something that a stalled instruction waits for may be there. */
static inline void lsu_kick(sm_t *sm, cycle_t now)
{
    lsu_t *u = &sm->memory.lsu;
    if (u->stalled != L1_DONE && !lsu_miss_stalled(sm))
        u->retry = cycle_min(u->retry, now);
}

/* l1_reply.c */

/* Sectors, or the result of an atomic, came back. */
void l1_reply(sm_t *sm, const mem_msg_t *m, cycle_t now);

/* Host-side hints: this reply (TXN_MSHR) will arrive in this window; it has arrived and will be
 * taken soon. */
void l1_prefetch_reply(const sm_t *sm, const mem_msg_t *m);
void l1_prefetch_arrived(const sm_t *sm, const mem_msg_t *m);

/* tlb.c: a translation came; tlb_step() takes those of a cycle, if there are any. */

void tlb_arrive(sm_t *sm, uint64_t entry);
void tlb_step(sm_t *sm, cycle_t now);

static inline bool tlb_has_arrivals(const sm_t *sm)
{
    return sm->memory.tlb.n_arrived > 0;
}

#endif
