/*
 * Inbox: messages that a shard has been given and that take effect at their arrival cycle. Those of
 * one cycle come out in the order in which they were put in.
 *
 * Messages of the next INBOX_SLOTS cycles are linked to a slot each; later ones (rare: a channel is
 * not that long) wait in an array in order of arrival.
 */
#ifndef RUBATO_CORE_INBOX_H
#define RUBATO_CORE_INBOX_H

#include <stddef.h>

#include "sim/core/msg_pool.h"

enum { INBOX_SLOTS = 256, INBOX_WORDS = INBOX_SLOTS / 64 };

typedef struct {
    cycle_t base;  /* every message arrives at or after base */
    cycle_t first; /* arrival of the earliest, CYCLE_NEVER if there is none */
    uint64_t occupied[INBOX_WORDS];
    struct {
        uint32_t head, tail; /* numbers in the pool; 0: empty */
    } slot[INBOX_SLOTS];
    msg_pool_t pool;
    uint32_t *far; /* owned; numbers, earliest last */
    size_t n_far, cap_far;
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

/* The next message that arrives before end, as its number in the pool, now the caller's to free;
 * 0 if there is none. */
uint32_t inbox_take(inbox_t *b, cycle_t end);

/* States that no message will arrive before cycle any more. All earlier ones must be gone. */
void inbox_advance(inbox_t *b, cycle_t cycle);

#endif
