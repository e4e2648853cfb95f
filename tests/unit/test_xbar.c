#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "sim/core/inbox.h"
#include "sim/core/wheel.h"
#include "sim/parts/xbar.h"

enum { FORWARD = 20, BACK = 13, MAX_PACKETS = 4000, DEPTH = 4 };

/* Senders and receivers as shards of their own; each sender has a list of packets. */
typedef struct {
    uint32_t n_send, n_recv;
    uint32_t send_width, recv_width; /* flits per cycle */
    uint32_t buffer, batch;
    bool perfect;
    bool ahead; /* packets are sent as soon as it is certain when they leave */
    cycle_t window;
} shape_t;

typedef struct {
    uint32_t dest, flits;
    cycle_t ready;
} packet_t;

typedef struct bench bench_t;

typedef struct {
    bench_t *b;
    uint32_t number;
    xbar_out_t out;
    wheel_t wheel; /* credits on their way: receiver << 8 | count */
    packet_t *packet;
    uint32_t n, pushed, ahead;
    uint64_t sent;
    cycle_t last_sent;
} sender_t;

typedef struct {
    bench_t *b;
    uint32_t number;
    xbar_in_t in;
    inbox_t inbox;
    uint64_t flits, hash;
    uint64_t from[256];  /* flits of each sender until b->until */
    cycle_t first, last; /* arrival of the first and last packet */
    uint32_t taken;
    cycle_t last_taken;
} receiver_t;

struct bench {
    shape_t shape;
    engine_t *engine;
    sender_t *send;
    receiver_t *recv;
    cycle_t until; /* receivers count until then */
};

static void sender_deliver(void *self, const msg_t *m, size_t n)
{
    sender_t *s = self;
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(m[i].kind, MSG_CREDIT);
        wheel_add(&s->wheel, m[i].arrival, (uint32_t)m[i].input << 8 | m[i].count);
    }
}

/* A packet to be sent ahead if that is certain, or else queued when it is ready. */
static bool sent_ahead(sender_t *s, outbox_t *out, const packet_t *p)
{
    msg_t m = {.kind = MSG_MEM_REQUEST, .flits = (uint8_t)p->flits, .mem.txn = s->pushed};
    if (!xbar_out_ahead(&s->out, out, p->dest, p->ready, &m))
        return false;
    s->sent += p->flits;
    s->pushed++;
    s->ahead++;
    return true;
}

