/*
 * The state of an SM, shared by the files of this folder and nobody else.
 *
 * Reading order: sm.c (the shard: messages, events, one cycle), warp.c (what a warp does next),
 * depend.c (scoreboard), control.c (control words), fetch.c (instruction caches),
 * issue.c (schedulers, pipes), operands.c (register-file ports),
 * lsu.c (memory instructions), coalesce.c (addresses to sectors), l1.c (L1, misses, replies),
 * tlb.c (address translation),
 * block.c (blocks, barriers, exit), record.c (what retired, for samplers), watch.c (for timelines).
 */
#ifndef RUBATO_SM_INTERNAL_H
#define RUBATO_SM_INTERNAL_H

#include "sim/core/err.h"
#include "sim/core/inbox.h"
#include "sim/core/wheel.h"
#include "sim/isa/isa.h"
#include "sim/isa/stream.h"
#include "sim/parts/cache.h"
#include "sim/parts/tag_table.h"
#include "sim/parts/xbar.h"
#include "sim/sm/coalesce.h"
#include "sim/sm/sm.h"

enum {
    SM_MAX_SUB_CORES = 8,
    SM_MAX_WARPS = 128,
    SM_MAX_BLOCKS = 64,
    SM_BARRIERS = 16,
    MAX_RF_BANKS = 4,
    OPERAND_SLOTS = 3,
    NO_INDEX = 0xffff,
    NOT_ISSUING = -1,
};

/*
 * An entry of the dependence table says when a register is ready:
 *   bits 3-31: cycle (modulo 2^29; a periodic sweep keeps old entries comparable)
 *   bit 2: the cycle is not known yet (a load is under way)
 *   bits 0-1: what a warp waiting for it is charged to (dep_kind_t)
 */
typedef uint32_t dep_t;
typedef enum { DEP_FIXED, DEP_SHORT, DEP_LONG } dep_kind_t;
enum { DEP_PENDING = 4, DEP_KIND = 3, DEP_SHIFT = 3 };

/* Dependence counters of control words: the instructions that one counts at the moment. */
enum { CONTROL_COUNTERS = 6, CONTROL_COUNTER_MAX = 63 };
typedef struct {
    cycle_t until;   /* of the releases whose cycle is known, the latest */
    uint8_t unknown; /* released at a cycle not known yet */
    uint8_t known;   /* entries of its list of releases; some may have passed */
    uint8_t kind;    /* dep_kind_t of the latest release */
    uint8_t unknown_kind;
    bool tensor; /* the latest release is an HMMA's */
} counter_t;

/* Why a warp has no place in a ready set. */
typedef enum {
    PARK_NOT,    /* ready, or an event will wake it at a known cycle */
    PARK_DEPEND, /* a register's time is not known yet */
    PARK_FETCH,  /* an instruction line's time is not known yet */
    PARK_BARRIER,
    PARK_MEMBAR,
    PARK_EXITED, /* no instruction left */
} park_t;

typedef struct {
    const inst_t *inst; /* next instruction; NULL: slot free or warp at its end */
    const uint64_t *addr;
    const trace_run_t *run;
    uint32_t mask;
    uint32_t left; /* instructions of the run after inst */
    uint32_t runs_left;
    uint64_t fetch_line;   /* instruction line that inst lies in, NO_LINE before the first */
    cycle_t since;         /* charged up to here, if not in a ready set */
    cycle_t base;          /* inst may not issue earlier, dependences apart */
    cycle_t stalled_until; /* with control words: stall count of the instruction before */
    cycle_t pred_ready;    /* predicates of the last set-predicate instruction reach branches */
    cycle_t dep_until;     /* no entry of its dependence tables is later, those pending apart */
    uint8_t state;         /* sm_state_t charged from since on */
    uint8_t base_state;    /* what waiting for base is charged to */
    uint8_t park;          /* park_t */
    uint8_t sub_core;
    uint16_t block;          /* block slot */
    uint16_t index;          /* warp of the block */
    uint16_t loads, stores;  /* in flight: instructions, store packets (of the warp before too) */
    uint8_t barrier;         /* id it waits at */
    bool ready;              /* in a ready set */
    bool control;            /* control words, not the scoreboard, hold it back */
    uint32_t membar_latency; /* PARK_MEMBAR: from the last completion on */
} warp_t;

enum { NO_LINE = -1 };

typedef struct {
    struct trace_block *block; /* NULL: slot free */
    const launch_ctx_t *launch;
    uint32_t live;     /* warps not yet at their end */
    uint32_t resident; /* warps whose slot is still taken */
    uint32_t waiting;  /* warps at any barrier */
    uint16_t at_barrier[SM_BARRIERS];
    uint64_t thread_insts;
} block_slot_t;

/* A memory instruction on its way from a sub-core to the load/store unit. */
typedef struct {
    const inst_t *inst;
    const uint64_t *addr;
    cycle_t accept_from;
    uint32_t mask;
    uint16_t warp;
} mem_entry_t;

