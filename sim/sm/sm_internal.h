/*
 * The functions of the parts of an SM, shared by the files of this folder and nobody else; the
 * state that they work on: sm_state.h.
 *
 * Reading order: sm.c (the shard: messages, events, one cycle), warp.c (what a warp does next),
 * depend.c (scoreboard), control.c (control words), fetch.c (instruction caches),
 * issue.c (pipes), scheduler.h (the list of warp schedulers, a file each), operands.c
 * (register-file ports), results.c (write-back), lsu.c (memory instructions), coalesce.c (addresses
 * to sectors), l1.c (L1, misses, replies), tlb.c (address translation), block.c (blocks, barriers,
 * exit), record.c (what retired, for samplers), watch.c (for timelines).
 */
#ifndef RUBATO_SM_INTERNAL_H
#define RUBATO_SM_INTERNAL_H

#include "sim/sm/sm_state.h"

/* warp.c */

/* Finds out when warp w can issue its next instruction and puts it into a ready set, the event
 * wheel, or parks it. now: cycle being simulated. */
void warp_schedule(sm_t *sm, uint32_t w, cycle_t now);

/* Points warp w, whose inst was issued at now, to its next instruction; says since when it may
 * issue (base), dependences apart. false: there is none, the warp has ended. */
bool warp_advance(sm_t *sm, uint32_t w, cycle_t now);

/* Warp's inst has just become its next one: what its constant operand adds to its base. */
void warp_read_constant(sm_t *sm, warp_t *warp);

/* Takes warp w off the ready sets until warp_unpark(), charged to state. */
void warp_park(sm_t *sm, uint32_t w, park_t why, sm_state_t state);

/* Charges a warp outside the ready sets up to now. */
void warp_charge(sm_t *sm, warp_t *warp, cycle_t now);

/* An event of warp w is due: it becomes ready. */
void warp_make_ready(sm_t *sm, uint32_t w, cycle_t now);

/* A parked warp may be able to go on (what it waited for has become known). */
void warp_unpark(sm_t *sm, uint32_t w, park_t why, cycle_t now);

/* depend.c */

static inline dep_t dep_encode(cycle_t cycle, dep_kind_t kind)
{
    return (dep_t)(cycle << DEP_SHIFT) | (dep_t)kind;
}

/* Earliest cycle >= now at which the operands of inst allow warp w to issue; *kind is what a wait
 * is charged to. CYCLE_NEVER: not known yet. */
cycle_t depend_ready(const sm_t *sm, uint32_t w, const inst_t *inst, cycle_t now, dep_kind_t *kind);

/* The destinations of inst will be ready at cycle. */
void depend_set(sm_t *sm, uint32_t w, const inst_t *inst, cycle_t cycle, dep_kind_t kind);

/* ... at a cycle not known yet. */
void depend_set_pending(sm_t *sm, uint32_t w, const inst_t *inst, dep_kind_t kind);

/* The general-purpose sources of inst may not be overwritten until depend_release(). */
void depend_hold(sm_t *sm, uint32_t w, const inst_t *inst, dep_kind_t kind);

/* inst will have read its sources at cycle. */
void depend_release(sm_t *sm, uint32_t w, const inst_t *inst, cycle_t cycle, dep_kind_t kind);

/* A warp starts in slot w, of which nothing is pending any more: everything is ready. */
void depend_reset(sm_t *sm, uint32_t w, cycle_t now);

/* Keeps old entries comparable; called every DEP_SWEEP_INTERVAL cycles at least. */
enum { DEP_SWEEP_INTERVAL = 1 << 26 };
void depend_sweep(sm_t *sm, cycle_t now);

/* control.c */

void control_free(sm_t *sm);

/* A warp starts in slot w: its counters are 0. */
void control_reset(sm_t *sm, uint32_t w);

/* Cycles from the issue of an instruction with this control word to the next of its warp. */
cycle_t control_gap(const sm_t *sm, uint32_t ctl);

