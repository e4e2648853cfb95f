/* What launches that no sample met may change, and what walks know of them. */

#include "sampling/estimate/cold_launches.h"
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

/* 20 sectors that missed, and 50 cycles more of 1,000. */
static void what_walks_found_missing_is_added_once(void **state)
{
    static const linear_term_t rate[] = {{VALUE_AT(l2.read_hits), 1.0 / 400},
                                         {VALUE_AT(l2.read_sectors), -0.25 / 400}},
                               written = {VALUE_AT(l2.write_hits), 1},
                               reads = {VALUE_AT(dram.read_sectors), 32},
                               active = {VALUE_AT(sm.active_cycles), 1};
    static const unmet_cold_t cold = {.fetched = 20, .placed = 3, .cycles = 50};
    double program[STAT_VALUES] = {0};

    (void)state;
    make_program(program);
    lab_assert_near(unmet_walked(rate, 2, program, &cold).below, 20.0 / 400, 1e-12, "hit rate");
    assert_true(unmet_walked(rate, 2, program, &cold).above == 0);
    lab_assert_near(unmet_walked(&written, 1, program, &cold).below, 3, 1e-12, "writes");
    lab_assert_near(unmet_walked(&reads, 1, program, &cold).above, 20 * 32, 1e-12, "bytes");
    lab_assert_near(unmet_walked(&active, 1, program, &cold).above, 50, 1e-12, "cycles");
}

static launch_result_t launch_of(uint64_t code, uint64_t insts, uint64_t fills, uint64_t cycles)
{
    launch_result_t r = {0};
    r.info.code_id = code;
    r.warp_insts = insts;
    r.l2.fills = fills;
    r.l2.read_hits = 100;
    r.start = 10;
    r.end = r.start + cycles;
    return r;
}

static double price_of(const launch_result_t *r, size_t n, const double *weight)
{
    cold_launches_t c = {0};
    for (size_t i = 0; i < n; i++)
        cold_launches_add(&c, &r[i], weight[i]);
    const double price = cold_launches_price(&c);
    cold_launches_free(&c);
    return price;
}

/* Kernel 1 takes 6 cycles a sector; kernel 2, whose launches differ in length, 2 and one an instruction; of kernel 3
 * nothing is known. */
static void a_sector_costs_what_it_costs_its_kernel(void **state)
{
    const launch_result_t r[] = {launch_of(1, 500, 0, 1000), launch_of(1, 500, 50, 1300),
                                 launch_of(1, 900, 0, 5000), launch_of(2, 100, 0, 100),
                                 launch_of(2, 200, 10, 220), launch_of(2, 300, 0, 300),
                                 launch_of(2, 400, 40, 480), launch_of(3, 100, 0, 777)};
    const double first[8] = {3, 1, 1, 1, 1, 1, 1, 1}, second[8] = {1, 1, 1, 3, 1, 1, 1, 1};
    const double third[8] = {1, 1, 1, 1, 1, 1, 1, 3}, both[8] = {2, 1, 1, 1, 1, 1, 2, 1};

    (void)state;
    lab_assert_near(price_of(r, 8, first), 6, 1e-9, "equal lengths");
    lab_assert_near(price_of(r, 8, second), 2, 1e-9, "other lengths");
    lab_assert_near(price_of(r, 8, third), 6, 1e-9, "that of the others");
    lab_assert_near(price_of(r, 8, both), 4, 1e-9, "by hits that were left out");
    lab_assert_near(price_of(&r[4], 1, first), 22, 1e-9, "all of its cycles");
    assert_true(price_of(r, 0, first) == 0);

    const launch_result_t late[] = {launch_of(1, 500, 30, 100), launch_of(1, 500, 20, 200)};
    /* 20 cycles a sector by the regression, but 300 in all for the 60 sectors. */
    const launch_result_t steep[] = {launch_of(1, 500, 25, 50), launch_of(1, 500, 35, 250)};
    assert_true(price_of(late, 2, first) == 0);
    lab_assert_near(price_of(steep, 2, first), 5, 1e-9, "nothing but waiting");
}

/* Nothing is known if each launch began on a chip of its own, for then walks repeat each other. */
static void only_launches_of_one_chip_are_counted(void **state)
{
    launch_result_t r = launch_of(1, 500, 0, 1000);
    cold_launches_t c = {0};

    (void)state;
    r.touched.fetched = 70;
    cold_launches_add(&c, &r, 2);
    assert_true(cold_launches_more(&c, c.fetched, 30) == 40);
    assert_true(cold_launches_more(&c, c.fetched, -30) == 70);
    assert_true(cold_launches_more(&c, c.fetched, 100) == 0);
    cold_launches_add(&c, &r, 2);
    assert_true(cold_launches_more(&c, c.fetched, 30) == 0);
    cold_launches_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(time_is_added_to_waiting),
        cmocka_unit_test(occupancy_may_only_fall),
        cmocka_unit_test(hits_may_be_misses),
        cmocka_unit_test(what_walks_found_missing_is_added_once),
        cmocka_unit_test(a_sector_costs_what_it_costs_its_kernel),
        cmocka_unit_test(only_launches_of_one_chip_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
