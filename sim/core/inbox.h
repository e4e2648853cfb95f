/*
 * Inbox: messages that a shard has been given and that take effect at their arrival cycle. Those of
 * one cycle come out in the order in which they were put in.
 */
#ifndef RUBATO_CORE_INBOX_H
#define RUBATO_CORE_INBOX_H

#include "sim/core/msg.h"
#include "sim/core/wheel.h"

typedef struct {
    wheel_t wheel;   /* payload: index into msg */
    msg_t *msg;      /* owned pool */
    uint32_t *spare; /* owned; indices of free places in the pool */
    size_t n_msg, cap_msg, n_spare, cap_spare;
} inbox_t;

void inbox_init(inbox_t *b);
void inbox_free(inbox_t *b);

/* Takes a copy of m. */
void inbox_put(inbox_t *b, const msg_t *m);

/* Arrival of the earliest message, CYCLE_NEVER if there is none. */
static inline cycle_t inbox_next(const inbox_t *b)
{
    return wheel_next(&b->wheel);
}

/* The next message that arrives before end, NULL if there is none. Valid until the next put. */
const msg_t *inbox_take(inbox_t *b, cycle_t end);

#endif
