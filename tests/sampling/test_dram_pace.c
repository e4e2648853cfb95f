/* The rate of a launch from the data that the DRAM moves. */
#include "tests/support/test.h"

#include <math.h>

#include "sampling/inside/fill_skip.h"
#include "sampling/inside/region/dram_pace.h"

/* A DRAM of 10 sectors per cycle; half a sector per instruction. */
static const dram_pace_trust_t trust = {
    .per_inst = 0.5, .bandwidth = 10, .light = 0.6, .tolerance = 0.1};

/* Sectors per cycle, with a swing around the line that is the same at both ends. */
static dram_pace_t paced(double sectors)
{
    dram_pace_t p = {0};
    static const double swing[] = {0, 40, -30, -30, 40, 0};
    for (int i = 0; i < 6; i++)
        dram_pace_add(&p, 7000 + 256 * i, 123456 + sectors * 256 * i + swing[i]);
    return p;
}

static bool near(double a, double b)
{
    return fabs(a - b) < 1e-6 * fabs(b);
}

static void the_pace_is_the_slope_of_what_was_moved(void **state)
{
    (void)state;
    dram_pace_t p = {0};
    assert_true(dram_pace_sectors(&p) == 0);
    dram_pace_add(&p, 1e9, 1e12);
    assert_true(dram_pace_sectors(&p) == 0);
    dram_pace_add(&p, 1e9, 1e12); /* no time has passed */
    assert_true(dram_pace_sectors(&p) == 0);
    p = paced(7);
    assert_true(near(dram_pace_sectors(&p), 7));
}

static void a_busy_dram_tells_the_rate_and_an_idle_one_does_not(void **state)
{
    (void)state;
    const dram_pace_t full = paced(10 * FILL_DRAM_GIVEN), idle = paced(6), half = paced(7.5);
    assert_true(near(dram_pace_rate(&full, &trust, 17), 18));
    assert_true(near(dram_pace_rate(&idle, &trust, 11.5), 11.5));
    /* Half way from light to the maximum. */
    assert_true(near(dram_pace_rate(&half, &trust, 14), 14.5));
}

static void a_pace_far_from_what_retires_is_not_believed(void **state)
{
    (void)state;
    const dram_pace_t p = paced(9);
    assert_true(near(dram_pace_rate(&p, &trust, 16.4), 18));
    assert_true(near(dram_pace_rate(&p, &trust, 16.3), 16.3));
    assert_true(near(dram_pace_rate(&p, &trust, 19.9), 18));
    assert_true(near(dram_pace_rate(&p, &trust, 20.1), 20.1));
}

static void nothing_known_leaves_the_rate_alone(void **state)
{
    (void)state;
    const dram_pace_t p = paced(9), none = {0};
    dram_pace_trust_t t = trust;
    assert_true(near(dram_pace_rate(&none, &t, 17), 17));
    assert_true(dram_pace_rate(&p, &t, 0) == 0);
    t.per_inst = 0;
    assert_true(near(dram_pace_rate(&p, &t, 17), 17));
    t = trust;
    t.light = 1; /* no launch is limited by it */
    assert_true(near(dram_pace_rate(&p, &t, 17), 17));
}

/* The mean of the swing is 20 / 6 and its mean square 5000 / 6; 2,560 sectors are moved at 2 per
 * cycle. */
static void unrest_is_what_the_line_leaves(void **state)
{
    (void)state;
    dram_pace_t p = {0};
    dram_pace_add(&p, 0, 0);
    dram_pace_add(&p, 256, 512);
    assert_true(isinf(dram_pace_unrest(&p)));
    p = paced(2);
    assert_true(near(dram_pace_unrest(&p), sqrt(5000.0 / 6 - 400.0 / 36) / 2560));
    dram_pace_t even = {0};
    for (int i = 0; i < 4; i++)
        dram_pace_add(&even, 1e9 + 256 * i, 1e12 + 2304.0 * i);
    assert_true(dram_pace_unrest(&even) < 1e-9);
    dram_pace_t idle = {0};
    for (int i = 0; i < 4; i++)
        dram_pace_add(&idle, 256 * i, 77);
    assert_true(isinf(dram_pace_unrest(&idle)));
}

/* Standard error of a pace with an error of twice its deviation, combined with the 3 % of what
 * DRAMs give. */
static double error_of(const dram_pace_t *p)
{
    const double twice = 2 * dram_pace_unrest(p);
    return 1 / sqrt(1 / (twice * twice) + 1 / (0.03 * 0.03));
}

/* The limit is exact, and applies only if the DRAM limits the launch. */
static void an_even_pace_tells_where_the_dram_holds_the_launch_up(void **state)
{
    (void)state;
    const dram_pace_t full = paced(9), busy = paced(8.4), less = paced(8.39);
    dram_pace_trust_t strict = trust;
    strict.tolerance = 0.05; /* 8.4 is not near 9 */
    assert_true(dram_pace_tells(&full, &trust, 18, error_of(&full) * 1.000001));
    assert_false(dram_pace_tells(&full, &trust, 18, error_of(&full) * 0.999999));
    assert_false(dram_pace_tells(&full, &trust, 16.3, 1)); /* too far from the rate of the blocks */
    /* Four fifths of the way from light to the maximum. */
    assert_true(dram_pace_tells(&busy, &strict, 17, 1));
    assert_false(dram_pace_tells(&less, &strict, 17, 1));
    assert_false(dram_pace_tells(&busy, &strict, 17, 2 * dram_pace_unrest(&busy) * 0.999999));
}

/* Each is weighted by the inverse of its variance; a value far from the usual one is not
 * combined with it. */
static void an_uneven_pace_is_drawn_to_what_drams_give(void **state)
{
    (void)state;
    dram_pace_t p = {0};
    static const double swing[] = {0, 600, -450, -450, 600, 0};
    for (int i = 0; i < 6; i++)
        dram_pace_add(&p, 256 * i, 8.5 * 256 * i + swing[i]);
    const double twice = 2 * dram_pace_unrest(&p), measured = twice * twice, usual = 0.03 * 0.03;
    const double pace = (8.5 * usual + 9 * measured) / (usual + measured);
    dram_pace_trust_t t = trust;
    t.light = 0.1; /* weight: all but */
    const double weight = (pace / 10 - 0.1) / 0.8;
    assert_true(pace > 8.8);
    assert_true(near(dram_pace_rate(&p, &t, 17), 17 + weight * (2 * pace - 17)));
    t.tolerance = 0.05;
    assert_true(near(dram_pace_rate(&p, &t, 17), 17));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_pace_is_the_slope_of_what_was_moved),
        cmocka_unit_test(a_busy_dram_tells_the_rate_and_an_idle_one_does_not),
        cmocka_unit_test(a_pace_far_from_what_retires_is_not_believed),
        cmocka_unit_test(nothing_known_leaves_the_rate_alone),
        cmocka_unit_test(unrest_is_what_the_line_leaves),
        cmocka_unit_test(an_even_pace_tells_where_the_dram_holds_the_launch_up),
        cmocka_unit_test(an_uneven_pace_is_drawn_to_what_drams_give),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
