#include "tests/support/sim/xbar_lab.h"

#include <stdlib.h>

#include "sim/core/alloc.h"
#include "tests/support/test.h"

static void sender_deliver(void *self, const msg_t *m, size_t n)
{
    xbar_lab_sender_t *s = self;
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(m[i].kind, MSG_CREDIT);
        wheel_add(&s->wheel, m[i].arrival, (uint32_t)m[i].input << 8 | m[i].count);
    }
}

/* Sends a packet ahead if its time is certain, otherwise queues it when it is ready. */
static bool sent_ahead(xbar_lab_sender_t *s, outbox_t *out, const xbar_lab_packet_t *p)
{
    msg_t *m = xbar_out_ahead(&s->out, out, p->dest, p->ready, 1, p->flits);
    if (m == NULL)
        return false;
    m->kind = MSG_MEM_REQUEST;
    m->mem.txn = s->pushed;
    s->sent += p->flits;
    s->pushed++;
    s->ahead++;
    return true;
}

static cycle_t sender_run(void *self, outbox_t *out, cycle_t from, cycle_t to)
{
    xbar_lab_sender_t *s = self;
    cycle_t now = from;
    while (now < to) {
        cycle_t at;
        uint32_t credit;
        while (wheel_pop(&s->wheel, now + 1, &at, &credit))
            xbar_out_credit(&s->out, credit >> 8, credit & 255);
        for (;;) {
            while (s->pushed < s->n && !xbar_out_full(&s->out)) {
                const xbar_lab_packet_t *p = &s->packet[s->pushed];
                if (s->b->shape.ahead && p->ready > now) {
                    if (sent_ahead(s, out, p))
                        continue;
                    break;
                }
                msg_t *m = xbar_out_push(&s->out, p->dest, p->ready);
                m->kind = MSG_MEM_REQUEST;
                m->flits = (uint8_t)p->flits;
                m->mem.txn = s->pushed;
                if (p->first)
                    xbar_out_overtake(&s->out);
                s->pushed++;
            }
            uint64_t before = s->sent;
            xbar_out_step(&s->out, out, now, &s->sent);
            if (s->sent == before)
                break;
            s->last_sent = now;
        }
        cycle_t next = cycle_min(wheel_next(&s->wheel), xbar_out_next(&s->out, now));
        if (s->b->shape.ahead && s->pushed < s->n && !xbar_out_full(&s->out))
            next = cycle_min(next, s->packet[s->pushed].ready);
        now = next;
    }
    return now;
}

static void receiver_deliver(void *self, const msg_t *m, size_t n)
{
    xbar_lab_receiver_t *r = self;
    inbox_put(&r->inbox, m, n);
}

static cycle_t receiver_run(void *self, outbox_t *out, cycle_t from, cycle_t to)
{
    xbar_lab_receiver_t *r = self;
    cycle_t now = from;
    while (now < to) {
        for (uint32_t n; (n = inbox_take(&r->inbox, now + 1)) != 0;) {
            cycle_t at = msg_pool_at(&r->inbox.pool, n)->msg.arrival;
            r->first = r->first == 0 ? at : r->first;
            r->last = at;
            xbar_in_push(&r->in, n);
        }
        while (xbar_in_ready(&r->in, now)) {
            uint32_t n = xbar_in_take(&r->in, out, now);
            msg_t m = msg_pool_at(&r->inbox.pool, n)->msg;
            msg_pool_free(&r->inbox.pool, n);
            r->flits += m.flits;
            r->hash = (r->hash ^ now ^ (uint64_t)m.input << 40 ^ (uint64_t)m.mem.txn << 20) *
                      1099511628211u;
            if (now < r->b->until)
                r->from[m.input] += m.flits;
            r->taken++;
            r->last_taken = now;
        }
        now = cycle_min(inbox_next(&r->inbox), xbar_in_next(&r->in, now + 1));
    }
    return now;
}

static void nothing_to_dump(const void *self, FILE *out)
{
    (void)self;
    (void)out;
}

static const shard_ops_t sender_ops = {
    .kind = "sender", .deliver = sender_deliver, .run = sender_run, .dump = nothing_to_dump};
static const shard_ops_t receiver_ops = {
    .kind = "receiver", .deliver = receiver_deliver, .run = receiver_run, .dump = nothing_to_dump};

