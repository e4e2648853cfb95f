/* Internal interface between the files of the memory side. */
#ifndef RUBATO_SM_MEMORY_PARTS_H
#define RUBATO_SM_MEMORY_PARTS_H

#include "sim/sm/memory/memory.h"

/* mem_queue.c */

void mem_queue_init(sm_t *sm);
void mem_queue_free(sm_t *sm);

/* Moves the oldest instruction of the next sub-core that can give one, in round-robin order, to
 * lsu.cur. false: none can. */
bool mem_queue_accept(sm_t *sm, cycle_t now);

/* The first cycle at which a queue can give an instruction; CYCLE_NEVER if all are empty. */
cycle_t mem_queue_next(const sm_t *sm);

/* Extra cycles to read the address of a global or local access, relative to shared memory. */
uint32_t mem_queue_address_extra(const sm_t *sm, const inst_t *inst);

/* Local memory of the resident threads begins here; all global memory lies below. */
#define LOCAL_BASE (UINT64_C(1) << 61)

/* lsu.c */

void lsu_init(sm_t *sm);

/* Whether lsu_t.load_owed can have this value. */
bool lsu_owed_is_possible(uint32_t load_owed);

/* Cycle at which the instruction of a queue entry was issued. */
static inline cycle_t lsu_issued(const sm_t *sm, const mem_entry_t *e)
{
    return e->accept_from - sm->config->sm.mem_issue_latency;
}

/* The instruction in the unit occupies the data stage for `cycles`. */
static inline void lsu_occupy(sm_t *sm, cycle_t now, cycle_t cycles)
{
    cycle_t busy = cycles < 1 ? 1 : cycles;
    sm->memory.lsu.data_free = now + busy;
    sm->stats.l1_data_busy += busy;
}

/* Cycles of the data stage. A pass takes pass_cycles, because the data path is narrower than the banks,
 * but one if it serves a single lane. */
static inline cycle_t pass_time(unsigned passes, uint32_t mask, uint32_t pass_cycles)
{
    const unsigned lanes = (unsigned)__builtin_popcount(mask);
    return cycle_min((cycle_t)passes * pass_cycles, cycle_max(passes, lanes));
}

/* The counter of a space. */
static inline uint64_t *counter_of(mem_space_t space, uint64_t *global, uint64_t *local,
                                   uint64_t *texture)
{
    return space == MEM_LOCAL ? local : space == MEM_TEX ? texture : global;
}

/* shared_memory.c: executes an access to shared memory that was just accepted. */
void shared_step(sm_t *sm, const mem_entry_t *e, cycle_t now);

/* copy.c: asynchronous copies (LDGSTS) */

/* The passes in which the copy of a queue entry is written; counts them. */
uint16_t copy_begin(sm_t *sm, const mem_entry_t *e);

/* Data of a copy of warp w have come: they take the data stage. Returns the cycles that they wait. */
cycle_t copy_write(sm_t *sm, uint32_t w, uint32_t passes, cycle_t now);

/* Cycles by which a copy takes longer than a load of 32 bits; 0 for other instructions. */
static inline uint32_t copy_longer(const sm_t *sm, const inst_t *inst)
{
    const l1_spec_t *spec = &sm->config->l1;
    const bool longer = inst->flags & INST_TO_SHARED && spec->copy_latency > spec->latency;
    return longer ? spec->copy_latency - spec->latency : 0;
}

/* texture.c */

/* The texture unit is busy for some cycles from now on. */
static inline void texture_occupy(sm_t *sm, cycle_t cycles, cycle_t now)
{
    sm->memory.lsu.tex_free = now + cycles;
    sm->stats.texture_busy += cycles;
}

/* Begins the fetch or surface access in the load/store unit: finds its lines, how long the texture
 * unit is busy, and what adds to its latency. Returns the cycles in which the lines are looked up. */
cycle_t texture_begin(sm_t *sm, coalesce_mode_t mode, cycle_t now);

/* Cycles by which a texture fetch takes longer than a load; 0 for other instructions. */
static inline uint32_t texture_longer(const sm_t *sm, const inst_t *inst)
{
    const uint32_t texture = sm->cls[OP_TEX].latency, load = sm->config->l1.latency;
    return inst->cls == OP_TEX && texture > load ? texture - load : 0;
}

/* l1.c */

void l1_init(sm_t *sm);
void l1_free(sm_t *sm);
void l1_reset(sm_t *sm, uint32_t carveout, cycle_t now);

/* Accesses one line for the instruction in the load/store unit. Returns L1_DONE or what blocks
 * it. */
l1_result_t l1_access(sm_t *sm, const line_access_t *a, cycle_t now);