/* As depend_ready(), by the stall count before inst and the counters that inst waits for. */
cycle_t control_ready(const sm_t *sm, uint32_t w, const inst_t *inst, cycle_t now,
                      dep_kind_t *kind);

/* inst was issued at now: its counters count up. result: when its destinations are ready,
 * CYCLE_NEVER if control_result(), with its write barrier, and control_sources_read() will tell. */
void control_count(sm_t *sm, uint32_t w, const inst_t *inst, cycle_t result, cycle_t now);
void control_result(sm_t *sm, uint32_t w, unsigned barrier, cycle_t at, dep_kind_t kind,
                    cycle_t now);
void control_sources_read(sm_t *sm, uint32_t w, const inst_t *inst, cycle_t at, dep_kind_t kind,
                          cycle_t now);

/* results.c: of warps with control words */

/* inst, of fixed latency, was issued at now; its result is forwarded from that cycle on. */
void results_fixed(sm_t *sm, sub_core_t *sub, const inst_t *inst, cycle_t result, cycle_t now);

/* The result of warp w's inst comes from the load/store unit at cycle. true: results_due() will say
 * when it has been written; false: it needs no port. */
bool results_wait(sm_t *sm, uint32_t w, const inst_t *inst, cycle_t cycle, dep_kind_t kind);

/* An event of the wheel that is no warp's: a result that waited has its turn. */
void results_due(sm_t *sm, uint32_t event, cycle_t now);

/* control_check.c: only with sm->check != NULL, except init and free. */

void control_check_init(sm_t *sm);
void control_check_free(sm_t *sm);
void control_check_reset(sm_t *sm, uint32_t w);
void control_check_issue(sm_t *sm, uint32_t w, const inst_t *inst, uint32_t mask);

/* operands.c */

/* Warp w issues inst at now, whose control word tells what the operand cache keeps: promises it
 * the read ports that it needs; returns the cycles that it waits for them. */
uint32_t operands_allocate(sm_t *sm, sub_core_t *sub, uint32_t w, const inst_t *inst, cycle_t now);

/* When the operands of warp w's CS2R, just issued, count as read: its issue, and what the ports
 * delayed it. */
cycle_t operands_read_at(const sm_t *sm, uint32_t w);

/* A warp starts in slot w: the operand cache holds nothing of it. */
void operands_forget(sub_core_t *sub, uint32_t w);

/* fetch.c */

void fetch_init(sm_t *sm);
void fetch_free(sm_t *sm);

/* Size of a sub-core's table of lines under way, for checkpoints. */
size_t fetch_slot_bytes(const sm_t *sm);

/* Whether an SM at rest can have these lines under way, which were read from a checkpoint. */
bool fetch_is_possible(const sm_t *sm, const sub_core_t *sub, cycle_t latest);

/* A warp starts: its instruction buffer is empty. */
void fetch_forget(warp_t *warp);

/* fetch_instructions() where the lines that hold warp w's next instruction and, as far ahead as its
 * buffer reaches, another one are not both known to be in L0. */
bool fetch_lines(sm_t *sm, uint32_t w, uint64_t line, uint64_t ahead, cycle_t now);

/* Fills the instruction buffer of a warp that has a next instruction, whose base is moved to when
 * it is there. false: not known yet, the warp has been parked with PARK_FETCH. */
static inline bool fetch_instructions(sm_t *sm, uint32_t w, cycle_t now)
{
    const warp_t *warp = &sm->warp[w];
    uint64_t pc = sm->block[warp->block].launch->code_base + warp->inst->pc;
    uint64_t line = pc / INST_LINE_BYTES, ahead = (pc + sm->fetch_ahead) / INST_LINE_BYTES;
    if (ahead == warp->fetch_last && line >= warp->fetch_first && !warp->fetching)
        return true;
    return fetch_lines(sm, w, line, ahead, now);
}

/* Warp w is about to be parked for something else: its buffer is filled meanwhile. */
void fetch_while_waiting(sm_t *sm, uint32_t w, cycle_t now);

