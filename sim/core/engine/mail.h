/*
 * Mail: the messages that shards sent to each other in one window. Part of the engine.
 *
 * A mail is written by one thread, which runs shards in ascending order. So in each of its bags
 * senders ascend and the messages of one sender are contiguous. When a shard takes its messages,
 * the mails of several threads are merged by sender.
 */
#ifndef RUBATO_CORE_MAIL_H
#define RUBATO_CORE_MAIL_H

#include <stdbool.h>
#include <stddef.h>

#include "sim/core/engine/msg.h"
#include "sim/core/model_mem.h"
#include "sim/core/prefetch.h"

enum { MAIL_MERGE_MAX = 512 /* mails that one shard may have messages in */ };

/* Messages to one shard, in the order of sending. */
typedef struct {
    msg_t *msg; /* owned */
    size_t n, cap;
} mailbag_t;

typedef struct mail {
    _Alignas(64) mailbag_t *bag; /* owned; per receiver */
    uint64_t *addressed;         /* owned; bit per receiver whose bag is not empty */
    cycle_t first_arrival;       /* CYCLE_NEVER: nothing was sent */
    bool marked;                 /* engine_mark() */
} mail_t;

/* A mail between n_shards shards. */
void mail_init(mail_t *mail, uint32_t n_shards);
void mail_free(mail_t *mail, uint32_t n_shards);

/* Adds a message that shard sender sends to shard `to` to its bag, and returns it. The caller sets
 * the members that its kind uses at once. */
static inline msg_t *mail_add(mail_t *mail, uint16_t to, cycle_t arrival, uint16_t sender)
{
    mailbag_t *bag = &mail->bag[to];
    if (bag->n == bag->cap)
        rb_model_grow(&bag->msg, &bag->cap, bag->n + 1, sizeof(*bag->msg));
    msg_t *m = &bag->msg[bag->n++];
    __builtin_prefetch(m + 1, 1);
    m->arrival = arrival;
    m->from = sender;
    mail->addressed[to / 64] |= UINT64_C(1) << to % 64;
    mail->first_arrival = cycle_min(mail->first_arrival, arrival);
    return m;
}

/* The same with a copy of m. */
static inline void mail_put(mail_t *mail, uint16_t to, const msg_t *m, uint16_t sender)
{
    msg_t *copy = mail_add(mail, to, m->arrival, sender);
    *copy = *m;
    copy->from = sender;
}

/* Earliest arrival in n mails. */
cycle_t mail_first_arrival(const mail_t *mail, uint32_t n);

/* Starts the delivery of n mails: they count as empty from here on. */
void mail_take(mail_t *mail, uint32_t n);

/* Which of the 64 shards from 64 * word on have messages in n mails, one bit each; clears the
 * bits. */
uint64_t mail_take_addressed(mail_t *mail, uint32_t n, size_t word);

/* Host-side hint that the mail to shard `to` will be delivered soon. Another thread may be
 * delivering it. */
static inline void mail_prefetch(const mail_t *mail, uint32_t to)
{
    enum { MESSAGES = 8 };
    const msg_t *first = mail->bag[to].msg;
    if (first != NULL)
        prefetch_range(first, MESSAGES * sizeof(*first));
}

typedef void (*mail_give_t)(void *ctx, uint32_t to, const msg_t *m, size_t n);

/* Empties the bags of shard `to` in n mails (at most MAIL_MERGE_MAX), in ascending order of
 * senders. give() is called for one batch after the other. */
void mail_deliver(mail_t *mail, uint32_t n, uint32_t to, mail_give_t give, void *ctx);

#endif
