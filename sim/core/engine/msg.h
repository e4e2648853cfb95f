/*
 * The messages that shards exchange: all that the SM side and the memory side share.
 *
 * A message is sent in one window and arrives in a later one, at the stated cycle (engine.h): the
 * send cycle plus the latency of its channel.
 */
#ifndef RUBATO_CORE_MSG_H
#define RUBATO_CORE_MSG_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/core/cycle.h"

/* Bytes of a line (one L1/L2 tag) and of a sector (one fill unit). */
enum { LINE_BYTES = 128, SECTOR_BYTES = 32, SECTORS_PER_LINE = 4 };

typedef enum {
    MSG_MEM_REQUEST, /* SM -> partition: read, write, reduction or atomic of one line */
    MSG_MEM_REPLY,   /* partition -> SM: read data, write acknowledgement, atomic result */
    MSG_CREDIT,      /* receiver of a crossbar port -> sender: buffer slots are free again */
    MSG_BLOCK,       /* block scheduler -> SM: start this block */
    MSG_BLOCK_DONE,  /* SM -> block scheduler */
    MSG_STORES_DONE, /* SM -> block scheduler: the stores of blocks reported before are done */
    MSG_LAUNCH_OVER, /* block scheduler -> SM with a write-back L1: a launch has no blocks any more.
                      * MSG_STORES_DONE will follow when what the L1 has modified is in the L2 */
    MSG_TRANSLATE,   /* SM -> MMU: an entry of its second-level TLB is missing */
    MSG_TRANSLATION, /* MMU -> SM: the reply */
} msg_kind_t;

typedef enum {
    MEM_READ,   /* reply carries the sectors */
    MEM_WRITE,  /* reply is an acknowledgement */
    MEM_RED,    /* reduction at L2: acknowledged, no data */
    MEM_ATOMIC, /* atomic at L2: reply carries the old values */
} mem_op_t;

/* mem_msg_t.sm of an access of a copy engine: nobody gets a reply. */
enum { MEM_NOBODY = UINT16_MAX };

/* Where a memory request comes from; statistics tell them apart. */
typedef enum {
    MEM_SRC_GLOBAL,
    MEM_SRC_LOCAL,
    MEM_SRC_INST,
    MEM_SRC_CONST,
    MEM_SRC_COUNT
} mem_src_t;

/* What replies add to mem_msg_t.src: the sectors of the reply that hit in the L2. */
enum { MEM_SRC_MASK = 7, MEM_NOT_LOOKED_UP = 8, MEM_HIT_SHIFT = 4 };

static inline uint8_t mem_reply_src(uint8_t src, uint8_t hit)
{
    return (uint8_t)(src | hit << MEM_HIT_SHIFT);
}

/* An instruction in 16 bits: instructions take 16 bytes. And the low bits of its address again. */
#define MSG_SITE(address) ((uint16_t)((address) >> 4))
#define MSG_SITE_PC(site) ((uint32_t)(site) << 4)

struct trace_block;

/* One line's worth of a request or reply. */
typedef struct {
    uint64_t line;   /* byte address, a multiple of LINE_BYTES */
    uint32_t txn;    /* the requester's handle, returned unchanged */
    uint16_t sm;     /* requesting SM (index, not shard), or MEM_NOBODY */
    uint8_t op;      /* mem_op_t */
    uint8_t src;     /* mem_src_t; in replies with bits of mem_reply_src() */
    uint8_t sectors; /* bit s: sector s of the line is wanted, written or delivered */
    union {
        uint8_t full;  /* writes: bit s: all 32 bytes of sector s are written */
        uint8_t words; /* atomics and reductions: 4-byte words at which they begin */
    };
    uint8_t conflict;    /* atomics and reductions: most operations on one 4-byte word */
    bool launched : 1;   /* instruction fetches: the launch has brought the line into the L2 */
    bool prefetched : 1; /* a prefetcher asks, no instruction waits */
    bool watched : 1;    /* writes: they count (word_counts.h); others: poll is valid, not bytes */
    uint16_t site;       /* requests of instructions: MSG_SITE() of their address; 0: none */
    uint16_t launch;     /* requests: tag of the launch that is to count it (launch_ctx_t) */
    union {
        uint32_t bytes[SECTORS_PER_LINE]; /* writes: byte mask of each sector */
        struct {
            const struct trace_block *block; /* borrowed; of the warp */
            uint32_t wait;                   /* index + 1 in its waits; 0: this is no poll */
            uint32_t words;                  /* atomics and reductions: bit n: word n of the line */
        } poll;
    };
} mem_msg_t;

/* In mem_msg_t.txn of a reply: what the warp waits for has not been written yet. */
#define MEM_TXN_NOT_YET (UINT32_C(1) << 31)

/* What an SM must know about a launch. Owned by the block scheduler, constant while the launch
 * runs. */
typedef struct {
    uint32_t slot;        /* number of the launch in the block scheduler's table */
    uint32_t epoch;       /* changes with each launch: cached copies from the previous one are
                           * stale */
    uint32_t carveout;    /* shared-memory bytes of the SM while this launch runs */
    uint64_t code_base;   /* where the model places the function's first instruction */
    uint64_t shared_base; /* generic address windows; 0: unknown */
    uint64_t local_base;
    uint8_t index; /* among the launches on the chip; 0 if they run one after another */
    uint16_t tag;  /* whose counters (stats_split.h); 0 if they run one after another */
    bool waits;    /* warps wait in time for what others write (stream_wait_t) */
    bool overlaps; /* blocks of other launches may be on the chip at the same time */
} launch_ctx_t;

typedef struct {
    struct trace_block *block;  /* borrowed until MSG_BLOCK_DONE */
    const launch_ctx_t *launch; /* borrowed */
    uint32_t carveout;          /* MSG_BLOCK: shared-memory bytes of the SM */
    bool stores;                /* MSG_BLOCK_DONE: MSG_STORES_DONE will follow */
} block_msg_t;

typedef struct {
    cycle_t arrival;
    uint16_t from;  /* sending shard */
    uint8_t kind;   /* msg_kind_t */
    uint8_t port;   /* crossbar: receiving port of the shard (slice within the partition) */
    uint8_t flits;  /* crossbar: cycles on a port, at flit size */
    uint8_t count;  /* MSG_CREDIT: slots freed; MSG_STORES_DONE: index of the launch;
                     * MSG_MEM_REQUEST: cycles from the start of its first flit to its last */
    uint16_t input; /* crossbar: sending port, index among all senders of this direction;
                     * MSG_TRANSLATE: the SM */
    union {
        mem_msg_t mem;
        block_msg_t block; /* MSG_BLOCK and MSG_BLOCK_DONE */
        uint64_t entry;    /* MSG_TRANSLATE, MSG_TRANSLATION: first address that it covers */
    };
} msg_t;

#endif