/* Sectors of line have arrived from L2 for entry of l1i_miss. */
void fetch_reply(sm_t *sm, uint32_t entry, uint8_t sectors, cycle_t now);

/* A launch begins: constants are no longer there. */
void const_forget(sm_t *sm);

/* Cycles that reading constant inst->const_bank/offset adds to an instruction. */
uint32_t const_read(sm_t *sm, const warp_t *warp, const inst_t *inst, bool is_load);

/* issue.c */

void issue_init(sm_t *sm);

/* Lets every sub-core issue at cycle now; returns the next cycle to try. */
cycle_t issue_step(sm_t *sm, cycle_t now);

/* Charges the ready warps of a sub-core for the cycles before now. */
void issue_charge(sm_t *sm, sub_core_t *sub, cycle_t now);

/* lsu.c */

void lsu_init(sm_t *sm);

/* Cycle at which the instruction of an entry was issued. */
static inline cycle_t lsu_issued(const sm_t *sm, const mem_entry_t *e)
{
    return e->accept_from - sm->config->sm.mem_issue_latency;
}

/* A memory or MIO instruction of warp w is issued: into the sub-core's queue. */
void lsu_enqueue(sm_t *sm, uint32_t w, const inst_t *inst, uint32_t mask, const uint64_t *addr,
                 cycle_t now);

/* One cycle of the load/store unit. Sets lsu.retry. */
void lsu_step(sm_t *sm, cycle_t now);

/* Counts the cycles before now that an instruction has been stalled. */
void lsu_charge(sm_t *sm, cycle_t now);

/* Host-side hint that the unit will go on soon with an instruction that has lines left. */
void lsu_prefetch(const sm_t *sm);

/* Something that a stalled instruction waits for may be there. */
void lsu_kick(sm_t *sm, cycle_t now);

/* Whether lsu_t.load_owed can have this value. */
bool lsu_owed_is_possible(uint32_t load_owed);

/* l1.c */

void l1_init(sm_t *sm);
void l1_free(sm_t *sm);

/* A new launch: forgets all lines and takes the size that the carve-out leaves. */
void l1_reset(sm_t *sm, uint32_t carveout);

/* A load of global memory has looked up a line. */
typedef struct {
    uint64_t pc;    /* of the load; differs between kernels */
    uint64_t line;  /* byte address */
    uint32_t warp;  /* slot of the SM */
    bool missed;    /* some of its sectors were neither there nor under way */
    bool first_use; /* of a line that was prefetched */
} prefetch_event_t;

/* prefetcher.c: tells the configured prefetcher. */
void prefetcher_load(sm_t *sm, const prefetch_event_t *e, cycle_t now);

/* l1.c: requests what a line (its byte address) lacks, for a prefetcher. */
void prefetch_line(sm_t *sm, uint64_t line, cycle_t now);

typedef enum { L1_DONE, L1_NO_MSHR, L1_NO_QUEUE, L1_NO_TLB } l1_result_t;

/* Has the miss queue no room for a packet? */
static inline bool l1_queue_full(const sm_t *sm)
{
    return sm->out.count >= sm->config->l1.miss_queue;
}

/* One line of the instruction in the load/store unit. L1_DONE, or what it must wait for. */
l1_result_t l1_access(sm_t *sm, const line_access_t *a, cycle_t now);

/* The same once it has set lsu.absent for that line. */
l1_result_t l1_absent_load(sm_t *sm, const line_access_t *a, cycle_t now);

/* Host-side hints: this reply will arrive in this window; it has arrived and will be taken soon. */
void l1_prefetch_reply(const sm_t *sm, const msg_t *m);
void l1_prefetch_arrived(const sm_t *sm, const msg_t *m);

/* Host-side hint that this line will be accessed soon. */
void l1_prefetch_line(const sm_t *sm, uint64_t line);

/* A packet of sectors, acknowledgement or atomic result came back. */
void l1_reply(sm_t *sm, const msg_t *m, cycle_t now);

