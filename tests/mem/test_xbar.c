#include "tests/support/test.h"

#include "tests/support/sim/xbar_lab.h"

static void a_packet_arrives_one_flight_after_its_last_flit(void **state)
{
    (void)state;
    for (uint32_t width = 1; width <= 3; width++) {
        for (uint32_t flits = 1; flits <= 9; flits++) {
            xbar_lab_t *b = xbar_lab_create(&(xbar_shape_t){.n_send = 1,
                                                            .n_recv = 1,
                                                            .send_width = width,
                                                            .recv_width = 1,
                                                            .buffer = 64,
                                                            .batch = 1});
            const cycle_t ready = 7;
            xbar_lab_add(b, 0, 0, flits, ready);
            xbar_lab_run(b);
            assert_int_equal(b->send[0].last_sent, ready);
            assert_int_equal(b->recv[0].first, ready + (flits - 1) / width + XBAR_LAB_FORWARD);
            assert_int_equal(b->recv[0].last_taken, b->recv[0].first);
            xbar_lab_destroy(b);
        }
    }
}

static void a_wide_port_sends_that_many_flits_in_each_cycle(void **state)
{
    (void)state;
    for (uint32_t width = 1; width <= 4; width++) {
        xbar_lab_t *b = xbar_lab_create(&(xbar_shape_t){.n_send = 1,
                                                        .n_recv = 1,
                                                        .send_width = width,
                                                        .recv_width = width,
                                                        .buffer = 4096,
                                                        .batch = 1});
        for (uint32_t i = 0; i < 50; i++)
            xbar_lab_add(b, 0, 0, 1 + i % 3, 0);
        xbar_lab_run(b);
        uint64_t flits = b->send[0].sent;
        assert_int_equal(b->recv[0].last, (flits - 1) / width + XBAR_LAB_FORWARD);
        xbar_lab_destroy(b);
    }
}

/* Cycle in which the last of many packets arrives, with a buffer of this many flits. */
static cycle_t stream_end(uint32_t width, uint32_t flits, uint32_t batch, uint64_t buffer,
                          uint32_t n)
{
    xbar_lab_t *b = xbar_lab_create(&(xbar_shape_t){.n_send = 1,
                                                    .n_recv = 1,
                                                    .send_width = width,
                                                    .recv_width = width,
                                                    .buffer = (uint32_t)buffer,
                                                    .batch = batch});
    for (uint32_t i = 0; i < n; i++)
        xbar_lab_add(b, 0, 0, flits, 0);
    xbar_lab_run(b);
    cycle_t end = b->recv[0].last;
    xbar_lab_destroy(b);
    return end;
}

static void the_smallest_legal_buffer_holds_full_bandwidth(void **state)
{
    (void)state;
    const uint32_t n = 1000;
    for (uint32_t width = 1; width <= 4; width++) {
        for (uint32_t flits = 1; flits <= 5; flits++) {
            for (uint32_t batch = 1; batch <= 64; batch *= 4) {
                uint64_t least =
                    xbar_min_buffer(width, XBAR_LAB_FORWARD, XBAR_LAB_BACK, batch, flits);
                cycle_t full = (n * flits - 1) / width + XBAR_LAB_FORWARD;
                assert_int_equal(stream_end(width, flits, batch, least, n), full);
                /* It is not far too large either: half of it limits the rate. */
                uint64_t half = width * (XBAR_LAB_FORWARD + XBAR_LAB_BACK) / 2 + batch + flits;
                assert_true(stream_end(width, flits, batch, half, n) > full);
            }
        }
    }
}

static void a_narrow_receiver_slows_the_sender_by_credits_alone(void **state)
{
    (void)state;
    const uint32_t n = 500;
    uint64_t buffer = xbar_min_buffer(1, XBAR_LAB_FORWARD, XBAR_LAB_BACK, 8, 4);
    xbar_lab_t *b = xbar_lab_create(&(xbar_shape_t){.n_send = 1,
                                                    .n_recv = 1,
                                                    .send_width = 4,
                                                    .recv_width = 1,
                                                    .buffer = (uint32_t)buffer,
                                                    .batch = 8});
    for (uint32_t i = 0; i < n; i++)
        xbar_lab_add(b, 0, 0, 4, 0);
    xbar_lab_run(b);
    /* The port of the receiver is never idle once the first packet has arrived. */
    assert_int_equal(b->recv[0].last_taken, b->recv[0].first + (n - 1) * 4);
    xbar_lab_destroy(b);
}

