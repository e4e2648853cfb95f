/*
 * The state of an SM: its three rooms, and the landing between them (warp slots, blocks, messages,
 * crossbar ports, records). A room uses its own state and the landing's, never another room's; it
 * reaches the other rooms through the calls of sm_calls.h.
 */
#ifndef RUBATO_SM_STATE_H
#define RUBATO_SM_STATE_H

#include "sim/core/divider.h"
#include "sim/core/engine/inbox.h"
#include "sim/core/engine/wheel.h"
#include "sim/isa/isa.h"
#include "sim/isa/stream.h"
#include "sim/parts/word_counts.h"
#include "sim/parts/xbar.h"
#include "sim/sm/memory/memory_state.h"
#include "sim/sm/sm.h"
#include "sim/sm/sm_limits.h"
#include "sim/sm/subcore/subcore_state.h"
#include "sim/sm/supply/supply_state.h"

/* State of a warp slot that all rooms use. Slot w belongs to sub-core w modulo sm.sub_cores. */
typedef struct {
    uint16_t block;          /* block slot of its block; NO_INDEX: no warp */
    uint16_t index;          /* warp index within the block */
    uint16_t loads, stores;  /* in flight: instructions; store packets, also those of earlier warps
                              * of the slot */
    uint8_t barrier;         /* id of the barrier it waits at */
    uint8_t launch;          /* index of its launch */
    uint8_t copy_group;      /* group of its asynchronous copies that is open (copies.c) */
    uint8_t watch;           /* WATCH_*: which of its writes count */
    bool fenced;             /* it was at a fence of GPU scope since its last store */
    bool releases;           /* its memory barrier has yet to write back what the L1 has modified */
    bool poll_failed;        /* a poll since wait was set found less written than it asks */
    uint32_t wait;           /* index + 1 of the wait whose test it executes, 0: none */
    uint32_t membar_latency; /* of its memory barrier, counted from the last completion */
    uint32_t ticket;         /* of what its memory barrier waits for (write_back.c) */
} warp_slot_t;

typedef struct {
    struct trace_block *block; /* NULL: slot free */
    const launch_ctx_t *launch;
    uint32_t live;     /* warps that have not ended */
    uint32_t resident; /* warps whose slot is not yet free */
    uint32_t waiting;  /* warps at any barrier */
    cycle_t arrived;   /* when the SM has taken the last arrival */
    uint16_t at_barrier[SM_BARRIERS];
} block_slot_t;

/* In sm_t.recorded: sm_t.profile is there. */
enum { RECORD_PROFILE = 1 << RETIRED_KINDS };

/* State of a warp for the records of what retires. */
typedef struct {
    cycle_t start;    /* cycle in which the warp started */
    cycle_t bb_start; /* cycle in which its basic block started */
    uint32_t bb_pc, bb_insts;
    const inst_t *last; /* last instruction of the basic block so far, which has bb_insts */
} trail_t;

/* What the configuration says about an opcode class. */
typedef struct {
    uint32_t latency;
    uint32_t interval;
    uint32_t result;      /* latency and dep_kind as in a dep_t */
    uint16_t port_others; /* other pipes that share its pipe's dispatch port */
    uint8_t pipe;
    uint8_t mix;   /* its counters in sm_stats_t, as indices: of the instruction mix, ... */
    uint8_t flops; /* ... and of floating-point operations */
    uint8_t dep_kind;
    uint8_t reads_free;    /* registers of a bank that it reads without delaying its pipe */
    bool queued;           /* goes through the memory queue */
    bool through_allocate; /* goes through the allocate stage (fixed latency): operand ports are
                            * reserved at issue */
    bool varies;           /* how long it occupies its pipe depends on the instruction */
    bool one_unit;         /* the SM has one unit for all sub-cores */
    bool simple;           /* occupies only its own pipe, and for a time that does not depend on the
                            * instruction if that is an INST_SIMPLE */
} op_properties_t;

struct sm {
    const sm_config_t *config;
    sm_wiring_t wiring;
    sm_stats_t stats;
    uint32_t n_sub_cores, warps_per_sub_core, n_warps;
    divider_t by_sub_cores;

    /* Opcode classes with the properties that the configuration gives them (classes.c). */
    op_properties_t cls[OP_CLASS_COUNT];

    inbox_t inbox;
    wheel_t events; /* warps by the cycle in which they become ready; results of loads by their
                     * write */

    subcore_t subcore;
    supply_t supply;
    memory_t memory;

    warp_slot_t slot[SM_MAX_WARPS];
    block_slot_t block[SM_MAX_BLOCKS];
    word_counts_t written[SM_MAX_BLOCKS]; /* of the block in each slot: words of shared memory */
    cycle_t barrier_free; /* when the SM takes the next warp that arrives at a barrier */
    uint32_t n_resident;  /* warps */
    cycle_t active_since; /* valid while n_resident > 0 */
    uint32_t epoch;
    uint32_t carveout;
    uint64_t code_base; /* of the current launch */

    cycle_t out_next, in_next; /* when the crossbar ports have something to do */
    xbar_out_t out;
    cycle_t out_ready; /* ready cycle of the packet queued last */
    xbar_in_t in;
    outbox_t *outbox; /* of the window being run */

    struct inst_profile *profile; /* owned; NULL: no counts per instruction */
    struct by_launch *by_launch;  /* owned; NULL: launches do not overlap (by_launch.h) */
    uint16_t counted;      /* tag of the launch whose counters are in place; 0 without these */
    uint32_t store_handle; /* profile_store_handle() of the instruction in the load/store unit; 0
                            * without these counts */
    unsigned recorded; /* set of kinds to record, and RECORD_PROFILE; 0: the members below are not
                        * used */
    struct {
        retired_t *list; /* owned */
        size_t n, cap;
    } retired[RETIRED_KINDS];
    latency_sum_t latency[OP_CLASS_COUNT];
    trail_t trail[SM_MAX_WARPS];
    cycle_t block_since[SM_MAX_BLOCKS];
    bool watched; /* whether stays are noted */
    bool begun;   /* it has had a block: its tables of warps and misses exist */
    struct {
        sm_stay_t *list; /* owned */
        size_t n, cap;
    } stays;
    uint32_t stores[SM_MAX_LAUNCHES];  /* packets of each launch in flight, also those of warps that
                                        * have left */
    bool stores_owed[SM_MAX_LAUNCHES]; /* the block scheduler expects MSG_STORES_DONE */
    uint32_t ticket[SM_MAX_LAUNCHES];  /* of what the end of each launch waits for (write_back.c) */
};

#endif
