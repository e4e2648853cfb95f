#include "tests/support/test.h"

#include <stdlib.h>

#include "sim/core/engine/inbox.h"

static uint64_t rng_state;

static uint64_t rng(void)
{
    rng_state ^= rng_state << 13;
    rng_state ^= rng_state >> 7;
    rng_state ^= rng_state << 17;
    return rng_state;
}

/* Takes all messages that arrive before end. Each must arrive at its cycle, and those of one
 * cycle in the order of insertion (their txn counts that). */
static uint32_t take_until(inbox_t *b, cycle_t end, cycle_t *last, uint32_t *last_txn)
{
    uint32_t taken = 0;
    for (;;) {
        cycle_t next = inbox_next(b);
        uint32_t n = inbox_take(b, end);
        if (n == 0) {
            assert_true(next >= end);
            return taken;
        }
        const msg_t *m = &msg_pool_at(&b->pool, n)->msg;
        assert_int_equal(m->arrival, next);
        assert_true(m->arrival > *last || (m->arrival == *last && m->mem.txn > *last_txn));
        *last = m->arrival;
        *last_txn = m->mem.txn;
        msg_pool_free(&b->pool, n);
        taken++;
    }
}

static void messages_come_out_by_arrival_and_then_in_the_order_of_putting(void **state)
{
    (void)state;
    enum { LOT = 200 };
    msg_t lot[LOT];
    rng_state = 42;
    inbox_t b;
    inbox_init(&b);
    uint32_t put = 0, taken = 0, last_txn = 0;
    cycle_t last = 0;
    for (cycle_t window = 0; window < 2000; window++) {
        cycle_t from = window * 60, to = from + 60;
        /* Mostly few messages at a time; some of them arrive late, and some of these in the same
         * cycle. */
        uint64_t n = window % 16 == 0 ? rng() % LOT : rng() % 8;
        for (uint64_t i = 0; i < n; i++) {
            uint64_t kind = rng() % 16;
            cycle_t delay = kind == 0 ? 5000 : kind == 1 ? rng() % 3000 : rng() % 100;
            lot[i] = (msg_t){.arrival = from + delay, .mem = {.txn = ++put}};
        }
        inbox_put(&b, lot, n);
        if (window % 7 != 0) /* a shard that sleeps through a window is not called */
            inbox_advance(&b, from);
        taken += take_until(&b, to, &last, &last_txn);
    }
    taken += take_until(&b, CYCLE_NEVER, &last, &last_txn);
    assert_int_equal(taken, put);
    assert_true(inbox_next(&b) == CYCLE_NEVER);
    /* Entries that were given back are used again. */
    assert_true(b.pool.n < 2000);
    inbox_free(&b);
}

static void arrivals_may_be_any_time_apart(void **state)
{
    (void)state;
    inbox_t b;
    inbox_init(&b);
    const cycle_t never_mind = UINT64_C(1) << 62, far = UINT64_C(1) << 24;
    const cycle_t at[] = {far, 3, never_mind, 2 * far, far, 3, far - 1, never_mind, 0};
    enum { N = sizeof(at) / sizeof(at[0]) };
    const uint32_t order[N] = {8, 1, 5, 6, 0, 4, 3, 2, 7};
    msg_t lot[N];
    for (uint32_t i = 0; i < N; i++)
        lot[i] = (msg_t){.arrival = at[i], .mem = {.txn = i}};
    inbox_put(&b, lot, N);
    for (uint32_t i = 0; i < N; i++) {
        assert_int_equal(msg_pool_at(&b.pool, inbox_ahead(&b, N - 1 - i))->msg.mem.txn,
                         order[N - 1]);
        assert_int_equal(inbox_ahead(&b, N - i), 0);
        uint32_t n = inbox_take(&b, CYCLE_NEVER);
        assert_int_equal(msg_pool_at(&b.pool, n)->msg.mem.txn, order[i]);
    }
    assert_int_equal(inbox_take(&b, CYCLE_NEVER), 0);
    inbox_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_come_out_by_arrival_and_then_in_the_order_of_putting),
        cmocka_unit_test(arrivals_may_be_any_time_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
