/*
 * The state of the memory side: memory queues, load/store unit, L1 with its misses, TLB. Only the
 * files of this folder use it.
 */
#ifndef RUBATO_SM_MEMORY_STATE_H
#define RUBATO_SM_MEMORY_STATE_H

#include "sim/core/cycle.h"
#include "sim/core/divider.h"
#include "sim/core/engine/msg.h"
#include "sim/isa/inst.h"
#include "sim/parts/cache/cache.h"
#include "sim/parts/cache/tag_table.h"
#include "sim/sm/memory/coalesce.h"
#include "sim/sm/memory/pattern.h"
#include "sim/sm/sm_limits.h"

/* A memory instruction on its way from a sub-core to the load/store unit. */
typedef struct {
    const inst_t *inst;
    const uint64_t *addr;
    cycle_t accept_from;
    uint32_t mask;
    uint32_t wait; /* warp_slot_t.wait at its issue; of stores: whether one follows a fence */
    uint16_t warp;
    uint8_t group; /* of an asynchronous copy */
    uint8_t sub_core;
} mem_entry_t;

/* The queue of a sub-core: a ring of sm.mem_queue entries. */
typedef struct {
    mem_entry_t *entry; /* owned */
    uint32_t head, count;
    cycle_t free;   /* the addresses of the next entry are computed */
    cycle_t taken;  /* when the last entry left the queue */
    cycle_t leaves; /* when its place in the queue is free */
} mem_queue_t;

/* A load, atomic or the like that waits for data from beyond the L1. */
typedef struct {
    const inst_t *inst;
    cycle_t issued;
    cycle_t done;       /* not before: the latency of the sectors that hit */
    uint16_t remaining; /* sectors still missing */
    uint16_t warp;
    union {
        uint16_t next_free;   /* if unused */
        uint16_t copy_passes; /* lsu_t */
    };
    bool complete; /* all its lines have passed the load/store unit */
    uint8_t group; /* of an asynchronous copy */
} load_t;

_Static_assert(sizeof(load_t) == 32, "two fill one line of the host's cache");
_Static_assert(COALESCE_MAX_LINES *SECTORS_PER_LINE <= UINT16_MAX, "load_t.remaining");

/* A load that waits for sectors of a line. */
typedef struct {
    uint32_t next; /* index + 1 */
    uint16_t load;
    uint8_t sectors;
} waiter_t;

/* MSHR: a line with sectors in flight. Mostly one load waits for it, so the oldest waiter is kept
 * here and the others in a list. */
typedef struct {
    cache_key_t key;
    uint32_t waiters;   /* index + 1 of the newest waiter in the list */
    uint32_t next_free; /* index + 1 */
    uint16_t n_waiters;
    uint16_t load; /* the oldest waiter, and the sectors it waits for */
    uint8_t sectors;
    uint8_t pending; /* sectors requested that have not arrived */
    bool absent;     /* the L1 has no sector of the line */
    bool prefetched; /* prefetched, and no load has asked for it yet */
} mshr_t;

_Static_assert(sizeof(mshr_t) == 32, "two fill one line of the host's cache");

/* The load/store unit: one instruction at a time, tags_per_cycle of its lines per cycle. */
typedef struct {
    bool busy;
    mem_entry_t cur;
    coalesced_t lines;
    uint32_t next_line; /* index of the next line to look up */
    bool absent;        /* the load's line (key) was looked up and is neither in the L1 nor under */
    cache_key_t key;    /* way; only this unit could change that */
    uint16_t load;      /* its load entry; NO_INDEX: none allocated */
    cycle_t started;    /* cycle of acceptance */
    cycle_t data_free;  /* when the data stage takes the next instruction */
    divider_t path;     /* bytes per cycle of the return path */
    uint32_t word_cycles; /* cycles that a warp's 32-bit results take on it */
    uint32_t address_cycles;
    divider_t tags; /* lines looked up per cycle */
    uint32_t l1_banks;
    uint32_t load_parts; /* l1.load_interval in parts of a cycle */
    uint32_t load_owed;  /* fraction of a cycle carried over from earlier loads */
    cycle_t next_accept; /* MIO rate */
    uint32_t turn;       /* next sub-core in round-robin order */
    cycle_t tex_free;
    cycle_t retry;   /* next step; CYCLE_NEVER: idle, or waits for an event */
    uint8_t stalled; /* l1_result_t: what blocks cur */
    cycle_t stalled_since;
    uint8_t space;        /* mem_space_t of cur, never MEM_GENERIC */
    uint32_t extra;       /* latency that conflicts add to a hit */
    uint16_t copy_passes; /* in which an asynchronous copy is written to shared memory */
} lsu_t;

/* A packet that waits for its address translation. */
typedef struct {
    mem_msg_t m;
    uint32_t flits;
} held_packet_t;

enum { TLB_RECENT = 8 /* one line of the host's cache */ };

typedef struct {
    uint64_t *page; /* owned; first level, most recently used first; NULL: no translation */
    cache_t *l2;    /* owned; second level */
    /* LRU only: the most recently used second-level entries, newest first. The second level has not
     * been told of these uses yet. */
    uint64_t recent[TLB_RECENT];
    uint32_t n_recent;
    held_packet_t *held; /* owned; room for tlb.pending packets, oldest first */
    uint32_t n_held;
    uint64_t *arrived; /* owned; entries that the MMU sent in this cycle */
    uint32_t n_arrived;
} tlb_t;

typedef struct write_back write_back_t;

typedef struct {
    mem_queue_t queue[SM_MAX_SUB_CORES];
    lsu_t lsu;
    cache_t *l1;
    cache_request_t l1_request; /* what the replacement policy of the L1 may know */
    write_back_t *write_back;   /* owned; NULL: the L1 writes through */
    uint32_t n_write_backs;     /* lines that wait in it */
    pattern_t *pattern;         /* owned; PATTERN_SLOTS; NULL: the banks forbid it */
    uint64_t *prefetcher_word;  /* owned; state of the prefetcher */
    uint32_t sector_flits;      /* flits per sector of data sent */
    uint32_t l1_ways_max;
    load_t *load; /* owned; l1.pending_loads */
    uint16_t load_free;
    waiter_t *waiter; /* owned pool */
    uint32_t waiter_free;
    size_t n_waiter, cap_waiter;
    mshr_t *mshr; /* owned; l1.mshrs */
    uint32_t mshr_free;
    tag_chunk_t *mshr_table; /* owned; hash table: line to MSHR */
    uint32_t mshr_chunks;
    tlb_t tlb;
} memory_t;

#endif
