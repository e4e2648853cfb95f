/*
 * The calls between the rooms of an SM, and what the landing offers to all of them. w is a warp
 * slot, s a sub-core, now the cycle being simulated.
 *
 * What a room does for the landing alone is in the room's own header.
 */
#ifndef RUBATO_SM_CALLS_H
#define RUBATO_SM_CALLS_H

#include "sim/core/err.h"
#include "sim/sm/sm_state.h"

/* Which stall reason a warp waiting for a register is charged to. */
typedef enum { DEP_FIXED, DEP_SHORT, DEP_LONG } dep_kind_t;

static inline dep_kind_t inst_dep_kind(const sm_t *sm, const inst_t *inst)
{
    return (dep_kind_t)sm->cls[inst->cls].dep_kind;
}

/* The launch of a warp. */
static inline const launch_ctx_t *sm_launch_of(const sm_t *sm, uint32_t w)
{
    return sm->block[sm->slot[w].block].launch;
}

/* The next cycle in which a message or an event of the wheel is due, which may concern any warp. */
static inline cycle_t sm_next_arrival(const sm_t *sm)
{
    return cycle_min(cycle_min(inbox_next(&sm->inbox), sm->in_next), wheel_next(&sm->events));
}

/* The next cycle in which anything outside the sub-cores happens on the SM. */
static inline cycle_t sm_next_event(const sm_t *sm)
{
    return cycle_min(sm_next_arrival(sm), cycle_min(sm->memory.lsu.retry, sm->out_next));
}

/* ---- Memory instructions: sub-core to memory (mem_queue.c) ---- */

/* Before this cycle the load/store unit does nothing to sub-core s, unless a message arrives: it has none of
 * its instructions, or has nothing to do. */
static inline cycle_t memory_reaches(const sm_t *sm, uint32_t s)
{
    const lsu_t *u = &sm->memory.lsu;
    if (sm->memory.queue[s].count == 0 && !(u->busy && u->cur.sub_core == s))
        return CYCLE_NEVER;
    return cycle_min(u->retry, sm->out_next); /* which makes room for what is stalled */
}

/*
 * Puts an instruction of warp w, with its active lanes and address record (NULL: none), into the
 * memory queue of sub-core s. The memory side answers with sm_sources_read() and sm_result().
 *
 * Returns the cycle at which the queue takes another instruction: 0 if at once, CYCLE_NEVER if
 * subcore_queue_opens() will say.
 */
cycle_t memory_take(sm_t *sm, uint32_t s, uint32_t w, const inst_t *inst, uint32_t mask,
                    const uint64_t *addr, cycle_t now);

/* The full queue of sub-core s takes another instruction from cycle `at` on. (ready.c) */
void subcore_queue_opens(sm_t *sm, uint32_t s, cycle_t at, cycle_t now);

/* ---- Instructions and constants: sub-core to supply ---- */

/* Slow path of supply_instructions(): the lines of warp w's next instruction and of the last one of
 * its buffer are not both known to be in the L0. (fetch.c) */
cycle_t fetch_lines(sm_t *sm, uint32_t s, uint32_t w, uint32_t pc, cycle_t now);

/* Whether the instruction buffer of warp w is known to hold the instructions from pc on. */
static inline bool supply_holds(const sm_t *sm, uint32_t w, uint32_t pc)
{
    const inst_buffer_t *buffer = &sm->supply.buffer[w];
    return pc - buffer->from < buffer->bytes;
}

/* Fills the instruction buffer of warp w, whose next instruction is at pc, if all that it needs is in
 * the L0, so that nothing outside the sub-core changes. false: nothing was done. (fetch.c) */
bool fetch_local(sm_t *sm, uint32_t s, uint32_t w, uint32_t pc, cycle_t now);

/* Fills the instruction buffer of warp w, whose next instruction is at pc. Returns the cycle at
 * which that instruction is available: 0 if at once, CYCLE_NEVER if not known yet. */
static inline cycle_t supply_instructions(sm_t *sm, uint32_t s, uint32_t w, uint32_t pc,
                                          cycle_t now)
{
    return supply_holds(sm, w, pc) ? 0 : fetch_lines(sm, s, w, pc, now);
}

/* Cycles by which the constant operand delays inst. (constant.c) */
uint32_t supply_constant(sm_t *sm, uint32_t s, uint32_t w, const inst_t *inst);

/* When the result of an LDC issued at `now` is ready. addr: its address record; NULL if the trace has
 * none. Sets *taken to when its sub-core can issue the next one. (constant.c) */
cycle_t supply_load_constant(sm_t *sm, uint32_t w, const inst_t *inst, const uint64_t *addr,
                             cycle_t now, cycle_t *taken);

/* ---- Completion: memory to sub-core, through sm_completion.c ---- */

