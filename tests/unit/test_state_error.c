/* The error of the L2 that sampled launches find. */
#include <stddef.h>

#include "frontend/tool/run/state_error.h"
#include "tests/support/lab.h"

static void only_what_the_l2_decides_is_uncertain(void **state)
{
    static const linear_term_t hits = {VALUE_AT(l2.read_hits), 1},
                               lookups = {VALUE_AT(l2.read_sectors), 1},
                               loads = {VALUE_AT(sm.global_load_hits), 1};
    double program[STAT_VALUES] = {0}, simulated[STAT_VALUES] = {0};

    (void)state;
    program[VALUE_AT(l2.read_sectors)] = 900;
    program[VALUE_AT(l2.write_sectors)] = 200;
    simulated[VALUE_AT(l2.read_sectors)] = 100;
    lab_assert_near(state_error(&hits, 1, program, simulated), 20, 1e-12, "2 % of 1000");
    assert_true(state_error(&lookups, 1, program, simulated) == 0);
    assert_true(state_error(&loads, 1, program, simulated) == 0);
}

/* Of a rate, the error of the numerator counts, and nothing where all was simulated. */
static void rates_scale_and_complete_programs_have_none(void **state)
{
    const linear_term_t rate[] = {{VALUE_AT(l2.read_hits), 0.001},
                                  {VALUE_AT(l2.read_sectors), -0.0005}};
    double program[STAT_VALUES] = {0}, simulated[STAT_VALUES] = {0};

    (void)state;
    program[VALUE_AT(l2.read_sectors)] = 1000;
    lab_assert_near(state_error(rate, 2, program, simulated), 0.02, 1e-12, "share");
    assert_true(state_error(rate, 2, program, program) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_what_the_l2_decides_is_uncertain),
        cmocka_unit_test(rates_scale_and_complete_programs_have_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
