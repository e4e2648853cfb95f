#include "tests/support/test.h"

#include <stdlib.h>

#include "sim/core/engine/wheel.h"

static void events_come_out_by_cycle_and_then_in_order_of_insertion(void **state)
{
    (void)state;
    wheel_t w;
    wheel_init(&w);
    wheel_add(&w, 7, 1);
    wheel_add(&w, 5, 2);
    wheel_add(&w, 7, 3);
    cycle_t at;
    uint32_t p;
    assert_int_equal(wheel_next(&w), 5);
    assert_false(wheel_pop(&w, 5, &at, &p));
    assert_true(wheel_pop(&w, 6, &at, &p));
    assert_int_equal(at, 5);
    assert_int_equal(p, 2);
    assert_true(wheel_pop(&w, 8, &at, &p));
    assert_int_equal(p, 1);
    assert_true(wheel_pop(&w, 8, &at, &p));
    assert_int_equal(p, 3);
    assert_int_equal(wheel_next(&w), CYCLE_NEVER);
    wheel_free(&w);
}

static void a_far_event_keeps_its_place_before_a_later_addition_to_its_cycle(void **state)
{
    (void)state;
    wheel_t w;
    wheel_init(&w);
    const cycle_t far = 10 * WHEEL_SLOTS + 3;
    wheel_add(&w, far, 1);
    assert_int_equal(wheel_next(&w), far);
    wheel_advance(&w, far - 2);
    wheel_add(&w, far, 2);
    cycle_t at;
    uint32_t p;
    assert_true(wheel_pop(&w, far + 1, &at, &p));
    assert_int_equal(p, 1);
    assert_true(wheel_pop(&w, far + 1, &at, &p));
    assert_int_equal(p, 2);
    wheel_free(&w);
}

/* Reference: a sorted array of (cycle, sequence). */
typedef struct {
    cycle_t cycle;
    uint32_t seq;
} ref_t;

static int ref_compare(const void *a, const void *b)
{
    const ref_t *x = a, *y = b;
    if (x->cycle != y->cycle)
        return x->cycle < y->cycle ? -1 : 1;
    return x->seq < y->seq ? -1 : x->seq > y->seq;
}

static void random_events_come_out_as_a_stable_sort_by_cycle(void **state)
{
    (void)state;
    enum { N = 20000 };
    static ref_t ref[N], got[N];
    wheel_t w;
    wheel_init(&w);
    uint64_t rng = 88172645463325252u;
    cycle_t now = 0;
    uint32_t added = 0, popped = 0;
    while (popped < N) {
        rng ^= rng << 13;
        rng ^= rng >> 7;
        rng ^= rng << 17;
        if (added < N && (rng % 3 != 0 || w.count == 0)) {
            cycle_t delay = rng >> 20 & 7 ? rng >> 30 & 63 : rng >> 30 & 8191;
            ref[added] = (ref_t){now + delay, added};
            wheel_add(&w, now + delay, added);
            added++;
        } else {
            cycle_t at = 0;
            uint32_t p = 0;
            assert_true(wheel_pop(&w, CYCLE_NEVER, &at, &p));
            assert_true(at >= now);
            now = at;
            got[popped++] = (ref_t){at, p};
        }
    }
    qsort(ref, N, sizeof(ref[0]), ref_compare);
    for (uint32_t i = 0; i < N; i++) {
        assert_int_equal(got[i].cycle, ref[i].cycle);
        /* Events of equal cycles may interleave with pops; within one cycle the order is that of
         * insertion. */
        if (i > 0 && got[i].cycle == got[i - 1].cycle)
            assert_true(got[i].seq > got[i - 1].seq);
    }
    wheel_free(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_come_out_by_cycle_and_then_in_order_of_insertion),
        cmocka_unit_test(a_far_event_keeps_its_place_before_a_later_addition_to_its_cycle),
        cmocka_unit_test(random_events_come_out_as_a_stable_sort_by_cycle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