static void many_senders_get_equal_bandwidth_and_fill_the_port(void **state)
{
    (void)state;
    const uint32_t n_send = 80, flits = 4;
    uint32_t buffer = (uint32_t)xbar_min_buffer(1, XBAR_LAB_FORWARD, XBAR_LAB_BACK, 8, flits);
    xbar_lab_t *b = xbar_lab_create(&(xbar_shape_t){.n_send = n_send,
                                                    .n_recv = 1,
                                                    .send_width = 2,
                                                    .recv_width = 1,
                                                    .buffer = buffer,
                                                    .batch = 8});
    for (uint32_t s = 0; s < n_send; s++) {
        for (uint32_t i = 0; i < 1000; i++)
            xbar_lab_add(b, s, 0, flits, s % 7); /* they do not begin equally */
    }
    const cycle_t cycles = 200 * n_send * flits;
    b->until = XBAR_LAB_FORWARD + cycles;
    xbar_lab_run(b);
    uint64_t least = UINT64_MAX, most = 0, sum = 0;
    for (uint32_t s = 0; s < n_send; s++) {
        uint64_t f = b->recv[0].from[s];
        least = least < f ? least : f;
        most = most > f ? most : f;
        sum += f;
    }
    assert_true(sum >= cycles - 2 * flits);
    assert_true((most - least) * 100 <= 2 * (sum / n_send));
    xbar_lab_destroy(b);
}

