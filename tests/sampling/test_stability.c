/* Photon's detector against closed forms. */
#include <math.h>

#include "sampling/inside/photon/stability.h"
#include "tests/support/test.h"

static uint64_t noise(uint64_t i)
{
    uint64_t z = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static const stability_rule_t narrow = {
    .short_n = 100, .long_n = 200, .delta_slope = 0.03, .delta_mean = 0.03};

static void equal_durations_have_slope_one(void **state)
{
    stability_t s;
    (void)state;
    stability_init(&s, &narrow);
    for (uint64_t i = 0; i < 199; i++)
        stability_add(&s, 10 * i, 10 * i + 777);
    assert_int_equal(stability_read(&s).verdict, STABILITY_FEW);
    stability_add(&s, 1990, 1990 + 777);
    stability_reading_t r = stability_read(&s);
    assert_int_equal(r.verdict, STABILITY_STABLE);
    assert_true(r.slope >= 1 && r.slope <= 1);
    assert_true(r.short_mean >= 777 && r.short_mean <= 777);
    assert_int_equal(r.points, 200);
    stability_free(&s);
}

/* Sums do not cancel, however late in a run the window is. */
static void the_slope_is_exact_after_a_long_time(void **state)
{
    const uint64_t late = UINT64_C(1) << 47;
    stability_t s;
    (void)state;
    stability_init(&s, &narrow);
    for (uint64_t i = 0; i < 5000; i++)
        stability_add(&s, late + 7 * i, late + 7 * i + 500);
    stability_reading_t r = stability_read(&s);
    assert_true(r.slope >= 1 && r.slope <= 1);
    assert_true(r.long_mean >= 500 && r.long_mean <= 500);
    stability_free(&s);
}

/* y = x + d(x), d growing by g per cycle: slope 1 + g. */
static void growing_durations_show_in_the_slope(void **state)
{
    stability_t s;
    (void)state;
    stability_init(&s, &narrow);
    for (uint64_t i = 0; i < 400; i++)
        stability_add(&s, 10 * i, 11 * i + 500);
    stability_reading_t r = stability_read(&s);
    assert_true(fabs(r.slope - 1.1) < 1e-12);
    assert_int_equal(r.verdict, STABILITY_TREND);
    stability_free(&s);
}

/* Windows of steady durations before and after a step: the slopes are 1, the means differ. */
static void a_step_that_has_passed_shows_in_the_means(void **state)
{
    stability_t s;
    stability_reading_t r;
    (void)state;
    stability_init(&s, &narrow);
    for (uint64_t i = 0; i < 300; i++)
        stability_add(&s, 10 * i, 10 * i + (i < 200 ? 500 : 1000));
    r = stability_read(&s);
    assert_true(r.slope >= 1 && r.slope <= 1);
    assert_true(r.short_mean >= 1000 && r.short_mean <= 1000);
    assert_true(r.long_mean >= 750 && r.long_mean <= 750);
    assert_int_equal(r.verdict, STABILITY_CHANGE);
    for (uint64_t i = 300; i < 400; i++)
        stability_add(&s, 10 * i, 10 * i + 1000);
    assert_int_equal(stability_read(&s).verdict, STABILITY_STABLE);
    stability_free(&s);
}

/*
 * The published code computes the difference of means as (l - s) / (l + s), half of that in the
 * paper: a difference of 4 % passes one and not the other.
 */
static void the_halved_difference_is_twice_as_tolerant(void **state)
{
    stability_rule_t rules[2] = {narrow, narrow};
    (void)state;
    rules[1].halved = true;
    for (int k = 0; k < 2; k++) {
        stability_t s;
        stability_init(&s, &rules[k]);
        for (uint64_t i = 0; i < 200; i++)
            stability_add(&s, 100 * i, 100 * i + (i < 100 ? 1000 : 1090));
        assert_int_equal(stability_read(&s).verdict, k == 0 ? STABILITY_CHANGE : STABILITY_STABLE);
        stability_free(&s);
    }
}

/*
 * If points are cut by retirement, the slope is Var(y) / (Var(y) + Var(d)). Points of one rate, in
 * the order of y, with durations uniform in 2000 +- 500: Var(d) = 1000^2 / 12, Var(y) = (20 n)^2 /
 * 12.
 */
static void spread_lowers_the_slope_as_derived(void **state)
{
    static const size_t lengths[] = {50, 100, 400, 4000};
    (void)state;
    for (size_t k = 0; k < 4; k++) {
        const size_t n = lengths[k];
        stability_rule_t rule = {.short_n = n, .long_n = n, .delta_slope = 1, .delta_mean = 1};
        double sum = 0, var_y = (20.0 * (double)n) * (20.0 * (double)n) / 12;
        for (uint64_t repeat = 0; repeat < 100; repeat++) {
            stability_t s;
            stability_init(&s, &rule);
            for (uint64_t i = 0; i < n; i++) {
                uint64_t y = 10000 + 20 * i, d = 1500 + noise(repeat * n + i) % 1001;
                stability_add(&s, y - d, y);
            }
            sum += stability_read(&s).slope;
            stability_free(&s);
        }
        const double want = var_y / (var_y + 1000.0 * 1000.0 / 12);
        if (fabs(sum / 100 - want) > 0.02)
            fail_msg("%zu points: slope %.4f, derived %.4f", n, sum / 100, want);
    }
}

/* What was stable once stays so; its mean follows while the short slope is near one. */
static void a_latched_detector_remembers(void **state)
{
    stability_rule_t rule = narrow;
    stability_t s;
    (void)state;
    rule.latched = true;
    stability_init(&s, &rule);
    for (uint64_t i = 0; i < 200; i++)
        stability_add(&s, 10 * i, 10 * i + 500);
    assert_int_equal(stability_read(&s).verdict, STABILITY_STABLE);
    for (uint64_t i = 200; i < 300; i++)
        stability_add(&s, 10 * i, 10 * i + 1000);
    stability_reading_t r = stability_read(&s);
    assert_int_equal(r.verdict, STABILITY_STABLE);
    assert_true(r.short_mean >= 1000 && r.short_mean <= 1000);
    for (uint64_t i = 300; i < 500; i++)
        stability_add(&s, 10 * i, 20 * i);
    r = stability_read(&s);
    assert_int_equal(r.verdict, STABILITY_STABLE);
    assert_true(r.short_mean < 1500);
    stability_free(&s);
}

static void the_first_points_can_be_dropped(void **state)
{
    stability_rule_t rule = narrow;
    stability_t s;
    (void)state;
    rule.drop = 50;
    stability_init(&s, &rule);
    for (uint64_t i = 0; i < 250; i++)
        stability_add(&s, 10 * i, 10 * i + (i < 50 ? 1 : 300));
    stability_reading_t r = stability_read(&s);
    assert_int_equal(r.points, 200);
    assert_int_equal(r.verdict, STABILITY_STABLE);
    assert_true(r.long_mean >= 300 && r.long_mean <= 300);
    stability_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_durations_have_slope_one),
        cmocka_unit_test(the_slope_is_exact_after_a_long_time),
        cmocka_unit_test(growing_durations_show_in_the_slope),
        cmocka_unit_test(a_step_that_has_passed_shows_in_the_means),
        cmocka_unit_test(the_halved_difference_is_twice_as_tolerant),
        cmocka_unit_test(spread_lowers_the_slope_as_derived),
        cmocka_unit_test(a_latched_detector_remembers),
        cmocka_unit_test(the_first_points_can_be_dropped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
