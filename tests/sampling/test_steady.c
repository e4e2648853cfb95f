/* The detector with windows of time, against closed forms. */
#include <math.h>

#include "sampling/inside/photon/steady.h"
#include "tests/support/sim/lab.h"

enum { INTERVAL = 100 };

/* Adds n points of this duration and closes the interval. */
static void interval(steady_t *s, unsigned n, uint64_t duration)
{
    for (unsigned i = 0; i < n; i++)
        steady_add(s, duration);
    steady_close(s);
}

static void two_windows_of_equal_means_are_stable(void **state)
{
    const steady_rule_t rule = {.need = 25, .delta = 0.03};
    steady_t s;
    (void)state;
    steady_init(&s, &rule, INTERVAL);
    for (unsigned i = 0; i < 7; i++)
        steady_close(&s); /* no points yet: does not count */
    for (unsigned i = 0; i < 5; i++) {
        interval(&s, 10, 777);
        assert_int_equal(steady_read(&s, false).verdict, STEADY_FEW);
    }
    interval(&s, 10, 777); /* the sixth of ten: two windows of 30 */
    steady_reading_t r = steady_read(&s, false);
    assert_int_equal(r.verdict, STEADY_STABLE);
    lab_assert_equal(r.mean, 777, "mean");
    assert_int_equal(r.points, 60);
    assert_int_equal(r.cycles, 6 * INTERVAL);
    /* A newer window that is 4 % longer: 2 % from the mean of both is allowed, 3 % is not. */
    for (unsigned i = 0; i < 3; i++)
        interval(&s, 10, 808);
    r = steady_read(&s, false);
    assert_int_equal(r.verdict, STEADY_CHANGES);
    lab_assert_equal(r.first, 777, "earlier mean");
    lab_assert_equal(r.last, 808, "later mean");
    lab_assert_equal(steady_mean(&s, 3 * INTERVAL), 808, "mean of the last");
    lab_assert_equal(steady_mean(&s, UINT64_MAX), (6 * 777 + 3 * 808) / 9.0, "mean of all");
    steady_free(&s);
}

/* Durations swing with a period of five intervals: whole periods give the true mean. */
static void windows_are_whole_periods(void **state)
{
    const steady_rule_t rule = {.need = 20, .enough = 60, .delta = 0.03, .period = 5 * INTERVAL};
    static const uint64_t swing[] = {100, 100, 100, 100, 200};
    steady_t s;
    unsigned reads = 0;
    (void)state;
    steady_init(&s, &rule, INTERVAL);
    for (unsigned i = 0; i < 100; i++) {
        interval(&s, 10, swing[i % 5]);
        steady_reading_t r = steady_read(&s, false);
        if (r.verdict == STEADY_FEW)
            continue;
        assert_int_equal(r.verdict, STEADY_STABLE);
        assert_int_equal(r.cycles, 20 * INTERVAL); /* two windows of two periods: 60 are enough */
        lab_assert_equal(r.mean, 120, "mean over whole periods");
        reads++;
    }
    assert_int_equal(reads, 100 - 19);
    /* A detector that assumes no swings takes two intervals per window, and is wrong. */
    assert_int_equal(steady_read(&s, true).cycles, 4 * INTERVAL);
    assert_int_equal(steady_read(&s, true).verdict, STEADY_CHANGES);
    steady_free(&s);
}

static void many_periods_need_not_be_whole_nor_enough(void **state)
{
    const steady_rule_t rule = {.need = 9, .enough = 1000, .delta = 0.03, .period = INTERVAL};
    steady_t s;
    (void)state;
    steady_init(&s, &rule, INTERVAL);
    for (unsigned i = 0; i < 17; i++) {
        interval(&s, 1, 50);
        assert_int_equal(steady_read(&s, false).verdict, STEADY_FEW);
    }
    interval(&s, 1, 50);
    assert_int_equal(steady_read(&s, false).cycles, 18 * INTERVAL); /* nine periods a window */
    steady_free(&s);
}

static void the_first_points_are_dropped(void **state)
{
    const steady_rule_t rule = {.need = 10, .delta = 0.03, .drop = 25};
    steady_t s;
    (void)state;
    steady_init(&s, &rule, INTERVAL);
    for (unsigned i = 0; i < 4; i++)
        interval(&s, 10, i < 2 ? 9999 : 10);
    /* Five points of the third interval and ten of the fourth remain. */
    assert_int_equal(steady_read(&s, false).verdict, STEADY_FEW);
    interval(&s, 10, 10);
    steady_reading_t r = steady_read(&s, false);
    assert_int_equal(r.verdict, STEADY_STABLE);
    lab_assert_equal(r.mean, 10, "mean without the first");
    steady_free(&s);
}

/* A long run: intervals are joined, means stay exact. */
static void memory_does_not_grow(void **state)
{
    const steady_rule_t rule = {.need = 20000, .delta = 0.03};
    steady_t s;
    (void)state;
    steady_init(&s, &rule, INTERVAL);
    for (uint64_t i = 0; i < 100000; i++)
        interval(&s, 1, 1000 + i % 2);
    assert_true(s.n <= STEADY_BUCKETS && s.bucket > INTERVAL);
    steady_reading_t r = steady_read(&s, false);
    assert_int_equal(r.verdict, STEADY_STABLE);
    assert_true(r.points >= 40000 && r.points < 41000);
    assert_true(fabs(r.mean - 1000.5) < 1e-9);
    assert_true(r.cycles == r.points * INTERVAL);
    steady_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_windows_of_equal_means_are_stable),
        cmocka_unit_test(windows_are_whole_periods),
        cmocka_unit_test(many_periods_need_not_be_whole_nor_enough),
        cmocka_unit_test(the_first_points_are_dropped),
        cmocka_unit_test(memory_does_not_grow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
