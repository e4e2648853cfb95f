/* The error of the state that sampled launches find. */
#include <stddef.h>

#include "sampling/estimate/state_error.h"
#include "tests/support/sim/lab.h"

static void only_what_the_l2_decides_is_uncertain(void **state)
{
    static const linear_term_t hits = {VALUE_AT(l2.read_hits), 1},
                               lookups = {VALUE_AT(l2.read_sectors), 1},
                               loads = {VALUE_AT(sm.global_load_requests), 1};
    double program[STAT_VALUES] = {0}, simulated[STAT_VALUES] = {0};

    (void)state;
    program[VALUE_AT(l2.read_sectors)] = 900;
    program[VALUE_AT(l2.write_sectors)] = 200;
    simulated[VALUE_AT(l2.read_sectors)] = 100;
    program[VALUE_CYCLES] = simulated[VALUE_CYCLES] = 1;
    lab_assert_near(state_error(&hits, 1, program, simulated), 20, 1e-12, "2 % of 1000");
    lab_assert_near(state_error(&lookups, 1, program, simulated), 8, 1e-12, "1 % of 800");
    assert_true(state_error(&loads, 1, program, simulated) == 0);
}

/* Which rows are open is not walked. What moves along with the sectors has their error, which a rate of two such
 * counts has not. */
static void rows_and_what_moves_along_are_uncertain(void **state)
{
    static const linear_term_t hits = {VALUE_AT(dram.row_hits), 1},
                               requests = {VALUE_AT(dram.read_requests), 1};
    static const linear_term_t rate[] = {{VALUE_AT(dram.busy), 0.01},
                                         {VALUE_AT(dram.read_requests), -0.02}};
    double program[STAT_VALUES] = {0}, simulated[STAT_VALUES] = {0};

    (void)state;
    program[VALUE_AT(dram.row_hits)] = 80;
    program[VALUE_AT(dram.row_misses)] = 20;
    lab_assert_near(state_error(&hits, 1, program, simulated), 4, 1e-12, "4 % of 100 requests");
    program[VALUE_AT(l2.read_sectors)] = 1000;
    program[VALUE_AT(dram.read_sectors)] = 200;
    program[VALUE_AT(dram.read_requests)] = 100;
    program[VALUE_AT(dram.busy)] = 200;
    lab_assert_near(state_error(&requests, 1, program, simulated), 0.02 * 1000 * 0.5, 1e-12,
                    "half a request a sector");
    assert_true(state_error(rate, 2, program, simulated) < 1e-12);
}

/* Of a rate, the error of the numerator counts, and nothing where all was simulated. */
static void rates_scale_and_complete_programs_have_none(void **state)
{
    const linear_term_t rate[] = {{VALUE_AT(l2.red_hits), 0.001},
                                  {VALUE_AT(l2.red_sectors), -0.0005}};
    double program[STAT_VALUES] = {0}, simulated[STAT_VALUES] = {0};

    (void)state;
    program[VALUE_AT(l2.red_sectors)] = 1000;
    lab_assert_near(state_error(rate, 2, program, simulated), 0.02, 1e-12, "share");
    assert_true(state_error(rate, 2, program, program) == 0);
}

/* 1 % of the time that was left out may be spent in another state; the L1's hits by as much. */
static void time_may_be_spent_otherwise(void **state)
{
    static const linear_term_t share[] = {{VALUE_AT(sm.state_barrier), 0.0003},
                                          {VALUE_AT(sm.state_wait), -0.0002}};
    static const linear_term_t hits = {VALUE_AT(sm.global_load_hits), 0.002};
    double program[STAT_VALUES] = {0}, simulated[STAT_VALUES] = {0};

    (void)state;
    program[VALUE_AT(sm.state_no_warp)] = 5000;
    program[VALUE_AT(sm.state_barrier)] = 1500;
    program[VALUE_AT(sm.state_wait)] = 800;
    simulated[VALUE_AT(sm.state_wait)] = 300;
    lab_assert_near(state_error(share, 2, program, simulated), 0.01 * 0.0005 * 2000, 1e-12,
                    "share");
    assert_true(state_error(share, 2, program, program) == 0);
    program[VALUE_AT(sm.global_load_sectors)] = 400;
    lab_assert_near(state_error(&hits, 1, program, simulated), 0.01 * 0.002 * 400, 1e-12, "hits");
}