static cycle_t sender_run(void *self, outbox_t *out, cycle_t from, cycle_t to)
{
    sender_t *s = self;
    cycle_t now = from;
    while (now < to) {
        cycle_t at;
        uint32_t credit;
        while (wheel_pop(&s->wheel, now + 1, &at, &credit))
            xbar_out_credit(&s->out, credit >> 8, credit & 255);
        for (;;) {
            while (s->pushed < s->n && !xbar_out_full(&s->out)) {
                const packet_t *p = &s->packet[s->pushed];
                if (s->b->shape.ahead && p->ready > now) {
                    if (sent_ahead(s, out, p))
                        continue;
                    break;
                }
                msg_t *m = xbar_out_push(&s->out, p->dest, p->ready);
                m->kind = MSG_MEM_REQUEST;
                m->flits = (uint8_t)p->flits;
                m->mem.txn = s->pushed;
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
    receiver_t *r = self;
    inbox_put(&r->inbox, m, n);
}

static cycle_t receiver_run(void *self, outbox_t *out, cycle_t from, cycle_t to)
{
    receiver_t *r = self;
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

static bench_t *bench_create(const shape_t *shape)
{
    bench_t *b = rb_calloc(1, sizeof(*b));
    b->shape = *shape;
    b->until = CYCLE_NEVER;
    b->engine = engine_create(1, shape->window == 0 ? BACK : shape->window);
    b->send = rb_calloc(shape->n_send, sizeof(*b->send));
    b->recv = rb_calloc(shape->n_recv, sizeof(*b->recv));
    for (uint32_t i = 0; i < shape->n_send; i++) {
        sender_t *s = &b->send[i];
        s->b = b;
        s->number = i;
        wheel_init(&s->wheel);
        s->packet = rb_calloc(MAX_PACKETS, sizeof(*s->packet));
        xbar_out_init(&s->out, shape->n_recv, DEPTH, shape->send_width, shape->perfect, (uint16_t)i,
                      FORWARD, shape->buffer);
        engine_add_shard(b->engine, &sender_ops, s);
    }
    for (uint32_t i = 0; i < shape->n_recv; i++) {
        receiver_t *r = &b->recv[i];
        r->b = b;
        r->number = i;
        inbox_init(&r->inbox);
        xbar_in_init(&r->in, &r->inbox.pool, shape->n_send, shape->recv_width, shape->perfect,
                     (uint16_t)i, BACK, shape->batch);
        uint16_t shard = engine_add_shard(b->engine, &receiver_ops, r);
        for (uint32_t k = 0; k < shape->n_send; k++) {
            xbar_in_connect(&r->in, k, (uint16_t)k, 0);
            xbar_out_connect(&b->send[k].out, i, shard, 0);
        }
    }
    return b;
}

static void bench_add(bench_t *b, uint32_t sender, uint32_t dest, uint32_t flits, cycle_t ready)
{
    sender_t *s = &b->send[sender];
    assert_true(s->n < MAX_PACKETS);
    s->packet[s->n++] = (packet_t){dest, flits, ready};
}

static void bench_run(bench_t *b)
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
        /* Nothing is lost: what a sender lacks is owed to it. */
        for (uint32_t k = 0; k < b->shape.n_send && !b->shape.perfect; k++) {
            uint32_t owed = b->recv[i].in.src[k].owed;
            assert_int_equal(b->send[k].out.dest[i].credits + owed, b->shape.buffer);
            assert_true(owed < b->shape.batch);
        }
    }
    assert_int_equal(sent, received);
}

static void bench_destroy(bench_t *b)
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

static void a_packet_arrives_one_flight_after_its_last_flit(void **state)
{
    (void)state;
    for (uint32_t width = 1; width <= 3; width++) {
        for (uint32_t flits = 1; flits <= 9; flits++) {
            bench_t *b = bench_create(&(shape_t){.n_send = 1,
                                                 .n_recv = 1,
                                                 .send_width = width,
                                                 .recv_width = 1,
                                                 .buffer = 64,
                                                 .batch = 1});
            const cycle_t ready = 7;
            bench_add(b, 0, 0, flits, ready);
            bench_run(b);
            assert_int_equal(b->send[0].last_sent, ready);
            assert_int_equal(b->recv[0].first, ready + (flits - 1) / width + FORWARD);
            assert_int_equal(b->recv[0].last_taken, b->recv[0].first);
            bench_destroy(b);
        }
    }
}

static void a_wide_port_sends_that_many_flits_in_each_cycle(void **state)
{
    (void)state;
    for (uint32_t width = 1; width <= 4; width++) {
        bench_t *b = bench_create(&(shape_t){.n_send = 1,
                                             .n_recv = 1,
                                             .send_width = width,
                                             .recv_width = width,
                                             .buffer = 4096,
                                             .batch = 1});
        for (uint32_t i = 0; i < 50; i++)
            bench_add(b, 0, 0, 1 + i % 3, 0);
        bench_run(b);
        uint64_t flits = b->send[0].sent;
        assert_int_equal(b->recv[0].last, (flits - 1) / width + FORWARD);
        bench_destroy(b);
    }
}

/* Cycle in which the last of many packets arrives, with a buffer of so many flits. */
static cycle_t stream_end(uint32_t width, uint32_t flits, uint32_t batch, uint64_t buffer,
                          uint32_t n)
{
    bench_t *b = bench_create(&(shape_t){.n_send = 1,
                                         .n_recv = 1,
                                         .send_width = width,
                                         .recv_width = width,
                                         .buffer = (uint32_t)buffer,
                                         .batch = batch});
    for (uint32_t i = 0; i < n; i++)
        bench_add(b, 0, 0, flits, 0);
    bench_run(b);
    cycle_t end = b->recv[0].last;
    bench_destroy(b);
    return end;
}

static void the_smallest_legal_buffer_holds_full_bandwidth(void **state)
{
    (void)state;
    const uint32_t n = 1000;
    for (uint32_t width = 1; width <= 4; width++) {
        for (uint32_t flits = 1; flits <= 5; flits++) {
            for (uint32_t batch = 1; batch <= 64; batch *= 4) {
                uint64_t least = xbar_min_buffer(width, FORWARD, BACK, batch, flits);
                cycle_t full = (n * flits - 1) / width + FORWARD;
                assert_int_equal(stream_end(width, flits, batch, least, n), full);
                /* And it is not far too large: half the loop throttles. */
                uint64_t half = width * (FORWARD + BACK) / 2 + batch + flits;
                assert_true(stream_end(width, flits, batch, half, n) > full);
            }
        }
    }
}

static void a_narrow_receiver_slows_the_sender_by_credits_alone(void **state)
{
    (void)state;
    const uint32_t n = 500;
    uint64_t buffer = xbar_min_buffer(1, FORWARD, BACK, 8, 4);
    bench_t *b = bench_create(&(shape_t){.n_send = 1,
                                         .n_recv = 1,
                                         .send_width = 4,
                                         .recv_width = 1,
                                         .buffer = (uint32_t)buffer,
                                         .batch = 8});
    for (uint32_t i = 0; i < n; i++)
        bench_add(b, 0, 0, 4, 0);
    bench_run(b);
    /* The receiver's port never idles once the first packet is there. */
    assert_int_equal(b->recv[0].last_taken, b->recv[0].first + (n - 1) * 4);
    bench_destroy(b);
}

static void many_senders_get_equal_bandwidth_and_fill_the_port(void **state)
{
    (void)state;
    const uint32_t n_send = 80, flits = 4;
    uint32_t buffer = (uint32_t)xbar_min_buffer(1, FORWARD, BACK, 8, flits);
    bench_t *b = bench_create(&(shape_t){.n_send = n_send,
                                         .n_recv = 1,
                                         .send_width = 2,
                                         .recv_width = 1,
                                         .buffer = buffer,
                                         .batch = 8});
    for (uint32_t s = 0; s < n_send; s++) {
        for (uint32_t i = 0; i < 1000; i++)
            bench_add(b, s, 0, flits, s % 7); /* they do not begin alike */
    }
    const cycle_t cycles = 200 * n_send * flits;
    b->until = FORWARD + cycles;
    bench_run(b);
    uint64_t least = UINT64_MAX, most = 0, sum = 0;
    for (uint32_t s = 0; s < n_send; s++) {
        uint64_t f = b->recv[0].from[s];
        least = least < f ? least : f;
        most = most > f ? most : f;
        sum += f;
    }
    assert_true(sum >= cycles - 2 * flits);
    assert_true((most - least) * 100 <= 2 * (sum / n_send));
    bench_destroy(b);
}

static void the_arbiter_goes_round_and_not_by_order_of_arrival(void **state)
{
    (void)state;
    bench_t *b = bench_create(&(shape_t){
        .n_send = 70, .n_recv = 1, .send_width = 1, .recv_width = 1, .buffer = 64, .batch = 1});
    xbar_in_t *in = &b->recv[0].in;
    const uint16_t order[] = {69, 3, 64, 3, 0, 63};
    msg_pool_t *pool = &b->recv[0].inbox.pool;
    for (uint32_t i = 0; i < 6; i++) {
        const msg_t m = {.kind = MSG_MEM_REQUEST, .flits = 1, .input = order[i]};
        xbar_in_push(in, msg_pool_put(pool, &m));
    }
    in->perfect = true; /* no credits: there is no window to send them in */
    const uint16_t expect[] = {0, 3, 63, 64, 69, 3};
    for (uint32_t i = 0; i < 6; i++)
        assert_int_equal(msg_pool_at(pool, xbar_in_take(in, NULL, 0))->msg.input, expect[i]);
    assert_false(xbar_in_ready(in, 0));
    assert_true(xbar_in_next(in, 0) == CYCLE_NEVER);
    in->perfect = false;
    bench_destroy(b);
}

static uint64_t random_run(cycle_t window)
{
    bench_t *b = bench_create(&(shape_t){.n_send = 9,
                                         .n_recv = 4,
                                         .send_width = 2,
                                         .recv_width = 1,
                                         .buffer = 24,
                                         .batch = 8,
                                         .window = window});
    uint64_t x = 88172645463325252u;
    for (uint32_t s = 0; s < 9; s++) {
        cycle_t ready = 0;
        for (uint32_t i = 0; i < 300; i++) {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            ready += x % 16 == 0 ? x >> 8 & 63 : 0;
            bench_add(b, s, (uint32_t)(x >> 20 & 3), (uint32_t)(1 + (x >> 30) % 5), ready);
        }
    }
    bench_run(b);
    uint64_t hash = 0;
    for (uint32_t r = 0; r < 4; r++)
        hash = hash * 31 + b->recv[r].hash + b->recv[r].last_taken;
    bench_destroy(b);
    return hash;
}

static void results_do_not_depend_on_the_window(void **state)
{
    (void)state;
    uint64_t whole = random_run(BACK);
    assert_int_equal(random_run(1), whole);
    assert_int_equal(random_run(3), whole);
    assert_int_equal(random_run(5), whole);
}

static void a_perfect_channel_has_only_its_flight(void **state)
{
    (void)state;
    bench_t *b = bench_create(&(shape_t){.n_send = 20,
                                         .n_recv = 1,
                                         .send_width = 1,
                                         .recv_width = 1,
                                         .buffer = 1,
                                         .batch = 1,
                                         .perfect = true});
    for (uint32_t s = 0; s < 20; s++) {
        for (uint32_t i = 0; i < 50; i++)
            bench_add(b, s, 0, 5, 3);
    }
    bench_run(b);
    assert_int_equal(b->recv[0].taken, 20 * 50);
    assert_int_equal(b->recv[0].first, 3 + FORWARD);
    assert_int_equal(b->recv[0].last_taken, 3 + FORWARD);
    bench_destroy(b);
}

static void a_packet_waits_until_there_are_credits_for_all_its_flits(void **state)
{
    (void)state;
    /* The buffer holds six flits: the second packet of four waits for the credits of the first. */
    bench_t *b = bench_create(&(shape_t){
        .n_send = 1, .n_recv = 1, .send_width = 4, .recv_width = 4, .buffer = 6, .batch = 1});
    bench_add(b, 0, 0, 4, 0);
    bench_add(b, 0, 0, 4, 0);
    bench_run(b);
    assert_int_equal(b->send[0].last_sent, FORWARD + BACK);
    bench_destroy(b);
}

static void what_is_sent_ahead_arrives_when_it_would_have(void **state)
{
    (void)state;
    for (int perfect = 0; perfect < 2; perfect++) {
        uint64_t hash[2];
        for (int ahead = 0; ahead < 2; ahead++) {
            uint32_t random = 1, sent_so = 0;
            bench_t *b = bench_create(&(shape_t){.n_send = 4,
                                                 .n_recv = 2,
                                                 .send_width = 2,
                                                 .recv_width = 2,
                                                 .buffer = 12,
                                                 .batch = 4,
                                                 .perfect = perfect != 0,
                                                 .ahead = ahead != 0});
            for (uint32_t i = 0; i < 4; i++) {
                cycle_t ready = 0;
                for (uint32_t n = 0; n < 500; n++) {
                    random = random * 1664525u + 1013904223u;
                    /* Gaps of which some hold the credits' way back and some do not. */
                    ready += random >> 28 == 0 ? 60 : random >> 26 & 3;
                    bench_add(b, i, random >> 20 & 1, 1 + (random >> 16 & 3), ready);
                }
            }
            bench_run(b);
            for (uint32_t i = 0; i < 4; i++)
                sent_so += b->send[i].ahead;
            assert_true(ahead ? sent_so > 100 && (perfect || sent_so < 1900) : sent_so == 0);
            hash[ahead] = b->recv[0].hash ^ b->recv[1].hash << 1;
            bench_destroy(b);
        }
        assert_int_equal(hash[0], hash[1]);
    }
}

static void loaded_ends_go_on_exactly_as_the_saved_ones(void **state)
{
    (void)state;
    const shape_t shape = {
        .n_send = 5, .n_recv = 2, .send_width = 2, .recv_width = 1, .buffer = 16, .batch = 8};
    bench_t *b[2];
    FILE *f = tmpfile();
    for (int k = 0; k < 2; k++) {
        b[k] = bench_create(&shape);
        if (k == 0) {
            for (uint32_t i = 0; i < 37; i++)
                bench_add(b[0], i % 5, i % 2, 1 + i % 3, 0);
            bench_run(b[0]);
            for (uint32_t i = 0; i < 5; i++)
                assert_int_equal(xbar_out_save(&b[0]->send[i].out, f), 0);
            for (uint32_t i = 0; i < 2; i++)
                assert_int_equal(xbar_in_save(&b[0]->recv[i].in, f), 0);
            rewind(f);
        } else {
            for (uint32_t i = 0; i < 5; i++)
                assert_int_equal(xbar_out_load(&b[1]->send[i].out, f), 0);
            for (uint32_t i = 0; i < 2; i++)
                assert_int_equal(xbar_in_load(&b[1]->recv[i].in, f), 0);
            engine_set_now(b[1]->engine, engine_now(b[0]->engine));
        }
        for (uint32_t i = 0; i < 2; i++)
            b[k]->recv[i].hash = 1;
        for (uint32_t i = 0; i < 5; i++)
            b[k]->send[i].n = b[k]->send[i].pushed = 0;
    }
    cycle_t start = engine_now(b[1]->engine);
    for (int k = 0; k < 2; k++) {
        for (uint32_t i = 0; i < 100; i++)
            bench_add(b[k], i % 5, i / 5 % 2, 1 + i % 3, start);
        for (uint32_t s = 0; s < 5; s++)
            engine_wake(b[k]->engine, (uint16_t)s, start);
        assert_true(engine_run(b[k]->engine, CYCLE_NEVER));
    }
    for (uint32_t i = 0; i < 2; i++)
        assert_int_equal(b[0]->recv[i].hash, b[1]->recv[i].hash);
    rewind(f);
    assert_int_equal(xbar_in_load(&b[0]->recv[0].in, f), -1); /* of another shape */
    fclose(f);
    bench_destroy(b[0]);
    bench_destroy(b[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_packet_arrives_one_flight_after_its_last_flit),
        cmocka_unit_test(a_wide_port_sends_that_many_flits_in_each_cycle),
        cmocka_unit_test(the_smallest_legal_buffer_holds_full_bandwidth),
        cmocka_unit_test(a_narrow_receiver_slows_the_sender_by_credits_alone),
        cmocka_unit_test(many_senders_get_equal_bandwidth_and_fill_the_port),
        cmocka_unit_test(the_arbiter_goes_round_and_not_by_order_of_arrival),
        cmocka_unit_test(results_do_not_depend_on_the_window),
        cmocka_unit_test(a_perfect_channel_has_only_its_flight),
        cmocka_unit_test(a_packet_waits_until_there_are_credits_for_all_its_flits),
        cmocka_unit_test(what_is_sent_ahead_arrives_when_it_would_have),
        cmocka_unit_test(loaded_ends_go_on_exactly_as_the_saved_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
