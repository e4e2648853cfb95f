#include "tests/support/test.h"

#include <stdlib.h>

#include "sim/core/inbox.h"

static uint64_t rng_state;

static uint64_t rng(void)
{
    rng_state ^= rng_state << 13;
    rng_state ^= rng_state >> 7;
    rng_state ^= rng_state << 17;
    return rng_state;
}

/* Takes what arrives before end; each must come at its cycle, and those of one cycle in the order
 * in which they were put in (their txn counts that). */
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
    rng_state = 42;
    inbox_t b;
    inbox_init(&b);
    uint32_t put = 0, taken = 0, last_txn = 0;
    cycle_t last = 0;
    for (cycle_t window = 0; window < 2000; window++) {
        cycle_t from = window * 60, to = from + 60;
        for (uint64_t i = rng() % 8; i > 0; i--) {
            /* Mostly soon, some beyond the slots, some on the same far cycle. */
            uint64_t kind = rng() % 16;
            cycle_t delay = kind == 0 ? 5000 : kind == 1 ? rng() % 3000 : rng() % 100;
            inbox_put(&b, &(msg_t){.arrival = from + delay, .mem = {.txn = ++put}}, 1);
        }
        if (window % 7 != 0) /* a shard that sleeps through a window is not told */
            inbox_advance(&b, from);
        taken += take_until(&b, to, &last, &last_txn);
    }
    taken += take_until(&b, CYCLE_NEVER, &last, &last_txn);
    assert_int_equal(taken, put);
    assert_true(inbox_next(&b) == CYCLE_NEVER);
    /* What was given back is used again. */
    assert_true(b.pool.n < 1000);
    inbox_free(&b);
}

static void a_slot_is_used_again_after_a_turn_of_the_wheel(void **state)
{
    (void)state;
    inbox_t b;
    inbox_init(&b);
    const cycle_t at[] = {3, INBOX_SLOTS + 3, 2 * INBOX_SLOTS + 3, INBOX_SLOTS + 2, 3};
    const uint32_t order[] = {0, 4, 3, 1, 2};
    for (uint32_t i = 0; i < 5; i++)
        inbox_put(&b, &(msg_t){.arrival = at[i], .mem = {.txn = i}}, 1);
    for (uint32_t i = 0; i < 5; i++) {
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
        cmocka_unit_test(a_slot_is_used_again_after_a_turn_of_the_wheel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