/* The same for a load whose line l1_access() has found absent (lsu.absent). */
l1_result_t l1_absent_load(sm_t *sm, const line_access_t *a, cycle_t now);

/* l1_miss.c */

void l1_miss_init(sm_t *sm);
void l1_miss_free(sm_t *sm);

/* L1_DONE if there is room for a packet, else what blocks it. */
l1_result_t l1_room(const sm_t *sm);

/* The same for a packet of the unit, which does not pass lines that wait to be written back. */
static inline l1_result_t l1_way_out(const sm_t *sm)
{
    return sm->memory.n_write_backs > 0 ? L1_NO_QUEUE : l1_room(sm);
}

/* Sends a request beyond the L1; launch: whose it is. No instruction owns a prefetch or a write-back. */
void l1_post(sm_t *sm, const mem_msg_t *m, cycle_t now);

/* Sends a request of the instruction in the load/store unit for sectors of a line, or a store of them. */
void l1_send(sm_t *sm, const line_access_t *a, mem_op_t op, uint8_t sectors, txn_kind_t kind,
             uint32_t index, cycle_t now);

/* The load entry of the instruction in the load/store unit, allocated at its first miss; NULL if
 * none is free. */
load_t *l1_current_load(sm_t *sm);

/* The MSHR of a line; NULL if it has none. */
mshr_t *l1_mshr_find(const sm_t *sm, cache_key_t key);

/* Allocates an MSHR for a line without one. absent: the L1 has no sector of the line. */
mshr_t *l1_mshr_new(sm_t *sm, cache_key_t key, bool absent);
void l1_mshr_release(sm_t *sm, mshr_t *m);

/* Makes a load wait for sectors of the line. */
void l1_waiter_add(sm_t *sm, mshr_t *m, uint16_t load, uint8_t sectors);

/* What blocks a load of a line that is neither in the L1 nor in flight. */
l1_result_t l1_miss_blocked(const sm_t *sm);

/* l1_reply.c */

/* Makes sectors of a line valid and returns its tag. absent: the line is known not to be in the
 * L1. now: CYCLE_NEVER between windows. */
cache_tag_t *l1_line_fill(sm_t *sm, cache_key_t key, bool absent, uint8_t sectors, cycle_t now);

/* Sectors of a line that move together take passes of the data stage. */
static inline void l1_occupy(sm_t *sm, cycle_t now)
{
    const cycle_t cycles = sm->config->l1.fill_cycles;
    sm->memory.lsu.data_free = cycle_max(sm->memory.lsu.data_free, now) + cycles;
    sm->stats.l1_data_busy += cycles;
}

/* Completes a load: all it waits for is here, or will be at cycle `done`. */
void l1_load_finish(sm_t *sm, uint16_t load, cycle_t done, cycle_t now);

/* Host-side hint that this line will be accessed soon. */
void l1_prefetch_line(const sm_t *sm, uint64_t line);

/* A load of global memory that has looked up a line. */
typedef struct {
    uint64_t pc;    /* pc of the load; kernels have different code addresses */
    uint64_t line;  /* byte address */
    uint32_t warp;  /* warp slot of the SM */
    bool missed;    /* some of its sectors were neither in the L1 nor in flight */
    bool first_use; /* of a line that was prefetched */
} prefetch_event_t;

/* prefetcher.c: tells the configured prefetcher about a load. */
void prefetcher_load(sm_t *sm, const prefetch_event_t *e, cycle_t now);

/* l1_prefetch.c: requests the missing sectors of a line (its byte address) for a prefetcher. */
void prefetch_line(sm_t *sm, uint64_t line, cycle_t now);

/* write_back.c: only of an L1 with that policy, but for init and free */

void write_back_init(sm_t *sm);
void write_back_free(sm_t *sm);

/* A modified line leaves the L1, or becomes clean. now: CYCLE_NEVER between windows. */
void write_back_put(sm_t *sm, const cache_line_t *line, cycle_t now);

/* Sends the line that waits longest (n_write_backs > 0), if there is room. */
void write_back_step(sm_t *sm, cycle_t now);

/* tlb.c */

void tlb_init(sm_t *sm);
void tlb_free(sm_t *sm);

/* Whether one more packet can wait for a translation. */
static inline bool tlb_room(const sm_t *sm)
{
    return sm->memory.tlb.n_held < sm->config->tlb.pending;
}

/* Translates the address, then calls sm_send_request(). Both queues must have room. */
void tlb_send(sm_t *sm, const mem_msg_t *m, uint32_t flits, cycle_t ready);

/* For checkpoints, when no packet waits. Return 0, or -1 with errno. */
int tlb_save(const sm_t *sm, FILE *out);
int tlb_load(sm_t *sm, FILE *in);

#endif
