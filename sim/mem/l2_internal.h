/*
 * Internal interface of an L2 slice: l2_slice.c (ports, time, path to the DRAM), l2_request.c
 * (requests and fills), l2_line.c (state of a line) and l2_reply.c.
 */
#ifndef RUBATO_MEM_L2_INTERNAL_H
#define RUBATO_MEM_L2_INTERNAL_H

#include "sim/core/engine/msg_pool.h"
#include "sim/mem/l2_slice.h"

/* The MSHR of a fetch. */
static inline mshr_entry_t *l2_token_mshr(const l2_slice_t *s, uint32_t token)
{
    return &s->mshr.entry[token >> L2_TOKEN_SECTOR_BITS & ((1u << L2_TOKEN_MSHR_BITS) - 1)];
}

/* What is counted from now on belongs to this launch. */
static inline void l2_count_for(l2_slice_t *s, uint16_t launch)
{
    stats_split_to(&s->by_launch->split, launch);
}

/* Moves sectors through the data port; the input waits meanwhile. */
static inline void l2_data_port_use(l2_slice_t *s, uint32_t sectors, cycle_t now)
{
    s->stats.data_sectors += sectors;
    if (s->spec.perfect)
        return;
    uint32_t used = (s->data_free < now ? 0 : s->data_used) + sectors * s->sector_interval;
    s->data_free = cycle_max(s->data_free, now) + used / L2_CYCLE_PARTS;
    s->data_used = used % L2_CYCLE_PARTS;
}

/* The request at the head of the input; there must be one. */
static inline const mem_msg_t *l2_held_request(const l2_slice_t *s)
{
    return &msg_pool_at(s->pool, s->held)->msg.mem;
}

/* Queues a fetch or a write-back of sectors of the line at address key of the slice; token: see
 * l2_slice.h. */
static inline void l2_transfer_add(l2_slice_t *s, uint64_t key, uint8_t sectors, bool write,
                                   uint32_t token)
{
    RB_RING_PUSH(&s->transfer) =
        (l2_transfer_t){.local = addr_map_partition_local(s->map, l2_token_slice(s->token), key),
                        .token = token,
                        .sectors = sectors,
                        .write = write,
                        .launch = s->by_launch == NULL ? 0 : s->by_launch->split.tag};
}

/* l2_line.c. Inserts an absent line without valid sectors; a dirty victim is written back. */
cache_tag_t *l2_line_allocate(l2_slice_t *s, cache_key_t key);

/* The sectors of the line that have only written bytes. */
uint8_t l2_line_partial(const l2_slice_t *s, const cache_tag_t *l);

/* Call after a write to a line in the set of key. If too many lines of the set are modified, writes
 * back the least recently used of them, which stays. */
void l2_set_clean(l2_slice_t *s, cache_key_t key);

/* Whether SM sm is in the other half of the chip. */
static inline bool l2_is_far(const l2_slice_t *s, uint32_t sm)
{
    return s->far_from != UINT32_MAX && sm != MEM_NOBODY && (sm < s->far_from) == s->far_below;
}

/* Whether a read is of data that the other half copies. */
static inline bool l2_is_copied(const l2_slice_t *s, uint32_t sm, uint8_t src)
{
    const uint8_t from = src & MEM_SRC_MASK;
    return l2_is_far(s, sm) && from != MEM_SRC_INST && from != MEM_SRC_CONST;
}

/* l2_half.c. Which SMs are far; gpc_sms: SMs of a GPC, 0: each SM is one. */
void l2_halves_init(l2_slice_t *s, uint32_t gpc_sms, uint32_t n_sms);

/* Adds sectors to the copy of a line, which may evict another line. */
void l2_copy_fill(l2_slice_t *s, cache_key_t key, uint8_t sectors);

/* l2_request.c. Handles the request at the head of the input at cycle now, or returns what it waits
 * for. There must be room for its reply, and no transfer waiting for the DRAM. */
l2_stall_t l2_request_try(l2_slice_t *s, outbox_t *out, cycle_t now);

/* l2_reply.c. Moves replies that are ready into the queue of the crossbar port, and into the
 * crossbar. */
void l2_replies_run(l2_slice_t *s, outbox_t *out, cycle_t now);

/* Queues a reply with sectors, or an acknowledgement, that is ready l2.latency after now; nothing for
 * MEM_NOBODY. src: with the bits of a reply. */
void l2_reply_plain(l2_slice_t *s, outbox_t *out, uint64_t line, uint32_t txn, uint16_t sm,
                    uint8_t op, uint8_t src, uint8_t sectors, cycle_t now);

/* The same from the owner of the line: to an SM of the other half it takes l2.far_latency more. */
void l2_reply_owner(l2_slice_t *s, outbox_t *out, uint64_t line, uint32_t txn, uint16_t sm,
                    uint8_t op, uint8_t src, uint8_t sectors, cycle_t now);

/* When the next atomic can begin. */
static inline cycle_t l2_atomic_free(const l2_slice_t *s)
{
    return s->atomic_used / L2_CYCLE_PARTS;
}

/* Performs an atomic or reduction whose sectors are present, as soon as the unit is free. */
void l2_atomic_perform(l2_slice_t *s, uint64_t line, const mshr_wait_t *w, cycle_t now);

#endif
