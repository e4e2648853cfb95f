/*
 * The state of an SM: warps, blocks, sub-cores, the load/store unit with its misses, the TLB. What
 * the files of this folder do with it: sm_internal.h.
 */
#ifndef RUBATO_SM_STATE_H
#define RUBATO_SM_STATE_H

#include "sim/core/divider.h"
#include "sim/core/err.h"
#include "sim/core/inbox.h"
#include "sim/core/wheel.h"
#include "sim/isa/isa.h"
#include "sim/isa/stream.h"
#include "sim/parts/cache.h"
#include "sim/parts/tag_table.h"
#include "sim/parts/xbar.h"
#include "sim/sm/memory/coalesce.h"
#include "sim/sm/sm.h"

enum {
    SM_MAX_SUB_CORES = 8,
    SM_MAX_WARPS = 128,
    SM_MAX_BLOCKS = 64,
    SM_BARRIERS = 16,
    INST_BYTES = 16,
    INST_LINE_BYTES = 128,
    MAX_RF_BANKS = 4,
    SHORTEST_BUFFER = 3, /* instructions of a buffer that is refilled as fast as a warp issues */
    OPERAND_SLOTS = 3,
    RESULT_CYCLES = 64, /* longer latencies are not looked at */
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
    uint64_t fetch_first;  /* lines of code that its buffer is filled from: one, or two */
    uint64_t fetch_last;   /* neighbours; none when it starts */
    cycle_t since;         /* charged up to here, if not in a ready set */
    cycle_t base;          /* inst may not issue earlier, dependences apart */
    cycle_t stalled_until; /* with control words: stall count of the instruction before */
    cycle_t pred_ready;    /* predicates of the last set-predicate instruction reach branches */
    cycle_t issued;        /* with a short buffer: its last issue */
    cycle_t dep_until;     /* no entry of its dependence tables is later, those pending apart */
    uint8_t state;         /* sm_state_t charged from since on */
    uint8_t base_state;    /* what waiting for base is charged to */
    uint8_t park;          /* park_t */
    uint8_t sub_core;
    uint8_t place;           /* among the warps of its sub-core */
    uint16_t block;          /* block slot */
    uint16_t index;          /* warp of the block */
    uint16_t loads, stores;  /* in flight: instructions, store packets (of the warp before too) */
    uint8_t barrier;         /* id it waits at */
    bool ready;              /* in a ready set */
    bool fetching;           /* fetch_last was not in L0 when last looked for */
    bool control;            /* control words, not the scoreboard, hold it back */
    uint32_t membar_latency; /* PARK_MEMBAR: from the last completion on */
} warp_t;

typedef struct {
    struct trace_block *block; /* NULL: slot free */
    const launch_ctx_t *launch;
    uint32_t live;     /* warps not yet at their end */
    uint32_t resident; /* warps whose slot is still taken */
    uint32_t waiting;  /* warps at any barrier */
    cycle_t arrived;   /* the last of them has been taken */
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
    uint32_t scheduler_word;       /* what its policy remembers */
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
    uint64_t results[RESULT_CYCLES]; /* results of fixed latency: of each cycle modulo that number,
                                      * the latest one and the banks written in it */
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
    cache_key_t key;
    uint32_t waiters; /* index + 1 of the newest; the oldest is apart: mostly it is the only one */
    uint32_t next_free; /* index + 1 */
    uint16_t n_waiters;
    uint16_t load; /* the oldest waiter's; it waits for */
    uint8_t sectors;
    uint8_t pending; /* sectors requested and not here */
    bool absent;     /* the L1 has no sector of the line */
    bool prefetched; /* no load has asked for it */
} mshr_t;

_Static_assert(sizeof(mshr_t) == 32, "two in a line of the host's cache");

/* The load/store unit: one instruction at a time, its lines tags_per_cycle a cycle. */
typedef struct {
    bool busy;
    mem_entry_t cur;
    uint8_t from; /* sub-core it came from */
    coalesced_t lines;
    uint32_t next_line;   /* first not yet handled */
    bool absent;          /* a load's: it has been looked up (key) and is neither here nor under */
    cache_key_t key;      /* way, which this unit alone could change */
    uint16_t load;        /* its load entry, NO_INDEX: none needed so far */
    cycle_t started;      /* accepted */
    cycle_t data_free;    /* data stage takes the next instruction */
    divider_t path;       /* bytes of the return path, */
    uint32_t word_cycles; /* which a warp's 32-bit words take so long */
    uint32_t address_cycles;
    divider_t tags;      /* lines in a cycle */
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

/* A packet whose address has yet to be translated. */
typedef struct {
    mem_msg_t m;
    uint32_t flits;
} held_packet_t;

enum { TLB_RECENT = 8 /* a line of the host's cache */ };

typedef struct {
    uint64_t *page; /* owned; first level, used last first; NULL: nothing is translated */
    cache_t *l2;    /* owned; second level */
    /* Entries of it that were used last, the newest first: of these its order of use is not up to
     * date. With LRU only. */
    uint64_t recent[TLB_RECENT];
    uint32_t n_recent;
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
    divider_t by_sub_cores;

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
    cycle_t barrier_free; /* the barrier unit takes the next warp */
    uint32_t n_resident;  /* warps */
    uint32_t stores;      /* packets in flight, of warps that have left too */
    bool stores_owed;     /* the block scheduler waits for MSG_STORES_DONE */
    uint32_t next_age;
    cycle_t active_since; /* valid while n_resident > 0 */
    cycle_t sweep_at;
    uint32_t epoch;
    uint32_t carveout;
    uint64_t code_base;    /* of the launch */
    uint32_t short_buffer; /* places of a buffer too short to be refilled in time, 0: it is not */
    uint32_t fetch_ahead;  /* bytes from a warp's next instruction to the last of its buffer */

    sub_core_t sub[SM_MAX_SUB_CORES];
    cycle_t issue_next;        /* next cycle at which some sub-core may issue */
    int32_t issuing;           /* sub-core that is issuing: its ready sets of now are decided */
    cycle_t out_next, in_next; /* when the crossbar ports have something to do */

    lsu_t lsu;
    cache_t *l1;
    uint64_t *prefetcher_word; /* owned; of its prefetcher */
    uint32_t sector_flits;     /* of data that is sent */
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

#endif
