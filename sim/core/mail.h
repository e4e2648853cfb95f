/*
 * Mail: what shards sent to each other in one window. Part of the engine.
 *
 * A mail is written by one thread, which runs shards in ascending order, so that in each of its
 * bags the messages of one sender stand together and senders ascend. Mails of several threads are
 * merged by sender when a shard takes what is for it.
 */
#ifndef RUBATO_CORE_MAIL_H
#define RUBATO_CORE_MAIL_H

#include <stddef.h>

#include "sim/core/model_mem.h"
#include "sim/core/msg.h"
#include "sim/core/prefetch.h"

enum { MAIL_MERGE_MAX = 512 /* mails that one shard may be addressed in */ };

/* Messages to one shard, in the order of sending. */
typedef struct {
    msg_t *msg; /* owned */
    size_t n, cap;
} mailbag_t;

typedef struct {
    _Alignas(64) mailbag_t *bag; /* owned; per receiver */
    uint64_t *addressed;         /* owned; bit per receiver whose bag is not empty */
    cycle_t first_arrival;       /* CYCLE_NEVER: nothing was sent */
} mail_t;

/* A mail between n_shards shards. */
void mail_init(mail_t *mail, uint32_t n_shards);
void mail_free(mail_t *mail, uint32_t n_shards);

/* Puts a copy of m, as sent by shard sender, into the bag of shard to. */
static inline void mail_put(mail_t *mail, uint16_t to, const msg_t *m, uint16_t sender)
{
    mailbag_t *bag = &mail->bag[to];
    if (bag->n == bag->cap)
        rb_model_grow(&bag->msg, &bag->cap, bag->n + 1, sizeof(*bag->msg));
    bag->msg[bag->n] = *m;
    bag->msg[bag->n++].from = sender;
    __builtin_prefetch(&bag->msg[bag->n], 1);
    mail->addressed[to / 64] |= UINT64_C(1) << to % 64;
    mail->first_arrival = cycle_min(mail->first_arrival, m->arrival);
}

/* Earliest arrival in n mails. */
cycle_t mail_first_arrival(const mail_t *mail, uint32_t n);

/* n mails will be delivered now: from here on they are as if nothing had been sent. */
void mail_take(mail_t *mail, uint32_t n);

/* The shards 64 * word and following that n mails are addressed to, a bit each; forgets them. */
uint64_t mail_take_addressed(mail_t *mail, uint32_t n, size_t word);

/* Host-side hint that the mail to shard to will be delivered soon. Another thread may be delivering
 * it. */
static inline void mail_prefetch(const mail_t *mail, uint32_t to)
{
    enum { MESSAGES = 8 };
    const msg_t *first = mail->bag[to].msg;
    if (first != NULL)
        prefetch_range(first, MESSAGES * sizeof(*first));
}

typedef void (*mail_give_t)(void *ctx, uint32_t to, const msg_t *m, size_t n);

/* Empties the bags of shard to in n mails (MAIL_MERGE_MAX at most), senders ascending: give() is
 * called for some messages at a time. */
void mail_deliver(mail_t *mail, uint32_t n, uint32_t to, mail_give_t give, void *ctx);

#endif
