/* What launches that no sample met may change. */

#include "sampling/estimate/unmet_error.h"
#include "tests/support/sim/lab.h"

/* 1,000 cycles of a chip with 8 warp slots, half of which are in use: a tenth selected, the rest
 * waiting for memory. */
static void make_program(double program[STAT_VALUES])
{
    program[VALUE_CYCLES] = 1000;
    program[VALUE_AT(sm.active_cycles)] = 1000;
    program[VALUE_AT(sm.state_no_warp)] = 4000;
    program[VALUE_AT(sm.state_selected)] = 400;
    program[VALUE_AT(sm.state_long_scoreboard)] = 3600;
    program[VALUE_AT(sm.global_load_sectors)] = 500;
    program[VALUE_AT(sm.global_load_hits)] = 200;
    program[VALUE_AT(l2.read_hits)] = 100;
}

/* 5 % more time: the share of selected warps can only fall, that of waiting ones only rise. */
static void time_is_added_to_waiting(void **state)
{
    const double resident = 4000, waiting = 0.9;
    const linear_term_t share[] = {
        {VALUE_AT(sm.state_long_scoreboard), (1 - waiting) / resident},
        {VALUE_AT(sm.state_selected), -waiting / resident},
        {VALUE_AT(sm.state_barrier), -waiting / resident},
    };
    const linear_term_t selected[] = {
        {VALUE_AT(sm.state_selected), 0.9 / resident},
        {VALUE_AT(sm.state_long_scoreboard), -0.1 / resident},
        {VALUE_AT(sm.state_barrier), -0.1 / resident},
    };
    double program[STAT_VALUES] = {0};

    (void)state;
    make_program(program);
    unmet_error_t e = unmet_error(share, 3, program, 0.05);
    lab_assert_near(e.above, 0.05 * 0.1, 1e-12, "all of it waits for memory");
    lab_assert_near(e.below, 0.05 * 0.9, 1e-12, "all of it waits for a barrier");
    e = unmet_error(selected, 3, program, 0.05);
    assert_true(e.above == 0);
    lab_assert_near(e.below, 0.05 * 0.1, 1e-12, "the same instructions in more time");
}

/* Occupancy: resident warps by active cycles. Added cycles have as many warps as the others, or
 * none. */
static void occupancy_may_only_fall(void **state)
{
    linear_term_t occupancy[1 + STATE_COUNT];
    double program[STAT_VALUES] = {0};
    uint16_t n = 0;

    (void)state;
    make_program(program);
    for (uint16_t i = STATE_NO_WARP + 1; i < STATE_COUNT; i++)
        occupancy[n++] = (linear_term_t){(uint16_t)(VALUE_AT(sm.state_no_warp) + i), 1.0 / 8000};
    occupancy[n++] = (linear_term_t){VALUE_AT(sm.active_cycles), -0.5 / 1000};
    const unmet_error_t e = unmet_error(occupancy, n, program, 0.1);
    lab_assert_near(e.above, 0, 1e-12, "as full as the others");
    lab_assert_near(e.below, 0.1 * 0.5, 1e-12, "nobody there");
}

static void hits_may_be_misses(void **state)
{
    static const linear_term_t rate = {VALUE_AT(sm.global_load_hits), 1.0 / 500},
                               fills = {VALUE_AT(l2.fills), 1},
                               insts = {VALUE_AT(sm.warp_insts), 1};
    double program[STAT_VALUES] = {0};

    (void)state;
    make_program(program);
    lab_assert_near(unmet_error(&rate, 1, program, 0.1).below, 0.1 * 0.4, 1e-12, "L1");
    assert_true(unmet_error(&rate, 1, program, 0.1).above == 0);
    lab_assert_near(unmet_error(&fills, 1, program, 0.1).above, 10, 1e-12, "L2");
    assert_true(unmet_error(&insts, 1, program, 0.1).above == 0);
    assert_true(unmet_error(&rate, 1, program, 0).below == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(time_is_added_to_waiting),
        cmocka_unit_test(occupancy_may_only_fall),
        cmocka_unit_test(hits_may_be_misses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
