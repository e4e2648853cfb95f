/* The rate of a region from the moments at which its blocks retire. */
#include "tests/support/test.h"

#include <math.h>

#include "sampling/inside/region/unit_slope.h"

enum { SLOTS = 8, INSTS = 10, UNIT = 1000 };

/* Blocks in steps of whole units: the position of a block within its unit does not matter. */
static void blocks_that_retire_in_bursts_give_the_exact_rate(void **state)
{
    (void)state;
    for (int swing = 0; swing < 3; swing++) {
        unit_slope_t s = {.slots = SLOTS};
        for (int k = 0; k < 5 * SLOTS; k++) {
            const int unit = k / SLOTS, in = k % SLOTS;
            const double within = swing == 0   ? 0
                                  : swing == 1 ? in * UNIT / SLOTS
                                  : in < 6     ? 1
                                               : 990;
            unit_slope_add(&s, 12345 + unit * UNIT + within, INSTS);
            const double want = k >= 2 * SLOTS - 1 ? (double)SLOTS * INSTS / UNIT : 0;
            assert_true(fabs(unit_slope_rate(&s) - want) < 1e-9);
        }
        assert_int_equal(s.units, 5);
        assert_true(unit_slope_error(&s) < 1e-9);
    }
}

static void blocks_may_differ_in_size(void **state)
{
    unit_slope_t s = {.slots = 2};
    (void)state;
    /* 30, 50 and 40 instructions per unit; an incomplete unit does not count. */
    static const double insts[] = {10, 20, 20, 30, 30, 10, 1000};
    for (int k = 0; k < 7; k++)
        unit_slope_add(&s, 100 * (k / 2), insts[k]);
    assert_true(fabs(unit_slope_rate(&s) - 0.4) < 1e-12);
}

static void the_error_is_that_of_a_least_squares_slope(void **state)
{
    unit_slope_t s = {.slots = 1};
    (void)state;
    unit_slope_add(&s, 500, 7);
    assert_true(unit_slope_rate(&s) == 0);
    unit_slope_add(&s, 1600, 7);
    assert_true(isinf(unit_slope_error(&s)));
    /* With two units, only the usual deviation is known: Student's t of two degrees of freedom. */
    assert_true(fabs(unit_slope_doubt(&s, 0.01) - 0.01 * sqrt(2) * 2.919986) < 1e-7);
    unit_slope_add(&s, 2500, 7);
    /* Off the line of slope 1000 by -100/3, 200/3, -100/3: sqrt(60000 / 9 / 2) of 1000. */
    assert_true(fabs(unit_slope_rate(&s) - 0.007) < 1e-12);
    assert_true(fabs(unit_slope_error(&s) - sqrt(60000.0 / 9 / 2) / 1000) < 1e-9);
    /* One degree of freedom, and two of the usual deviation. */
    const double off = 60000.0 / 9 / 1e6, variance = (off + 2 * 0.03 * 0.03) / 3;
    assert_true(fabs(unit_slope_doubt(&s, 0.03) - sqrt(variance / 2) * 2.353363) < 1e-7);
}

/* The first wave is slow. Without it the others have an even rate, wherever it is dropped. */
static void units_that_are_forgotten_do_not_count(void **state)
{
    enum { SLOW = 3 * UNIT };
    (void)state;
    for (unsigned at = SLOTS; at < 2 * SLOTS; at++) {
        unit_slope_t s = {.slots = SLOTS};
        for (unsigned k = 0; k < 4 * SLOTS; k++) {
            if (k == at)
                unit_slope_forget(&s);
            unit_slope_add(&s, k / SLOTS == 0 ? k : SLOW + k / SLOTS * UNIT,
                           k < SLOTS ? 99 : INSTS);
        }
        assert_int_equal(s.units, 3);
        assert_true(fabs(unit_slope_rate(&s) - (double)SLOTS * INSTS / UNIT) < 1e-9);
        assert_true(unit_slope_error(&s) < 1e-9);
        assert_true(unit_slope_first_rate(&s) == 0); /* its first quarter may not be whole */
    }
}

/* A quarter of each wave retires late: one and a quarter waves give the rate. */
static void one_and_a_quarter_units_give_a_first_rate(void **state)
{
    (void)state;
    for (unsigned slots = 1; slots < 10; slots++) {
        unit_slope_t s = {.slots = slots};
        const unsigned quarter = (slots + 3) / 4;
        for (unsigned k = 0; k < 2 * slots; k++) {
            assert_true((unit_slope_first_rate(&s) > 0) == (k >= slots + quarter));
            unit_slope_add(&s, 5000 + k / slots * UNIT + (k % slots) * 7, INSTS);
        }
        assert_true(fabs(unit_slope_first_rate(&s) - (double)slots * INSTS / UNIT) < 1e-9);
    }
}

static void time_that_does_not_pass_gives_no_rate(void **state)
{
    unit_slope_t s = {.slots = 1};
    (void)state;
    for (int k = 0; k < 3; k++)
        unit_slope_add(&s, 9, 1);
    assert_true(unit_slope_rate(&s) == 0);
    assert_true(isinf(unit_slope_error(&s)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_that_retire_in_bursts_give_the_exact_rate),
        cmocka_unit_test(blocks_may_differ_in_size),
        cmocka_unit_test(the_error_is_that_of_a_least_squares_slope),
        cmocka_unit_test(units_that_are_forgotten_do_not_count),
        cmocka_unit_test(one_and_a_quarter_units_give_a_first_rate),
        cmocka_unit_test(time_that_does_not_pass_gives_no_rate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
