#include "sim/core/engine/mail.h"

#include "sim/core/err.h"

void mail_init(mail_t *mail, uint32_t n_shards)
{
    mail->bag = rb_model_calloc(n_shards, sizeof(*mail->bag));
    mail->addressed = rb_model_calloc(((size_t)n_shards + 63) / 64, sizeof(*mail->addressed));
    mail->first_arrival = CYCLE_NEVER;
}

void mail_free(mail_t *mail, uint32_t n_shards)
{
    for (uint32_t s = 0; s < n_shards; s++)
        rb_model_free(mail->bag[s].msg);
    rb_model_free(mail->bag);
    rb_model_free(mail->addressed);
}

cycle_t mail_first_arrival(const mail_t *mail, uint32_t n)
{
    cycle_t first = CYCLE_NEVER;
    for (uint32_t i = 0; i < n; i++)
        first = cycle_min(first, mail[i].first_arrival);
    return first;
}

void mail_take(mail_t *mail, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        mail[i].first_arrival = CYCLE_NEVER;
        mail[i].marked = false;
    }
}

uint64_t mail_take_addressed(mail_t *mail, uint32_t n, size_t word)
{
    uint64_t addressed = 0;
    for (uint32_t i = 0; i < n; i++) {
        addressed |= mail[i].addressed[word];
        mail[i].addressed[word] = 0;
    }
    return addressed;
}

/* The undelivered rest of a bag. */
typedef struct {
    const msg_t *msg, *end;
} rest_t;

/* The rest with the lowest sender; none of the n rests is empty. */
static rest_t *first_sender(rest_t *rest, uint32_t n)
{
    rest_t *best = rest;
    for (uint32_t i = 1; i < n; i++) {
        if (rest[i].msg->from < best->msg->from)
            best = &rest[i];
    }
    return best;
}

void mail_deliver(mail_t *mail, uint32_t n, uint32_t to, mail_give_t give, void *ctx)
{
    rest_t rest[MAIL_MERGE_MAX];
    uint32_t left = 0;
    RB_INVARIANT(n <= MAIL_MERGE_MAX, "engine: %u mails to merge", n);
    for (uint32_t i = 0; i < n; i++) {
        mailbag_t *bag = &mail[i].bag[to];
        if (bag->n > 0)
            rest[left++] = (rest_t){.msg = bag->msg, .end = bag->msg + bag->n};
        bag->n = 0;
    }
    while (left > 1) {
        rest_t *r = first_sender(rest, left);
        const msg_t *from = r->msg;
        while (r->msg < r->end && r->msg->from == from->from)
            r->msg++;
        give(ctx, to, from, (size_t)(r->msg - from));
        if (r->msg == r->end)
            *r = rest[--left];
    }
    if (left > 0)
        give(ctx, to, rest->msg, (size_t)(rest->end - rest->msg));
}
