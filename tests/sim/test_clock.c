#include "tests/support/test.h"

#include "sim/core/engine/clock.h"

__extension__ typedef unsigned __int128 wide_t;

static const double mhz[][2] = {{1380, 877},  {1132, 850},   {1200, 850}, {1365, 3500.5},
                                {850, 850},   {1, 100000},   {100000, 1}, {1455.003, 877.001},
                                {1545, 3500}, {0.001, 0.002}};

enum { PAIRS = sizeof(mhz) / sizeof(mhz[0]) };

static void ratio_is_reduced_and_exact(void **state)
{
    (void)state;
    clock_ratio_t r = clock_ratio(1132, 850);
    assert_int_equal(r.core, 566);
    assert_int_equal(r.other, 425);
    r = clock_ratio(1365, 3500.5);
    assert_int_equal(r.core, 2730);
    assert_int_equal(r.other, 7001);
}

static void tick_is_the_first_at_or_after_the_cycle(void **state)
{
    (void)state;
    for (int p = 0; p < PAIRS; p++) {
        clock_ratio_t r = clock_ratio(mhz[p][0], mhz[p][1]);
        for (uint64_t shift = 0; shift <= 50; shift++) {
            for (uint64_t d = 0; d < 5; d++) {
                uint64_t c = (UINT64_C(1) << shift) + d - (shift > 2 ? 2 : 0);
                if ((wide_t)c * r.other / r.core > UINT64_MAX / 2)
                    continue; /* no such tick */
                uint64_t t = clock_tick_from(&r, c);
                /* t / other >= c / core > (t - 1) / other */
                assert_true((wide_t)t * r.core >= (wide_t)c * r.other);
                assert_true(t == 0 || (wide_t)(t - 1) * r.core < (wide_t)c * r.other);
                uint64_t u = clock_tick_until(&r, c);
                assert_true((wide_t)u * r.core <= (wide_t)c * r.other);
                assert_true((wide_t)(u + 1) * r.core > (wide_t)c * r.other);
            }
        }
    }
}

static void cycle_is_the_first_at_or_after_the_tick(void **state)
{
    (void)state;
    for (int p = 0; p < PAIRS; p++) {
        clock_ratio_t r = clock_ratio(mhz[p][0], mhz[p][1]);
        for (uint64_t t = 0; t < 100000; t += 1 + t / 7) {
            uint64_t c = clock_cycle_from(&r, t);
            assert_true((wide_t)c * r.other >= (wide_t)t * r.core);
            assert_true(c == 0 || (wide_t)(c - 1) * r.other < (wide_t)t * r.core);
            assert_true(clock_tick_from(&r, c) >= t);
            assert_true(clock_tick_until(&r, c) >= t);
            assert_true(c == 0 || clock_tick_until(&r, c - 1) < t);
        }
    }
}

static void equal_clocks_convert_to_themselves(void **state)
{
    (void)state;
    clock_ratio_t r = clock_ratio(877.5, 877.5);
    for (uint64_t c = 0; c < UINT64_C(1) << 60; c = 2 * c + 1) {
        assert_int_equal(clock_tick_from(&r, c), c);
        assert_int_equal(clock_tick_until(&r, c), c);
        assert_int_equal(clock_cycle_from(&r, c), c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ratio_is_reduced_and_exact),
        cmocka_unit_test(tick_is_the_first_at_or_after_the_cycle),
        cmocka_unit_test(cycle_is_the_first_at_or_after_the_tick),
        cmocka_unit_test(equal_clocks_convert_to_themselves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
