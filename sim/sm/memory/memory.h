/* Interface of the memory side for the landing. sm_calls.h has the calls of the other rooms. */
#ifndef RUBATO_SM_MEMORY_H
#define RUBATO_SM_MEMORY_H

#include "sim/sm/sm_calls.h"

/* memory.c */

void memory_init(sm_t *sm);
void memory_begin(sm_t *sm); /* before the SM's first block */
void memory_free(sm_t *sm);

/* Prepares for a launch: empties the L1 and gives it the size that the carve-out leaves. */
void memory_reset(sm_t *sm, uint32_t carveout, cycle_t now);

/* write_back.c. All that a write-back L1 has modified goes to the L2. Returns a ticket for that and for
 * what is still on its way; 0: there is nothing. */
uint32_t memory_write_back(sm_t *sm, cycle_t now);

/* Whether all writes for a ticket are acknowledged. */
bool memory_written_back(const sm_t *sm, uint32_t ticket);

/* A write (TXN_WRITE_BACK) is acknowledged. Returns whether all are of some ticket. */
bool memory_write_acknowledged(sm_t *sm, uint32_t index);

/* Fills in the gauges of the memory side. */
void memory_gauges(const sm_t *sm, sm_gauges_t *out);

/* What the load/store unit is doing, for dumps. */
const char *memory_doing(const sm_t *sm);

/* Host-side hints: the SM will run soon; its window begins. */
void memory_prefetch_shape(const sm_t *sm);
void memory_prefetch(const sm_t *sm);

/* tlb.c: empties both levels of the TLB of an idle SM. */
void tlb_forget(sm_t *sm);

/* Checkpoint of an idle SM. 0, or -1 with errno. latest: see checkpoint_read.h. */
int memory_save(const sm_t *sm, FILE *out);
int memory_load(sm_t *sm, FILE *in, cycle_t latest);

/* lsu.c */

/* Next cycle at which the load/store unit has something to do; CYCLE_NEVER if an event will wake
 * it. */
static inline cycle_t lsu_next(const sm_t *sm)
{
    return sm->memory.lsu.retry;
}

/* Simulates one cycle of the load/store unit; the second one with counts per instruction. */
void lsu_step(sm_t *sm, cycle_t now);
void lsu_step_profiled(sm_t *sm, cycle_t now);

/* Counts the cycles before now in which an instruction was stalled. */
void lsu_charge(sm_t *sm, cycle_t now);

/* Host-side hint that the unit will soon continue an instruction with lines left. */
void lsu_prefetch(const sm_t *sm);

/* What blocks a line of the instruction in the load/store unit. */
typedef enum { L1_DONE, L1_NO_MSHR, L1_NO_QUEUE, L1_NO_TLB } l1_result_t;

/* Whether an absent line is still blocked. No need to look it up again: only the unit itself
 * allocates MSHRs or requests lines. */
static inline bool lsu_miss_stalled(const sm_t *sm)
{
    const lsu_t *u = &sm->memory.lsu;
    if (!u->absent)
        return false;
    return sm->memory.mshr_free == 0 ? u->stalled == L1_NO_MSHR
                                     : u->stalled == L1_NO_QUEUE && sm_out_full(sm);
}

/* Something that a stalled instruction waits for may have become available. */
static inline void lsu_kick(sm_t *sm, cycle_t now)
{
    lsu_t *u = &sm->memory.lsu;
    if (sm->memory.n_write_backs > 0 || (u->stalled != L1_DONE && !lsu_miss_stalled(sm)))
        u->retry = cycle_min(u->retry, now);
}

/* The instruction that waits in entry `load` for data from beyond the L1; *w: its warp. */
static inline const inst_t *memory_load_inst(const sm_t *sm, uint32_t load, uint32_t *w)
{
    *w = sm->memory.load[load].warp;
    return sm->memory.load[load].inst;
}

/* l1_reply.c */

/* Handles replies: sectors of a line (TXN_MSHR), or what a load or atomic beyond the L1 waits for
 * (TXN_LOAD). */
void l1_fill(sm_t *sm, const mem_msg_t *m, cycle_t now);
void l1_answer(sm_t *sm, const mem_msg_t *m, cycle_t now);

/* Host-side hints: this reply (TXN_MSHR) will arrive in this window; it has arrived and will be
 * taken soon. */
void l1_prefetch_reply(const sm_t *sm, const mem_msg_t *m);
void l1_prefetch_arrived(const sm_t *sm, const mem_msg_t *m);

/* tlb.c: notes a translation that arrived; tlb_step() handles those of a cycle. */

void tlb_arrive(sm_t *sm, uint64_t entry);
void tlb_step(sm_t *sm, cycle_t now);

static inline bool tlb_has_arrivals(const sm_t *sm)
{
    return sm->memory.tlb.n_arrived > 0;
}

#endif
