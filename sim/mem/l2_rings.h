/*
 * First-in-first-out rings of an L2 slice. They grow when full; how far is bounded by the slice's
 * MSHRs and the length of its pipeline.
 */
#ifndef RUBATO_MEM_L2_RINGS_H
#define RUBATO_MEM_L2_RINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/core/cycle.h"

/* A reply between tags or fill and the crossbar queue. */
typedef struct {
    cycle_t ready;
    uint64_t line;
    uint32_t txn;
    uint16_t sm;
    uint8_t op, src, sectors, flits;
} l2_reply_t;

/* Replies of one latency, so in order of their ready cycles. */
typedef struct {
    l2_reply_t *item; /* owned ring; cap is a power of two */
    size_t head, count, cap;
} l2_reply_ring_t;

/* A fetch or write-back on its way to the DRAM. */
typedef struct {
    uint64_t local; /* address within the partition */
    uint32_t token; /* fetches */
    uint8_t sectors;
    bool write;
} l2_transfer_t;

typedef struct {
    l2_transfer_t *item; /* owned ring; cap is a power of two */
    size_t head, count, cap;
} l2_transfer_ring_t;

void l2_reply_ring_add(l2_reply_ring_t *r, const l2_reply_t *reply);
void l2_transfer_ring_add(l2_transfer_ring_t *r, const l2_transfer_t *transfer);

/* The oldest item; there must be one. Valid until the next addition. */
static inline const l2_reply_t *l2_reply_ring_head(const l2_reply_ring_t *r)
{
    return &r->item[r->head];
}

static inline const l2_transfer_t *l2_transfer_ring_head(const l2_transfer_ring_t *r)
{
    return &r->item[r->head];
}

static inline void l2_reply_ring_drop(l2_reply_ring_t *r)
{
    r->head = (r->head + 1) & (r->cap - 1);
    r->count--;
}

static inline void l2_transfer_ring_drop(l2_transfer_ring_t *r)
{
    r->head = (r->head + 1) & (r->cap - 1);
    r->count--;
}

#endif