typedef struct {
    uint32_t
        ready[PIPE_COUNT]; /* bit i: i-th warp of the sub-core, next instruction on this pipe */
    uint32_t ready_pipes;  /* bit p: ready[p] != 0 */
    uint32_t pending;      /* bits of warps in any ready set */
    cycle_t free_at[PIPE_COUNT];   /* pipe takes the next instruction */
    cycle_t free_base[PIPE_COUNT]; /* the same without register-file conflicts */
    cycle_t charged;               /* ready warps are charged up to here */
    uint32_t free_slots;           /* warp slots without a warp */
    uint32_t last;                 /* warp issued last (bit number) */
    uint32_t age[32];   /* start order of each warp, beside each other for the scheduler */
    mem_entry_t *queue; /* owned; ring of sm.mem_queue entries */
    uint32_t q_head, q_count;
    cycle_t q_free;               /* the addresses of the next entry are there */
    cycle_t q_taken;              /* the last entry left the queue */
    cycle_t q_leaves;             /* ... and its place is free */
    cycle_t allocate_free;        /* operand stage takes the next instruction */
    cycle_t issue_free;           /* control stage takes the next instruction */
    cycle_t port_base;            /* cycle of the lowest entry of ports */
    uint64_t ports[MAX_RF_BANKS]; /* four bits a cycle: reads of a bank promised */
    uint32_t operand_cache[MAX_RF_BANKS][OPERAND_SLOTS]; /* warp and register, 0: nothing */
    uint32_t operands_held;                              /* of its entries */
    cache_t *l0;
    cache_t *const_l0; /* NULL: operand constants are looked up in the SM's */
    cycle_t l1i_free;  /* the L1 instruction cache sends it the next line */
    struct fetch_slot {
        uint64_t line;
        cycle_t ready; /* CYCLE_NEVER: not known */
        bool used;
        bool demanded; /* a warp has asked for it; otherwise only prefetched */
    } * fetch;         /* owned; lines under way */
} sub_core_t;

/* A load, atomic or the like whose data come from beyond L1. */
typedef struct {
    const inst_t *inst;
    uint32_t remaining; /* sectors */
    uint16_t warp;
    uint16_t next_free;
    cycle_t issued;
    cycle_t done;  /* no earlier: sectors that hit */
    bool complete; /* all lines have been through the load/store unit */
} load_t;

/* Sectors of one line that one load waits for. */
typedef struct {
    uint32_t next; /* index + 1 */
    uint16_t load;
    uint8_t sectors;
} waiter_t;

typedef struct {
    uint64_t line;
    uint32_t waiters; /* index + 1 of the newest; the oldest is apart: mostly it is the only one */
    uint32_t next_free; /* index + 1 */
    uint16_t n_waiters;
    uint16_t load; /* the oldest waiter's; it waits for */
    uint8_t sectors;
    uint8_t pending; /* sectors requested and not here */
} mshr_t;

/* The load/store unit: one instruction at a time, its lines tags_per_cycle a cycle. */
typedef struct {
    bool busy;
    mem_entry_t cur;
    uint8_t from; /* sub-core it came from */
    coalesced_t lines;
    uint32_t next_line;  /* first not yet handled */
    uint16_t load;       /* its load entry, NO_INDEX: none needed so far */
    uint32_t missing;    /* sectors that missed so far */
    cycle_t started;     /* accepted */
    cycle_t data_free;   /* data stage takes the next instruction */
    uint32_t load_parts; /* l1.load_interval in parts of a cycle */
    uint32_t load_owed;  /* parts of a cycle that loads have not yet taken */
    cycle_t next_accept; /* MIO rate */
    uint32_t turn;       /* sub-core asked first */
    cycle_t tex_free;
    cycle_t retry;   /* next step, CYCLE_NEVER: nothing to do or waits for an event */
    uint8_t stalled; /* l1_result_t: what cur waits for */
    cycle_t stalled_since;
    uint8_t space;  /* mem_space_t of cur, generic resolved */
    uint32_t extra; /* cycles its conflicts add to a hit's latency */
} lsu_t;

/* Handle of a request in flight, carried in mem_msg_t.txn. */
typedef enum { TXN_MSHR, TXN_LOAD, TXN_STORE, TXN_FETCH } txn_kind_t;
enum { TXN_SHIFT = 28 };

/* A packet whose address has yet to be translated. */
typedef struct {
    mem_msg_t m;
    uint32_t flits;
} held_packet_t;

typedef struct {
    uint64_t *page;      /* owned; first level, used last first, and one place for the search;
                          * NULL: nothing is translated */
    cache_t *l2;         /* owned; second level */
    uint64_t l2_last;    /* entry of it that was used last */
    held_packet_t *held; /* owned; tlb.pending, the oldest first */
    uint32_t n_held;
    uint64_t *arrived; /* owned; entries that the MMU sent in this cycle */
    uint32_t n_arrived;
} tlb_t;

/* What is known of a warp for the records of what retires. */
typedef struct {
    cycle_t start;    /* of the warp */
    cycle_t bb_start; /* of its basic block */
    uint32_t bb_pc, bb_insts;
    const inst_t *last; /* of the basic block so far; it has bb_insts */
} trail_t;