static void the_arbiter_goes_round_and_not_by_order_of_arrival(void **state)
{
    (void)state;
    xbar_lab_t *b = xbar_lab_create(&(xbar_shape_t){
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
    xbar_lab_destroy(b);
}

static uint64_t random_run(cycle_t window)
{
    xbar_lab_t *b = xbar_lab_create(&(xbar_shape_t){.n_send = 9,
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
            xbar_lab_add(b, s, (uint32_t)(x >> 20 & 3), (uint32_t)(1 + (x >> 30) % 5), ready);
        }
    }
    xbar_lab_run(b);
    uint64_t hash = 0;
    for (uint32_t r = 0; r < 4; r++)
        hash = hash * 31 + b->recv[r].hash + b->recv[r].last_taken;
    xbar_lab_destroy(b);
    return hash;
}

static void results_do_not_depend_on_the_window(void **state)
{
    (void)state;
    uint64_t whole = random_run(XBAR_LAB_BACK);
    assert_int_equal(random_run(1), whole);
    assert_int_equal(random_run(3), whole);
    assert_int_equal(random_run(5), whole);
}

static void a_perfect_channel_has_only_its_flight(void **state)
{
    (void)state;
    xbar_lab_t *b = xbar_lab_create(&(xbar_shape_t){.n_send = 20,
                                                    .n_recv = 1,
                                                    .send_width = 1,
                                                    .recv_width = 1,
                                                    .buffer = 1,
                                                    .batch = 1,
                                                    .perfect = true});
    for (uint32_t s = 0; s < 20; s++) {
        for (uint32_t i = 0; i < 50; i++)
            xbar_lab_add(b, s, 0, 5, 3);
    }
    xbar_lab_run(b);
    assert_int_equal(b->recv[0].taken, 20 * 50);
    assert_int_equal(b->recv[0].first, 3 + XBAR_LAB_FORWARD);
    assert_int_equal(b->recv[0].last_taken, 3 + XBAR_LAB_FORWARD);
    xbar_lab_destroy(b);
}

static void a_packet_waits_until_there_are_credits_for_all_its_flits(void **state)
{
    (void)state;
    /* The buffer holds six flits: the second packet of four waits for the credits of the first. */
    xbar_lab_t *b = xbar_lab_create(&(xbar_shape_t){
        .n_send = 1, .n_recv = 1, .send_width = 4, .recv_width = 4, .buffer = 6, .batch = 1});
    xbar_lab_add(b, 0, 0, 4, 0);
    xbar_lab_add(b, 0, 0, 4, 0);
    xbar_lab_run(b);
    assert_int_equal(b->send[0].last_sent, XBAR_LAB_FORWARD + XBAR_LAB_BACK);
    xbar_lab_destroy(b);
}

static void what_is_sent_ahead_arrives_when_it_would_have(void **state)
{
    (void)state;
    for (int perfect = 0; perfect < 2; perfect++) {
        uint64_t hash[2];
        for (int ahead = 0; ahead < 2; ahead++) {
            uint32_t random = 1, sent_so = 0;
            xbar_lab_t *b = xbar_lab_create(&(xbar_shape_t){.n_send = 4,
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
                    /* Gaps, some longer and some shorter than the return of the credits. */
                    ready += random >> 28 == 0 ? 60 : random >> 26 & 3;
                    xbar_lab_add(b, i, random >> 20 & 1, 1 + (random >> 16 & 3), ready);
                }
            }
            xbar_lab_run(b);
            for (uint32_t i = 0; i < 4; i++)
                sent_so += b->send[i].ahead;
            assert_true(ahead ? sent_so > 100 && (perfect || sent_so < 1900) : sent_so == 0);
            hash[ahead] = b->recv[0].hash ^ b->recv[1].hash << 1;
            xbar_lab_destroy(b);
        }
        assert_int_equal(hash[0], hash[1]);
    }
}

static void loaded_ends_go_on_exactly_as_the_saved_ones(void **state)
{
    (void)state;
    const xbar_shape_t shape = {
        .n_send = 5, .n_recv = 2, .send_width = 2, .recv_width = 1, .buffer = 16, .batch = 8};
    xbar_lab_t *b[2];
    FILE *f = tmpfile();
    for (int k = 0; k < 2; k++) {
        b[k] = xbar_lab_create(&shape);
        if (k == 0) {
            for (uint32_t i = 0; i < 37; i++)
                xbar_lab_add(b[0], i % 5, i % 2, 1 + i % 3, 0);
            xbar_lab_run(b[0]);
            for (uint32_t i = 0; i < 5; i++)
                assert_int_equal(xbar_out_save(&b[0]->send[i].out, f), 0);
            for (uint32_t i = 0; i < 2; i++)
                assert_int_equal(xbar_in_save(&b[0]->recv[i].in, f), 0);
            rewind(f);
        } else {
            for (uint32_t i = 0; i < 5; i++)
                assert_int_equal(xbar_out_load(&b[1]->send[i].out, f, 1u << 30), 0);
            for (uint32_t i = 0; i < 2; i++)
                assert_int_equal(xbar_in_load(&b[1]->recv[i].in, f, 1u << 30), 0);
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
            xbar_lab_add(b[k], i % 5, i / 5 % 2, 1 + i % 3, start);
        for (uint32_t s = 0; s < 5; s++)
            engine_wake(b[k]->engine, (uint16_t)s, start);
        assert_true(engine_run(b[k]->engine, CYCLE_NEVER));
    }
    for (uint32_t i = 0; i < 2; i++)
        assert_int_equal(b[0]->recv[i].hash, b[1]->recv[i].hash);
    rewind(f);
    assert_int_equal(xbar_in_load(&b[0]->recv[0].in, f, 1u << 30), -1); /* of another shape */
    fclose(f);
    xbar_lab_destroy(b[0]);
    xbar_lab_destroy(b[1]);
}

/* The state of a receiving end as a checkpoint has it: port, arbiter, credits owed. */
static size_t state_of(const xbar_in_t *x, uint8_t *bytes, size_t room)
{
    FILE *f = tmpfile();
    assert_non_null(f);
    assert_int_equal(xbar_in_save(x, f), 0);
    rewind(f);
    const size_t n = fread(bytes, 1, room, f);
    fclose(f);
    return n;
}

/* Packets that are alone leave the same state whether they pass at once or are queued first. */
static void a_packet_that_passes_counts_like_one_that_was_queued(void **state)
{
    (void)state;
    enum { SENDERS = 70, BATCH = 64, PACKETS = 300, ROOM = 1024 };
    for (uint32_t perfect = 0; perfect < 2; perfect++) {
        msg_pool_t pool = {0};
        xbar_in_t end[2];
        uint8_t bytes[2][ROOM];
        for (uint32_t k = 0; k < 2; k++)
            xbar_in_init(&end[k], &pool, SENDERS, 2, perfect, 0, 60, BATCH);
        for (uint32_t i = 0; i < PACKETS; i++) {
            const cycle_t now = i * 4;
            const msg_t m = {.input = (uint16_t)(i * 29 % SENDERS), .flits = (uint8_t)(1 + i % 7)};
            const uint32_t n = msg_pool_put(&pool, &m);
            assert_false(xbar_in_ready(&end[0], now));
            xbar_in_push(&end[0], n);
            assert_int_equal(xbar_in_take(&end[0], NULL, now), n);
            xbar_in_pass(&end[1], NULL, n, now);
            msg_pool_free(&pool, n);
            const size_t size = state_of(&end[0], bytes[0], ROOM);
            assert_int_equal(state_of(&end[1], bytes[1], ROOM), size);
            assert_memory_equal(bytes[0], bytes[1], size);
        }
        for (uint32_t k = 0; k < 2; k++)
            xbar_in_free(&end[k]);
        msg_pool_destroy(&pool);
    }
}

/* Three packets of four flits to receiver 0, then one of two that overtakes to receiver 1. */
static void a_packet_that_overtakes_leaves_when_the_port_is_free(void **state)
{
    (void)state;
    for (cycle_t ready = 1; ready <= 12; ready++) {
        xbar_lab_t *b = xbar_lab_create(&(xbar_shape_t){
            .n_send = 1, .n_recv = 2, .send_width = 1, .recv_width = 1, .buffer = 64, .batch = 1});
        for (uint32_t i = 0; i < 3; i++)
            xbar_lab_add(b, 0, 0, 4, 0);
        xbar_lab_add_first(b, 0, 1, 2, ready);
        xbar_lab_run(b);
        const cycle_t leaves = (ready + 3) / 4 * 4; /* after one, two or all three */
        assert_int_equal(b->recv[1].first, leaves + 1 + XBAR_LAB_FORWARD);
        assert_int_equal(b->recv[0].last, (leaves < 12 ? 13 : 11) + XBAR_LAB_FORWARD);
        xbar_lab_destroy(b);
    }
}

static void packets_that_overtake_keep_their_order(void **state)
{
    (void)state;
    xbar_lab_t *b = xbar_lab_create(&(xbar_shape_t){
        .n_send = 1, .n_recv = 3, .send_width = 1, .recv_width = 1, .buffer = 64, .batch = 1});
    for (uint32_t i = 0; i < 2; i++)
        xbar_lab_add(b, 0, 0, 4, 0);
    xbar_lab_add_first(b, 0, 1, 3, 1);
    xbar_lab_add_first(b, 0, 2, 1, 1);
    xbar_lab_run(b);
    assert_int_equal(b->recv[1].first, 6 + XBAR_LAB_FORWARD);
    assert_int_equal(b->recv[2].first, 7 + XBAR_LAB_FORWARD);
    assert_int_equal(b->recv[0].last, 11 + XBAR_LAB_FORWARD);
    xbar_lab_destroy(b);
}

/* The second packet to receiver 0 waits for credits, the one that overtakes needs others. */
static void a_packet_that_overtakes_does_not_wait_for_credits_of_others(void **state)
{
    (void)state;
    const cycle_t ready = 20;
    xbar_lab_t *b = xbar_lab_create(&(xbar_shape_t){
        .n_send = 1, .n_recv = 2, .send_width = 1, .recv_width = 1, .buffer = 4, .batch = 1});
    xbar_lab_add(b, 0, 0, 4, 0);
    xbar_lab_add(b, 0, 0, 4, 0);
    xbar_lab_add_first(b, 0, 1, 2, ready);
    xbar_lab_run(b);
    assert_true(b->recv[0].last > ready + 4 + XBAR_LAB_FORWARD);
    assert_int_equal(b->recv[1].first, ready + 1 + XBAR_LAB_FORWARD);
    xbar_lab_destroy(b);
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
        cmocka_unit_test(a_packet_that_overtakes_leaves_when_the_port_is_free),
        cmocka_unit_test(packets_that_overtake_keep_their_order),
        cmocka_unit_test(a_packet_that_overtakes_does_not_wait_for_credits_of_others),
        cmocka_unit_test(a_packet_waits_until_there_are_credits_for_all_its_flits),
        cmocka_unit_test(what_is_sent_ahead_arrives_when_it_would_have),
        cmocka_unit_test(loaded_ends_go_on_exactly_as_the_saved_ones),
        cmocka_unit_test(a_packet_that_passes_counts_like_one_that_was_queued),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