xbar_lab_t *xbar_lab_create(const xbar_shape_t *shape)
{
    xbar_lab_t *b = rb_calloc(1, sizeof(*b));
    b->shape = *shape;
    b->until = CYCLE_NEVER;
    b->engine = engine_create(1, shape->window == 0 ? XBAR_LAB_BACK : shape->window);
    b->send = rb_calloc(shape->n_send, sizeof(*b->send));
    b->recv = rb_calloc(shape->n_recv, sizeof(*b->recv));
    for (uint32_t i = 0; i < shape->n_send; i++) {
        xbar_lab_sender_t *s = &b->send[i];
        s->b = b;
        s->number = i;
        wheel_init(&s->wheel);
        s->packet = rb_calloc(XBAR_LAB_PACKETS, sizeof(*s->packet));
        xbar_out_init(&s->out, shape->n_recv, XBAR_LAB_DEPTH, shape->send_width, shape->perfect,
                      (uint16_t)i, XBAR_LAB_FORWARD, shape->buffer);
        engine_add_shard(b->engine, &sender_ops, s);
    }
    for (uint32_t i = 0; i < shape->n_recv; i++) {
        xbar_lab_receiver_t *r = &b->recv[i];
        r->b = b;
        r->number = i;
        inbox_init(&r->inbox);
        xbar_in_init(&r->in, &r->inbox.pool, shape->n_send, shape->recv_width, shape->perfect,
                     (uint16_t)i, XBAR_LAB_BACK, shape->batch);
        uint16_t shard = engine_add_shard(b->engine, &receiver_ops, r);
        for (uint32_t k = 0; k < shape->n_send; k++) {
            xbar_in_connect(&r->in, k, (uint16_t)k, 0);
            xbar_out_connect(&b->send[k].out, i, shard, 0);
        }
    }
    return b;
}

void xbar_lab_add(xbar_lab_t *b, uint32_t sender, uint32_t dest, uint32_t flits, cycle_t ready)
{
    xbar_lab_sender_t *s = &b->send[sender];
    assert_true(s->n < XBAR_LAB_PACKETS);
    s->packet[s->n++] = (xbar_lab_packet_t){dest, flits, ready, false};
}

void xbar_lab_add_first(xbar_lab_t *b, uint32_t sender, uint32_t dest, uint32_t flits,
                        cycle_t ready)
{
    xbar_lab_add(b, sender, dest, flits, ready);
    b->send[sender].packet[b->send[sender].n - 1].first = true;
}

void xbar_lab_run(xbar_lab_t *b)
{
    for (uint32_t i = 0; i < b->shape.n_send; i++)
        engine_wake(b->engine, (uint16_t)i, engine_now(b->engine));
    assert_true(engine_run(b->engine, CYCLE_NEVER));
    uint64_t sent = 0, received = 0;
    for (uint32_t i = 0; i < b->shape.n_send; i++) {
        assert_int_equal(b->send[i].pushed, b->send[i].n);
        assert_int_equal(b->send[i].out.count, 0);
        sent += b->send[i].sent;
    }
    for (uint32_t i = 0; i < b->shape.n_recv; i++) {
        received += b->recv[i].flits;
        /* No credit is lost: credits that a sender lacks are on their way. */
        for (uint32_t k = 0; k < b->shape.n_send && !b->shape.perfect; k++) {
            uint32_t owed = b->recv[i].in.src[k].owed;
            assert_int_equal(b->send[k].out.dest[i].credits + owed, b->shape.buffer);
            assert_true(owed < b->shape.batch);
        }
    }
    assert_int_equal(sent, received);
}

void xbar_lab_destroy(xbar_lab_t *b)
{
    engine_destroy(b->engine);
    for (uint32_t i = 0; i < b->shape.n_send; i++) {
        xbar_out_free(&b->send[i].out);
        wheel_free(&b->send[i].wheel);
        free(b->send[i].packet);
    }
    for (uint32_t i = 0; i < b->shape.n_recv; i++) {
        xbar_in_free(&b->recv[i].in);
        inbox_free(&b->recv[i].inbox);
    }
    free(b->send);
    free(b->recv);
    free(b);
}