/* inst of warp w will have read its source registers at `cycle`. */
void sm_sources_read(sm_t *sm, uint32_t w, const inst_t *inst, cycle_t cycle, cycle_t now);

/* The result of inst of warp w, issued at cycle `issued`, will be ready at `cycle`. */
void sm_result(sm_t *sm, uint32_t w, const inst_t *inst, cycle_t issued, cycle_t cycle,
               dep_kind_t kind, cycle_t now);

/* The same for an asynchronous copy of a group, whose data are in shared memory at `cycle`. */
void sm_copied(sm_t *sm, uint32_t w, const inst_t *inst, unsigned group, cycle_t issued,
               cycle_t cycle, cycle_t now);

/* The result has been written, or needs no write port: the instruction is no longer in flight. */
void sm_result_written(sm_t *sm, uint32_t w, cycle_t now);

/* A store packet of warp w leaves the load/store unit ... */
static inline void sm_store_sent(sm_t *sm, uint32_t w)
{
    sm->slot[w].stores++;
    sm->stores[sm->slot[w].launch]++;
}

/* What its request is known by (TXN_STORE): the warp slot, and the launch, because the slot may belong
 * to another one when the acknowledgement comes. Counts per instruction use the bits above
 * (inst_profile.c). */
enum { STORE_LAUNCH_SHIFT = 7 };
_Static_assert(SM_MAX_WARPS <= 1 << STORE_LAUNCH_SHIFT, "a warp slot does not fit");

static inline uint32_t sm_store_index(const sm_t *sm, uint32_t w)
{
    return (uint32_t)sm->slot[w].launch << STORE_LAUNCH_SHIFT | w;
}

/* ... and is acknowledged. */
void sm_store_done(sm_t *sm, uint32_t index, cycle_t now);

/* ---- Messages out (sm_port.c) ---- */

/* Handle of a request in flight, in mem_msg_t.txn. */
typedef enum { TXN_MSHR, TXN_LOAD, TXN_STORE, TXN_FETCH, TXN_WRITE_BACK } txn_kind_t;
enum { TXN_SHIFT = 28 };

static inline uint32_t txn_make(txn_kind_t kind, uint32_t index)
{
    return (uint32_t)kind << TXN_SHIFT | index;
}

static inline txn_kind_t txn_kind(uint32_t txn)
{
    return (txn_kind_t)((txn & ~MEM_TXN_NOT_YET) >> TXN_SHIFT);
}

static inline uint32_t txn_index(uint32_t txn)
{
    return txn & ((UINT32_C(1) << TXN_SHIFT) - 1);
}

/* The index of a TXN_WRITE_BACK, which no instruction owns: its ticket (write_back.c), and the tag of its
 * launch. */
enum { WRITE_BACK_LAUNCH_SHIFT = 10 };

/* Whether the miss queue in front of the crossbar is full. */
static inline bool sm_out_full(const sm_t *sm)
{
    return sm->out.count >= sm->config->l1.miss_queue;
}

/* Sends a packet for one line to the slice that owns it, not before `ready` and not before earlier
 * packets. The caller has checked that there is room. */
void sm_send_request(sm_t *sm, const mem_msg_t *m, uint32_t flits, cycle_t ready);

/* Asks the MMU for a translation; `ready` is the cycle of the request. */
void sm_ask_mmu(sm_t *sm, uint64_t entry, cycle_t ready);

/* ---- Blocks (block.c) ---- */

/* Warp w issued a barrier and waits. */
void block_barrier_arrive(sm_t *sm, uint32_t w, unsigned id, cycle_t now);

/* Warp w issued a memory barrier and waits for its outstanding accesses. */
void block_membar(sm_t *sm, uint32_t w, const inst_t *inst, cycle_t now);

/* Loads the next piece of the stream of warp w; NULL: there is none. */
static inline const warp_stream_t *block_next_piece(const sm_t *sm, uint32_t w)
{
    const warp_slot_t *slot = &sm->slot[w];
    warp_stream_t *stream = &sm->block[slot->block].block->warps[slot->index];
    return stream_next(stream) ? stream : NULL;
}

/* What warp w polls has not been written yet. */
static inline void sm_poll_failed(sm_t *sm, uint32_t w)
{
    sm->slot[w].poll_failed = true;
}

/* Warp w has no instructions left. */
void block_warp_end(sm_t *sm, uint32_t w, cycle_t now);

/* ---- Records (record.c): to be called only if the kind is in sm->recorded ---- */

static inline bool recorded(const sm_t *sm, retired_kind_t kind)
{
    return (sm->recorded & retired_bit(kind)) != 0;
}

/* Warp w issues inst (for basic blocks). */
void record_issue(sm_t *sm, uint32_t w, const inst_t *inst, cycle_t now);

/* Warp w reads the cycle counter with inst. */
void record_clock(sm_t *sm, uint32_t w, const inst_t *inst, cycle_t now);

#endif