struct sm {
    const sm_config_t *config;
    sm_wiring_t wiring;
    sm_stats_t stats;
    uint32_t n_sub_cores, warps_per_sub_core, n_warps;

    /* Opcode classes resolved against the configuration. */
    struct {
        uint32_t latency;
        uint32_t interval;
        uint32_t port_pipes; /* pipes whose port it occupies */
        uint8_t pipe;
        uint8_t group;
        uint8_t dep_kind;
        bool through_allocate; /* fixed latency: the ports for its operands are promised first */
        bool varies;           /* how long it occupies its pipe depends on the instruction */
    } cls[OP_CLASS_COUNT];

    inbox_t inbox;
    wheel_t events; /* warps by the cycle at which they become ready */

    warp_t warp[SM_MAX_WARPS];
    dep_t *dep;         /* owned; REG_ID_COUNT per warp: results */
    dep_t *hold;        /* owned; 256 per warp: GPRs that a memory instruction has yet to read */
    counter_t *counter; /* owned; CONTROL_COUNTERS per warp; made when needed */
    cycle_t *release;   /* owned; CONTROL_COUNTER_MAX per counter */
    struct control_check *check; /* owned; one per warp, NULL: not asked for */
    block_slot_t block[SM_MAX_BLOCKS];
    uint32_t n_resident; /* warps */
    uint32_t stores;     /* packets in flight, of warps that have left too */
    bool stores_owed;    /* the block scheduler waits for MSG_STORES_DONE */
    uint32_t next_age;
    cycle_t active_since; /* valid while n_resident > 0 */
    cycle_t sweep_at;
    uint32_t epoch;
    uint32_t carveout;
    uint64_t code_base; /* of the launch */

    sub_core_t sub[SM_MAX_SUB_CORES];
    cycle_t issue_next;        /* next cycle at which some sub-core may issue */
    int32_t issuing;           /* sub-core that is issuing: its ready sets of now are decided */
    cycle_t out_next, in_next; /* when the crossbar ports have something to do */

    lsu_t lsu;
    cache_t *l1;
    uint32_t l1_ways_max;
    load_t *load; /* owned; l1.pending_loads */
    uint16_t load_free;
    waiter_t *waiter; /* owned pool */
    uint32_t waiter_free;
    size_t n_waiter, cap_waiter;
    mshr_t *mshr; /* owned; l1.mshrs */
    uint32_t mshr_free;
    tag_chunk_t *mshr_table; /* owned; index by line */
    uint32_t mshr_bits;
    tlb_t tlb;

    cache_t *l1i;
    struct l1i_miss {
        uint64_t line;
        uint32_t wanted; /* sub-cores */
        uint8_t pending; /* sectors */
        bool used;
    } * l1i_miss; /* owned */
    uint32_t n_l1i_miss;
    uint16_t *l1i_queue; /* owned; ring: those not requested from L2 yet, the oldest first */
    uint32_t l1i_head, l1i_waiting;
    uint32_t l1i_requested; /* of them at a time: icache.l1_misses */
    cache_t *const_l1, *const_l15;

    xbar_out_t out;
    cycle_t out_ready; /* of the packet put into its queue last */
    xbar_in_t in;
    outbox_t *outbox; /* of the window being run */

    bool cut_warps;
    unsigned recorded; /* set of kinds; 0: what follows is not used */
    struct {
        retired_t *list; /* owned */
        size_t n, cap;
    } retired[RETIRED_KINDS];
    latency_sum_t latency[OP_CLASS_COUNT];
    trail_t trail[SM_MAX_WARPS];
    cycle_t block_since[SM_MAX_BLOCKS];
    bool watched; /* stays are noted */
    struct {
        sm_stay_t *list; /* owned */
        size_t n, cap;
    } stays;
};

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
 * CYCLE_NEVER if control_result() and control_sources_read() will tell. */
void control_count(sm_t *sm, uint32_t w, const inst_t *inst, cycle_t result, cycle_t now);
void control_result(sm_t *sm, uint32_t w, const inst_t *inst, cycle_t at, dep_kind_t kind,
                    cycle_t now);
void control_sources_read(sm_t *sm, uint32_t w, const inst_t *inst, cycle_t at, dep_kind_t kind,
                          cycle_t now);

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

/* Cycle >= now at which the instruction line is in the sub-core's L0; CYCLE_NEVER: not known yet
 * (the warp is unparked with PARK_FETCH later). */
cycle_t fetch_line(sm_t *sm, uint32_t sub_core, uint64_t line, cycle_t now);

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

/* Something that a stalled instruction waits for may be there. */
void lsu_kick(sm_t *sm, cycle_t now);

/* l1.c */

void l1_init(sm_t *sm);
void l1_free(sm_t *sm);

/* A new launch: forgets all lines and takes the size that the carve-out leaves. */
void l1_reset(sm_t *sm, uint32_t carveout);

typedef enum { L1_DONE, L1_NO_MSHR, L1_NO_QUEUE, L1_NO_TLB } l1_result_t;

/* One line of the instruction in the load/store unit. L1_DONE, or what it must wait for. */
l1_result_t l1_access(sm_t *sm, const line_access_t *a, cycle_t now);

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