/* Of the cycles, 1 % of those that were left out. */
static void cycles_that_were_left_out_are_uncertain(void **state)
{
    (void)state;
    lab_assert_near(state_error_cycles(5000, 1000), 40, 1e-12, "1 % of 4000");
    assert_true(state_error_cycles(5000, 5000) == 0);
    assert_true(state_error_cycles(4000, 5000) == 0);
}

/* Hits of an L1, which every launch empties, are not among them. */
static void what_outlives_launches_is_cold_without_walks(void **state)
{
    static const linear_term_t loads[] = {{VALUE_AT(sm.global_load_hits), 1},
                                          {VALUE_AT(sm.global_load_sectors), -0.5},
                                          {VALUE_AT(l2.read_sectors), 1}},
                               others[] = {{VALUE_AT(l2.write_hits), 1},
                                           {VALUE_AT(dram.read_sectors), 1},
                                           {VALUE_AT(dram.read_requests), 1},
                                           {VALUE_AT(sm.tlb_misses), 1},
                                           {VALUE_AT(sm.icache_l1_misses), 1}};
    (void)state;
    assert_false(state_error_is_cold(loads, 3));
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        assert_true(state_error_is_cold(&others[i], 1));
}

/* How long SMs are active, and how often reads reach the L2, goes with the cycles. */
static void what_goes_with_the_cycles_is_as_uncertain(void **state)
{
    static const linear_term_t active = {VALUE_AT(sm.active_cycles), 2};
    double program[STAT_VALUES] = {0}, simulated[STAT_VALUES] = {0};
    (void)state;
    program[VALUE_CYCLES] = 1000;
    simulated[VALUE_CYCLES] = 400;
    program[VALUE_AT(sm.active_cycles)] = simulated[VALUE_AT(sm.active_cycles)] = 500;
    lab_assert_near(state_error(&active, 1, program, simulated), 0.01 * 2 * 0.6 * 500, 1e-12,
                    "1 % of its share, though all of it was seen");
    assert_true(state_error(&active, 1, program, program) == 0);
}

/* Which lines stay modified is known less well than which lines there are. */
static void what_is_written_back_is_more_uncertain(void **state)
{
    static const linear_term_t writes = {VALUE_AT(dram.write_sectors), 1};
    double program[STAT_VALUES] = {0}, simulated[STAT_VALUES] = {0};
    (void)state;
    program[VALUE_AT(dram.write_sectors)] = 1000;
    lab_assert_near(state_error(&writes, 1, program, simulated), 150, 1e-12, "15 %");
    assert_true(state_error(&writes, 1, program, program) == 0);
}

/* Turns of the DRAM depend on its queues: no interval could be stated. */
static void what_queues_decide_is_unknown(void **state)
{
    static const linear_term_t turns = {VALUE_AT(dram.turnarounds), 1},
                               reads = {VALUE_AT(dram.read_sectors), 1},
                               latency = {VALUE_AT(dram.read_latency), 1};
    (void)state;
    assert_non_null(state_error_unknown(&turns, 1, false));
    assert_null(state_error_unknown(&reads, 1, true));
    assert_null(state_error_unknown(&latency, 1, false));
    assert_non_null(state_error_unknown(&latency, 1, true));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_what_the_l2_decides_is_uncertain),
        cmocka_unit_test(rows_and_what_moves_along_are_uncertain),
        cmocka_unit_test(rates_scale_and_complete_programs_have_none),
        cmocka_unit_test(time_may_be_spent_otherwise),
        cmocka_unit_test(cycles_that_were_left_out_are_uncertain),
        cmocka_unit_test(what_outlives_launches_is_cold_without_walks),
        cmocka_unit_test(what_goes_with_the_cycles_is_as_uncertain),
        cmocka_unit_test(what_is_written_back_is_more_uncertain),
        cmocka_unit_test(what_queues_decide_is_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
