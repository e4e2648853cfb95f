/*
 * Inbox: messages that were delivered to a shard and take effect at their arrival cycle. Messages
 * of the same cycle come out in the order in which they were put in.
 *
 * A shard gets a few messages at a time and few wait for long, so the waiting ones are kept sorted
 * in one array, into which each new lot is merged.
 */
#ifndef RUBATO_CORE_INBOX_H
#define RUBATO_CORE_INBOX_H

#include <stddef.h>

#include "sim/core/engine/msg_pool.h"

typedef struct {
    cycle_t arrival;
    uint32_t number; /* in the pool */
} inbox_item_t;

typedef struct {
    cycle_t base;       /* every message arrives at or after base */
    cycle_t first;      /* arrival of the earliest, CYCLE_NEVER if there is none */
    inbox_item_t *item; /* owned; item[head .. end) wait, sorted by arrival */
    size_t head, end, cap;
    msg_pool_t pool;
} inbox_t;

void inbox_init(inbox_t *b);
void inbox_free(inbox_t *b);

/* Takes copies of n messages. */
void inbox_put(inbox_t *b, const msg_t *m, size_t n);

/* Arrival of the earliest message, CYCLE_NEVER if there is none. */
static inline cycle_t inbox_next(const inbox_t *b)
{
    return b->first;
}

/* The message that is taken after `others` more messages, as things stand; 0: none. */
static inline uint32_t inbox_ahead(const inbox_t *b, size_t others)
{
    return b->end - b->head > others ? b->item[b->head + others].number : 0;
}

/* Host-side: prefetches that message, which may have been put in long ago. inbox_take() prefetches
 * INBOX_PREFETCH messages ahead. */
enum { INBOX_PREFETCH = 4 };
static inline void inbox_prefetch(const inbox_t *b, size_t others)
{
    uint32_t n = inbox_ahead(b, others);
    if (n != 0)
        __builtin_prefetch(msg_pool_at(&b->pool, n));
}

/* Takes the next message that arrives before end: its number in the pool, which the caller now
 * frees; 0 if there is none. */
static inline uint32_t inbox_take(inbox_t *b, cycle_t end)
{
    if (b->first >= end)
        return 0;
    const inbox_item_t *item = &b->item[b->head++];
    b->base = b->first;
    inbox_prefetch(b, INBOX_PREFETCH - 1);
    b->first = b->head < b->end ? item[1].arrival : CYCLE_NEVER;
    return item->number;
}

/* States that no more messages will arrive before cycle. All earlier ones must have been taken. */
void inbox_advance(inbox_t *b, cycle_t cycle);

#endif
