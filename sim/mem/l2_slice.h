/*
 * One slice of the L2: crossbar ejection port -> tags -> data or DRAM -> crossbar injection port.
 *
 *   Tags: a request is looked up in the cycle in which it leaves the crossbar port; its reply
 *     leaves l2.latency cycles later. If only some of its sectors hit, it is answered in parts, each
 *     reply naming the sectors it delivers.
 *   Data port: as wide as the crossbar port. Every sector that is read by a hit, written or filled
 *     passes it; the input waits meanwhile. A fill is forwarded to the requests that wait for it;
 *     their replies leave l2.latency after the fill.
 *   Writes: write-back, write-allocate, byte masks, no fetch; acknowledged with the latency of a
 *     hit. A read of a partly written sector fetches and merges it (lazy fetch-on-read, gpu-facts
 *     C.5). When more than l2.modified_share of a set's ways are modified, the least recently used
 *     of them is written to the DRAM and stays, unmodified (NVIDIA's US patents 8464001 and 9639466:
 *     the L2 counts the modified lines of a set and above a threshold notifies the frame buffer
 *     logic, which pulls and writes them). Lines modified by host copies count only from the first
 *     write of a launch on.
 *     With dram.ecc, the DRAM reads sectors that are not written completely before it writes them (dram.h).
 *   Misses: aligned groups of l2.fill_sectors are fetched together. Lines are allocated on fill
 *     and on write, never reserved.
 *   Atomics and reductions work on sectors that are present (fetched if necessary), one request at
 *     a time: the unit is busy for the longest of one cycle per sector, one per operation
 *     on the word with the most operations, and l2.atomic_word_interval per word. The reply of an
 *     atomic takes l2.atomic_latency more, and l2.atomic_interval for each further operation on that word.
 *   Halves (l2.halves = 2): a line is owned by a slice of one half, its point of coherence. The SMs of
 *     the other half read a copy in their own half. Such copies are lines of their own; the
 *     addresses are spread so evenly that the owner's slice keeps them, in place of its mirror image.
 *     What no copy holds comes from the owner, l2.far_latency later, and leaves a copy. Writes and
 *     atomics go to the owner and take their sectors out of the copy. Reads and writes between the
 *     halves pass the data ports of both. Code has no copies.
 *   Order and back-pressure: one request at a time. A request that finds no MSHR, no room in its
 *     MSHR's list, a full reply queue, transfers waiting for the DRAM or (atomics) a busy unit waits
 *     at the head of the input and blocks those behind it.
 */
#ifndef RUBATO_MEM_L2_SLICE_H
#define RUBATO_MEM_L2_SLICE_H

#include "sim/core/ring.h"
#include "sim/mem/dram.h"
#include "sim/mem/gpc_code.h"
#include "sim/mem/l2_tags.h"
#include "sim/mem/mshr.h"
#include "sim/parts/addr_map.h"
#include "sim/parts/cache/cache.h"
#include "sim/parts/word_counts.h"
#include "sim/parts/xbar.h"
#include "sim/stats/stats_split.h"

typedef enum {
    L2_STALL_NONE,
    L2_STALL_MSHR,
    L2_STALL_DRAM,
    L2_STALL_REPLY,
    L2_STALL_ATOMIC,
} l2_stall_t;

enum { L2_REPLY_PLAIN, L2_REPLY_ATOMIC, L2_REPLY_FAR, L2_REPLY_FAR_ATOMIC, L2_REPLY_RINGS };

/* A reply between tags or fill and the crossbar queue. */
typedef struct {
    cycle_t ready;
    uint64_t line;
    uint32_t txn;
    uint16_t sm;
    uint8_t op, src, sectors, flits;
    bool shared; /* shares the flits of a reply to another SM of the GPC */
} l2_reply_t;

/* Replies with the same latency, so in order of their ready cycles. Their number is bounded by the
 * MSHRs and the length of the pipeline. */
typedef struct {
    l2_reply_t *item; /* owned */
    size_t head, count, cap;
} l2_reply_ring_t;

/* A fetch or write-back on its way to the DRAM. */
typedef struct {
    uint64_t local; /* address within the partition */
    uint32_t token; /* of a write-back: sectors of which only some bytes are known */
    uint8_t sectors;
    bool write;
    uint16_t launch; /* tag, if launches overlap */
} l2_transfer_t;

/* Counters by launch, while launches overlap. */
typedef struct {
    stats_split_t split;
    uint16_t (*fill)[SECTORS_PER_LINE]; /* owned; by MSHR: whose request fetches a sector */
} l2_by_launch_t;

