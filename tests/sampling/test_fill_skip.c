/* The time of the blocks that fill the L2: by the data that the DRAM must move for them, or by
 * their pace. */
#include "tests/support/test.h"

#include <math.h>

#include "sampling/inside/fill_skip.h"

enum { LIGHT_PERCENT = 65 };

/* 100 units of work, and the data that a DRAM of 10 sectors per cycle, of which it reaches 9,
 * must move for them. */
static double fill(double then, double later, double rate)
{
    const left_moves_t moves = {.then = then, .later = later};
    fill_left_t f = {0};
    fill_left_add(&f, &moves, 100, 10);
    return fill_left_cycles(&f, rate, LIGHT_PERCENT / 100.0);
}

static void expect(double is, double want)
{
    assert_true(fabs(is - want) < 1e-9);
}

static void blocks_wait_for_what_the_dram_has_to_move(void **state)
{
    (void)state;
    /* The blocks find more data to write back than they will leave. */
    expect(fill(9000, 6000, 0.2), 1000);
    /* Later blocks use so little bandwidth that the DRAM is not the limit: the same time as
     * later. */
    expect(fill(900, 600, 0.05), 2000);
}

static void blocks_are_no_faster_than_those_that_move_as_much_later(void **state)
{
    (void)state;
    /* The DRAM is slower than it should be: 100 of its cycles take 120. */
    expect(fill(1800, 900, 100.0 / 120), 200);
    expect(fill(900, 900, 100.0 / 120), 120);
    /* The L2 was clean: half of the later traffic. */
    expect(fill(450, 900, 100.0 / 120), 60);
    /* They have not been read. */
    expect(fill(0, 0, 0.5), 200);
}

static void photon_levels_count_in_waves(void **state)
{
    (void)state;
    const left_moves_t moves = {.then = 9000, .later = 9000};
    fill_skip_t f = {.slots = 10, .dram_sectors = 10, .light = 0.65, .pace = 40};
    expect(fill_skip_added(&f), 0);
    fill_skip_end(&f, 400, &moves);
    expect(fill_skip_added(&f), 1600);
    /* After them a wave takes 30; the first ones to retire do not count. */
    retired_t block[30];
    for (int i = 0; i < 30; i++)
        block[i] = (retired_t){.retire = (cycle_t)(i < 10 ? 5 : 5 + 3 * (i - 9))};
    const interval_records_t r = {.retired[RETIRED_BLOCK] = {.list = block, .n = 30}};
    fill_skip_look(&f, &r);
    expect(fill_skip_added(&f), 1200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_wait_for_what_the_dram_has_to_move),
        cmocka_unit_test(blocks_are_no_faster_than_those_that_move_as_much_later),
        cmocka_unit_test(photon_levels_count_in_waves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
