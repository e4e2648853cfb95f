/*
 * The state of the memory side: memory queues, load/store unit, L1 with its misses, TLB. Only the
 * files of this folder use it.
 */
#ifndef RUBATO_SM_MEMORY_STATE_H
#define RUBATO_SM_MEMORY_STATE_H

#include "sim/core/cycle.h"
#include "sim/core/divider.h"
#include "sim/core/msg.h"
#include "sim/isa/inst.h"
#include "sim/parts/cache.h"
#include "sim/parts/tag_table.h"
#include "sim/sm/memory/coalesce.h"
#include "sim/sm/sm_limits.h"

/* A memory instruction on its way from a sub-core to the load/store unit. */
typedef struct {
    const inst_t *inst;
    const uint64_t *addr;
    cycle_t accept_from;
    uint32_t mask;
    uint16_t warp;
} mem_entry_t;

/* The queue of a sub-core: a ring of sm.mem_queue entries. */
typedef struct {
    mem_entry_t *entry; /* owned */
    uint32_t head, count;
    cycle_t free;   /* the addresses of the next entry are there */
    cycle_t taken;  /* the last entry left the queue */
    cycle_t leaves; /* ... and its place is free */
} mem_queue_t;

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

/* A line with sectors under way. Mostly one load waits for it: the oldest is kept here, the others
 * in a list. */
typedef struct {
    cache_key_t key;
    uint32_t waiters;   /* index + 1 of the newest in the list */
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
    coalesced_t lines;
    uint32_t next_line; /* first not yet handled */
    bool absent;        /* of a load: its line was looked up (key) and is neither here nor under */
    cache_key_t key;    /* way; nothing but this unit could change that */
    uint16_t load;      /* its load entry, NO_INDEX: none needed so far */
    cycle_t started;    /* accepted */
    cycle_t data_free;  /* data stage takes the next instruction */
    divider_t path;     /* bytes of the return path */
    uint32_t word_cycles; /* that a warp's 32-bit words take on it */
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

/* A packet whose address has yet to be translated. */
typedef struct {
    mem_msg_t m;
    uint32_t flits;
} held_packet_t;

enum { TLB_RECENT = 8 /* a line of the host's cache */ };

typedef struct {
    uint64_t *page; /* owned; first level, used last first; NULL: nothing is translated */
    cache_t *l2;    /* owned; second level */
    /* With LRU only: entries of it that were used last, the newest first. Their order of use is
     * not yet noted in the second level. */
    uint64_t recent[TLB_RECENT];
    uint32_t n_recent;
    held_packet_t *held; /* owned; tlb.pending, the oldest first */
    uint32_t n_held;
    uint64_t *arrived; /* owned; entries that the MMU sent in this cycle */
    uint32_t n_arrived;
} tlb_t;

typedef struct {
    mem_queue_t queue[SM_MAX_SUB_CORES];
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
} memory_t;

#endif
