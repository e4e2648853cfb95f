/* What blocks take that fill the L2: by what the DRAM has to move for them, or by their pace. */
#include "tests/support/test.h"

#include <math.h>

#include "sampling/inside/fill_skip.h"

/* A DRAM that moves 10 sectors a cycle, of which it gives 9. */
static fill_dram_t fill(double then, double later, double by_pace)
{
    const left_moves_t moves = {.then = then, .later = later};
    return fill_dram(&moves, 10, 0.65, by_pace);
}

static void blocks_wait_for_what_the_dram_has_to_move(void **state)
{
    (void)state;
    /* It finds more to write back than the blocks will leave: no part of a later block is less. */
    const fill_dram_t more = fill(9000, 6000, 800);
    assert_true(fabs(more.cycles - 1000) < 1e-9);
    assert_true(fabs(more.like - 1) < 1e-9);
    /* An L2 that was clean: half of what later blocks have it move. */
    assert_true(fabs(fill(9000, 18000, 800).like - 0.5) < 1e-9);
}

static void blocks_that_the_dram_hardly_holds_up_keep_their_pace(void **state)
{
    (void)state;
    assert_true(fill(9000, 6000, 1000 / 0.65 - 1).cycles > 0);
    assert_true(fill(9000, 6000, 1000 / 0.65 + 1).cycles <= 0);
    /* Nobody has read the blocks. */
    assert_true(fill(0, 0, 0).cycles <= 0);
}

/* Photon: blocks that the DRAM held up take no less than later ones in the end; others wait for the
 * pace to come only past the turn. */
static void blocks_are_no_faster_than_later_ones_in_photon_levels(void **state)
{
    (void)state;
    const left_moves_t moves = {.then = 9000, .later = 9000}, none = {0};
    fill_skip_t f = {.slots = 10, .dram_sectors = 10, .light = 0.65, .pace = 20, .turn = 100};
    assert_true(fabs(fill_skip_end(&f, 400, &moves) - 1000) < 1e-9);
    assert_true(fabs(fill_skip_added(&f, 20)) < 1e-9);
    assert_true(fabs(fill_skip_added(&f, 30) - 200) < 1e-9);
    assert_true(fabs(fill_skip_end(&f, 400, &none) - 200) < 1e-9);
    assert_true(fabs(fill_skip_added(&f, 30) - 900) < 1e-9);
    assert_true(fabs(fill_skip_added(&f, 0) - 600) < 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_wait_for_what_the_dram_has_to_move),
        cmocka_unit_test(blocks_that_the_dram_hardly_holds_up_keep_their_pace),
        cmocka_unit_test(blocks_are_no_faster_than_later_ones_in_photon_levels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
