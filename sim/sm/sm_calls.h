/*
 * The calls through which the rooms of an SM meet, and what the landing does for all of them. w is
 * a warp slot, s a sub-core, now the cycle being simulated.
 *
 * A room's own header declares what it does for the landing alone.
 */
#ifndef RUBATO_SM_CALLS_H
#define RUBATO_SM_CALLS_H

#include "sim/core/err.h"
#include "sim/sm/sm_state.h"

/* What a warp that waits for a register is charged to. */
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

/* ---- Hand a memory instruction over: sub-core to memory (mem_queue.c) ---- */

/*
 * Puts an instruction of warp w, with its active lanes and address record (NULL: none), into the
 * queue of sub-core s. The memory side answers with sm_sources_read() and sm_result().
 *
 * Returns the cycle at which the queue takes another one: 0 if at once, CYCLE_NEVER if
 * subcore_queue_opens() will tell.
 */
cycle_t memory_take(sm_t *sm, uint32_t s, uint32_t w, const inst_t *inst, uint32_t mask,
                    const uint64_t *addr, cycle_t now);

/* The queue of sub-core s was full and takes another instruction from cycle at on. (ready.c) */
void subcore_queue_opens(sm_t *sm, uint32_t s, cycle_t at, cycle_t now);

/* ---- An instruction or a constant is needed: sub-core to supply ---- */

/* supply_instructions() when the lines that hold warp w's next instruction and the last of its
 * buffer are not both known to be in L0. (fetch.c) */
cycle_t fetch_lines(sm_t *sm, uint32_t s, uint32_t w, uint64_t line, uint64_t ahead, cycle_t now);

/* Fills the instruction buffer of warp w, whose next instruction is at pc. Returns the cycle at
 * which that one is there: 0 if at once, CYCLE_NEVER if it is not known yet. */
static inline cycle_t supply_instructions(sm_t *sm, uint32_t s, uint32_t w, uint32_t pc,
                                          cycle_t now)
{
    const inst_buffer_t *buffer = &sm->supply.buffer[w];
    uint64_t address = buffer->code_base + pc;
    uint64_t line = address / INST_LINE_BYTES;
    uint64_t ahead = (address + sm->supply.fetch_ahead) / INST_LINE_BYTES;
    if (ahead == buffer->last && line >= buffer->first && !buffer->fetching)
        return 0;
    return fetch_lines(sm, s, w, line, ahead, now);
}

/* Cycles that reading the constant of inst adds to it. (constant.c) */
uint32_t supply_constant(sm_t *sm, uint32_t s, uint32_t w, const inst_t *inst, bool is_load);

/* ---- A warp may go on: memory to sub-core, by way of sm_completion.c ---- */

/* inst of warp w will have read its source registers at cycle. */
void sm_sources_read(sm_t *sm, uint32_t w, const inst_t *inst, cycle_t cycle, cycle_t now);

/* The result of warp w's inst, which was issued at cycle issued, is known to be ready at cycle. */
void sm_result(sm_t *sm, uint32_t w, const inst_t *inst, cycle_t issued, cycle_t cycle,
               dep_kind_t kind, cycle_t now);

/* The same has been written, or needs no writing: the instruction is not in flight any more. */
void sm_result_written(sm_t *sm, uint32_t w, cycle_t now);

/* A packet of a store of warp w leaves ... */
static inline void sm_store_sent(sm_t *sm, uint32_t w)
{
    sm->slot[w].stores++;
    sm->stores++;
}

/* ... and is acknowledged. */
void sm_store_done(sm_t *sm, uint32_t w, cycle_t now);

/* ---- A message leaves (sm_port.c) ---- */

/* Handle of a request in flight, carried in mem_msg_t.txn. */
typedef enum { TXN_MSHR, TXN_LOAD, TXN_STORE, TXN_FETCH } txn_kind_t;
enum { TXN_SHIFT = 28 };

static inline uint32_t txn_make(txn_kind_t kind, uint32_t index)
{
    return (uint32_t)kind << TXN_SHIFT | index;
}

static inline txn_kind_t txn_kind(uint32_t txn)
{
    return (txn_kind_t)(txn >> TXN_SHIFT);
}

static inline uint32_t txn_index(uint32_t txn)
{
    return txn & ((UINT32_C(1) << TXN_SHIFT) - 1);
}

/* Has the queue in front of the crossbar no room for a packet? */
static inline bool sm_out_full(const sm_t *sm)
{
    return sm->out.count >= sm->config->l1.miss_queue;
}

/* Sends a packet for one line to the slice that owns it, not before ready nor before those sent
 * earlier; room was checked. */
void sm_send_request(sm_t *sm, const mem_msg_t *m, uint32_t flits, cycle_t ready);

/* Asks the MMU for a translation. */
void sm_ask_mmu(sm_t *sm, uint64_t entry, cycle_t ready);

/* ---- Blocks (block.c) ---- */

/* Warp w issued a barrier and waits. */
void block_barrier_arrive(sm_t *sm, uint32_t w, unsigned id, cycle_t now);

/* Warp w issued a memory barrier and waits for what it has outstanding. */
void block_membar(sm_t *sm, uint32_t w, const inst_t *inst, cycle_t now);

/* Warp w has no instruction left. */
void block_warp_end(sm_t *sm, uint32_t w, cycle_t now);

/* ---- Records (record.c): only if the kind is in sm->recorded ---- */

static inline bool recorded(const sm_t *sm, retired_kind_t kind)
{
    return (sm->recorded & retired_bit(kind)) != 0;
}

/* Warp w issues inst; for basic blocks. */
void record_issue(sm_t *sm, uint32_t w, const inst_t *inst, cycle_t now);

/* Warp w reads the cycle counter by inst. */
void record_clock(sm_t *sm, uint32_t w, const inst_t *inst, cycle_t now);

#endif
