/* The recent issue rate of a launch. */
#include "tests/support/test.h"

#include "sampling/inside/photon/issue_rate.h"

enum { STEP = 256, COLD = 10 };

/* Nothing is issued in the first intervals, then three instructions per cycle. The cold start is
 * forgotten, and the time over which the rate is taken grows with the launch. */
static void a_cold_start_is_forgotten(void **state)
{
    issue_rate_t rate = {0};
    interval_records_t r = {0};

    (void)state;
    assert_true(issue_rate_of(&rate, &r) == 0);
    for (unsigned i = 1; i < 1000; i++) {
        r.cycle = (cycle_t)i * STEP;
        r.warp_insts = i <= COLD ? 0 : (uint64_t)3 * (i - COLD) * STEP;
        issue_rate_note(&rate, &r);
        if (i > 4 * COLD)
            assert_true(issue_rate_of(&rate, &r) == 3.0);
        if (i > 4) {
            assert_true(r.cycle - rate.mark[0].cycle >= r.cycle / 2);
            assert_true(rate.mark[0].cycle >= r.cycle / 4 - STEP);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_cold_start_is_forgotten)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