typedef struct {
    l2_spec_t spec;
    /* Of a reply with this many sectors. */
    uint8_t flits[SECTORS_PER_LINE + 1];
    uint32_t modified_ways; /* most modified ways of a set */
    const addr_map_t *map;  /* borrowed */
    dram_t *dram;           /* borrowed */
    uint32_t number;        /* slice of the chip */
    uint32_t token;         /* of this slice, in fetch tokens */
    uint32_t far_from;      /* SMs from this one on are in the second half of the chip, */
    bool far_below;         /* as is this slice; all SMs are near if far_from is UINT32_MAX */

    xbar_in_t in;
    xbar_out_t out;
    cache_t *cache;        /* owned */
    word_counts_t written; /* by the launch, if its warps wait for what others write */
    mshr_t mshr;
    gpc_code_t gpc;
    l2_reply_ring_t reply[L2_REPLY_RINGS];
    struct {
        l2_transfer_t *item; /* owned */
        size_t head, count, cap;
    } transfer; /* in the order in which the DRAM takes them */

    msg_pool_t *pool; /* borrowed */
    struct {
        uint32_t *item; /* owned */
        size_t head, count, cap;
    } copy;                  /* messages of copies that wait for the input */
    uint32_t held;           /* request taken from the crossbar but not yet handled; 0: none */
    cache_key_t request_key; /* its line within the slice */
    cache_request_t request; /* what the replacement policy may know of the present access */
    uint32_t likely;         /* request that was likely to be next; 0: none */
    cache_key_t likely_key;  /* its line */
    l2_stall_t stall;        /* what `held` waits for */
    cycle_t stall_since;

    /* In parts of a cycle: what each further operation on a word adds to an atomic's latency, what a
     * word adds to the time of the unit, and what a sector takes at the data port. */
    uint32_t atomic_interval, atomic_word_interval, sector_interval;
    cycle_t data_free;   /* data port: free from this cycle on, */
    uint32_t data_used;  /* of which this many parts are used */
    cycle_t atomic_used; /* the atomic unit is busy until then, in parts of a cycle */
    cycle_t out_due;     /* next cycle at which a reply may move */
    cycle_t in_due;      /* next cycle at which the input may move */
    cycle_t next;        /* next cycle at which run() has something to do */
    l2_stats_t stats;
    l2_by_launch_t *by_launch; /* owned; NULL: launches do not overlap */
} l2_slice_t;

/* Intervals of operations and sectors are counted in this fraction of a cycle. */
enum { L2_CYCLE_PARTS = 4096 };

/* Fields of a fetch token; a partition has at most 256 slices. */
enum { L2_TOKEN_SECTOR_BITS = 4, L2_TOKEN_MSHR_BITS = 16, L2_TOKEN_SLICE_BITS = 8 };

/* The slice within the partition that a fetch belongs to. */
static inline uint32_t l2_token_slice(uint32_t token)
{
    return token >> (L2_TOKEN_MSHR_BITS + L2_TOKEN_SECTOR_BITS);
}

/* number: slice of the chip; n_sms: senders and receivers. map, dram and pool (of messages) are
 * borrowed. */
void l2_slice_init(l2_slice_t *s, const mem_config_t *config, const addr_map_t *map, dram_t *dram,
                   msg_pool_t *pool, uint32_t number, uint32_t n_sms);
void l2_slice_free(l2_slice_t *s);

/* Sets the shard of SM sm, and by how many cycles replies to it take longer than the mean. */
void l2_slice_connect(l2_slice_t *s, uint32_t sm, uint16_t shard, int32_t farther);

/* Host-side hint that the slice will run; reads only what never changes. ahead: see shard_ops_t. */
void l2_slice_prefetch_state(const l2_slice_t *s, int ahead);

/* Host-side hint that this request will arrive soon. */
void l2_slice_prefetch(const l2_slice_t *s, const msg_t *m);

/* Host-side hint that the slice will run: prefetches what its next requests need. */
void l2_slice_prefetch_input(const l2_slice_t *s);

/* Host-side hints for a fetch that will be back after L2_PREFETCH_ENTRY (L2_PREFETCH_TAGS) others:
 * prefetch its MSHR (the tags of its line). The second reads what the first prefetched. */
enum { L2_PREFETCH_TAGS = 1, L2_PREFETCH_ENTRY = 2 };
void l2_slice_prefetch_entry(const l2_slice_t *s, uint32_t token);
void l2_slice_prefetch_tags(const l2_slice_t *s, uint32_t token);

/* Message n of the pool, a request or credit, arrived at cycle now. Takes ownership of it. */
void l2_slice_arrive(l2_slice_t *s, uint32_t n, cycle_t now);

/* Message n of the pool, an access of a copy, reaches the input at cycle now. Takes ownership of it. */
void l2_slice_copy(l2_slice_t *s, uint32_t n, cycle_t now);

/* A fetch is back at cycle now. token: as given to the DRAM. */
void l2_slice_fill(l2_slice_t *s, outbox_t *out, uint32_t token, cycle_t now);

/* Whether arrivals change what the slice does next. Not while a request waits, because arrivals
 * wait behind it, unless a reply waits for credits. */
static inline bool l2_slice_listens(const l2_slice_t *s)
{
    return s->held == 0 || s->out.count > 0;
}

/* From cycle now the DRAM has room for room[0] reads and room[1] writes. A slice that waits for
 * that wakes up and subtracts one. */
void l2_slice_dram_room(l2_slice_t *s, uint32_t room[2], cycle_t now);

/* Simulates cycle now and sets s->next. Returns true if something was sent to the DRAM. */
bool l2_slice_run(l2_slice_t *s, outbox_t *out, cycle_t now);

/* A host copy wrote the sectors of the line at this address of the slice. They are modified, as
 * after any write, but no other line is written back for it (guess). Returns their number; 0 in a
 * perfect L2. */
uint32_t l2_slice_copy_in(l2_slice_t *s, uint64_t line, uint8_t sectors);

/* The tags of the slice, to touch them without time before it goes on. Sectors may be in flight. */
l2_tags_t l2_slice_tags(l2_slice_t *s);

/* Whether nothing waits or is in flight. */
bool l2_slice_idle(const l2_slice_t *s);

/* Checkpoint of an idle slice: tags, ports, credits. Return 0, or -1 with errno. */
int l2_slice_save(const l2_slice_t *s, FILE *out);
int l2_slice_load(l2_slice_t *s, FILE *in, cycle_t latest);

/* Counts by launch from now on, from 0; false: stops. */
void l2_slice_count_by_launch(l2_slice_t *s, bool on);

/* Prints what waits and for what, for people. */
void l2_slice_dump(const l2_slice_t *s, FILE *out);

#endif