/* A new load entry for the instruction in the load/store unit, NO_INDEX if none is free. */
uint16_t l1_load_new(sm_t *sm, uint32_t w, const inst_t *inst);

/* All that load waits for is here or known to be at cycle done. */
void l1_load_finish(sm_t *sm, uint16_t load, cycle_t done, cycle_t now);

/* Result of a load, MIO or texture instruction of warp w, issued then, is known to be ready at
 * cycle. */
void l1_write_back(sm_t *sm, uint32_t w, const inst_t *inst, cycle_t issued, cycle_t cycle,
                   dep_kind_t kind, cycle_t now);

/* A result of warp w has been written, or needs no writing: it is not in flight any more. */
void l1_load_done(sm_t *sm, uint32_t w, cycle_t now);

/* tlb.c */

void tlb_init(sm_t *sm);
void tlb_free(sm_t *sm);

/* Can the translation of one more packet be waited for? */
static inline bool tlb_room(const sm_t *sm)
{
    return sm->tlb.n_held < sm->config->tlb.pending;
}

/* sm_send_request() once the address is translated; there is room in both queues. */
void tlb_send(sm_t *sm, const mem_msg_t *m, uint32_t flits, cycle_t ready);

/* A translation came; tlb_step() takes those of a cycle. */
void tlb_arrive(sm_t *sm, uint64_t entry);
void tlb_step(sm_t *sm, cycle_t now);

/* For checkpoints, while nothing waits. 0, or -1 with errno. */
int tlb_save(const sm_t *sm, FILE *out);
int tlb_load(sm_t *sm, FILE *in);

/* block.c */

/* A block message arrived. */
void block_start(sm_t *sm, const block_msg_t *m, cycle_t now);

/* Warp w issued a barrier at now and waits. */
void block_barrier_arrive(sm_t *sm, uint32_t w, unsigned id, cycle_t now);

/* Warp w issued a memory barrier at now and waits for what it has outstanding. */
void block_membar(sm_t *sm, uint32_t w, const inst_t *inst, cycle_t now);

/* Warp w has no instruction left. */
void block_warp_end(sm_t *sm, uint32_t w, cycle_t now);

/* A load of warp w has completed, or a store has left the load/store unit. */
void block_memory_done(sm_t *sm, uint32_t w, cycle_t now);

/* A packet of a store of warp w, or of the one before in its slot, is acknowledged. */
void block_store_done(sm_t *sm, uint32_t w, cycle_t now);

/* Sends a packet for one line to the slice that owns it, not before ready nor before those sent
 * earlier; room was checked. */
void sm_send_request(sm_t *sm, const mem_msg_t *m, uint32_t flits, cycle_t ready);

/* record.c: to be called only if the kind is in sm->recorded, except where it says otherwise. */

static inline bool recorded(const sm_t *sm, retired_kind_t kind)
{
    return (sm->recorded & retired_bit(kind)) != 0;
}

void record_free(sm_t *sm);

/* Warp w begins. */
void record_warp_start(sm_t *sm, uint32_t w, cycle_t now);

/* Warp w issues inst, with any kind of records; with control words: has executed it. */
void record_issue(sm_t *sm, uint32_t w, const inst_t *inst, cycle_t now);

/* Warp w reads the cycle counter by inst. */
void record_clock(sm_t *sm, uint32_t w, const inst_t *inst, cycle_t now);

/* A result was on its way for so many cycles. */
void record_latency(sm_t *sm, const inst_t *inst, cycle_t cycles);

/* Warp w, whose slot is still its own, retires. */
void record_warp(sm_t *sm, uint32_t w, cycle_t now);

/* The block in slot b retires. */
void record_block(sm_t *sm, uint32_t b, cycle_t now);

/* watch.c: the stay of the block in slot b has ended; if sm->watched. */
void watch_stay(sm_t *sm, uint32_t b, cycle_t now);
void watch_free(sm_t *sm);

#endif
