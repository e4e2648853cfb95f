/* Counters of launches of which parts were skipped. */
#include "tests/support/test.h"

#include "sim/gpu/sampled/extrapolate.h"

static const l2_room_t room = {1000000, 1000000};

/* The counters of the chip after this many more instructions, thread instructions and DRAM
 * writes. */
static void pass(gpu_counters_t *now, uint64_t insts, uint64_t threads, uint64_t writes)
{
    now->sm.warp_insts += insts;
    now->sm.thread_insts += threads;
    now->dram.write_sectors += writes;
}

static gpu_counters_t since(const gpu_counters_t *from, const gpu_counters_t *to)
{
    gpu_counters_t out = {0};
    pass(&out, to->sm.warp_insts - from->sm.warp_insts, to->sm.thread_insts - from->sm.thread_insts,
         to->dram.write_sectors - from->dram.write_sectors);
    return out;
}

static void parts_take_after_the_stretch_before_them(void **state)
{
    extrapolation_t x;
    gpu_counters_t now = {0};
    (void)state;
    pass(&now, 77, 88, 99); /* of launches before */
    const gpu_counters_t begin = now;
    extrapolation_begin(&x, &now);
    pass(&now, 100, 3200, 0); /* nothing is written while the L2 fills */
    extrapolation_stop(&x, &now, false);
    pass(&now, 20, 640, 0); /* residents */
    extrapolation_resume(&x, &now, 500, NULL);
    pass(&now, 200, 3200, 50);
    extrapolation_stop(&x, &now, false);
    pass(&now, 100, 1600, 25); /* residents count for the end */
    gpu_counters_t c = since(&begin, &now);
    extrapolation_finish(&x, &c, 10000, &room);
    const uint64_t left = 10000 - 420 - 500;
    assert_int_equal(c.sm.warp_insts, 10000);
    assert_int_equal(c.sm.thread_insts, 120 * 32 + 300 * 16 + 500 * 32 + left * 16);
    assert_int_equal(c.dram.write_sectors, 75 + left / 4);
}

/* Data requested before the stretch arrive in it, and data requested in it arrive after it. */
static void what_was_cut_is_not_counted_twice(void **state)
{
    extrapolation_t x;
    gpu_counters_t now = {0};
    (void)state;
    extrapolation_begin(&x, &now);
    pass(&now, 100, 3200, 0);
    extrapolation_stop(&x, &now, false);
    extrapolation_resume(&x, &now, 0, NULL);
    pass(&now, 100, 3200, 20);
    extrapolation_stop(&x, &now, true);
    pass(&now, 0, 0, 10);
    gpu_counters_t c = now;
    extrapolation_finish(&x, &c, 1200, &room);
    assert_int_equal(c.dram.write_sectors, 30 + 1000 / 5);
}

/* The DRAM traffic of the blocks that fill the L2 is known from reading them. */
static void a_part_of_which_more_is_known_takes_after_that(void **state)
{
    extrapolation_t x;
    gpu_counters_t now = {0};
    (void)state;
    extrapolation_begin(&x, &now);
    pass(&now, 100, 3200, 30);
    now.dram.read_sectors = 10;
    now.dram.busy = 80;
    extrapolation_stop(&x, &now, false);
    const part_moved_t moved = {.read = 800, .written = 0};
    extrapolation_resume(&x, &now, 500, &moved);
    pass(&now, 100, 3200, 50);
    gpu_counters_t c = now;
    extrapolation_finish(&x, &c, 700, &room);
    assert_int_equal(c.sm.thread_insts, 700 * 32);
    assert_int_equal(c.dram.read_sectors, 10 + 800);
    assert_int_equal(c.l2.fills, 800);
    assert_int_equal(c.dram.write_sectors, 80);
    assert_int_equal(c.dram.busy, 80 + 80 * 5 * 160 / 40); /* 40 sectors before, 160 a hundred */
}

/* A launch that writes nothing writes back once what copies from the host left in the L2. */
static void what_was_found_is_written_back_once(void **state)
{
    static const l2_room_t small = {40, 20};
    extrapolation_t x;
    gpu_counters_t now = {0};
    (void)state;
    extrapolation_begin(&x, &now);
    pass(&now, 100, 3200, 38);
    now.l2.writebacks = 38;
    now.l2.early_writebacks = 30;
    now.l2.write_sectors = 1;
    now.l2.red_sectors = 2;
    now.dram.read_sectors = 62;
    now.dram.busy = 400;
    extrapolation_stop(&x, &now, false);
    gpu_counters_t c = now;
    extrapolation_finish(&x, &c, 1000, &small);
    assert_int_equal(c.dram.read_sectors, 620);
    assert_int_equal(c.l2.writebacks, 10 + 20 + 40);
    assert_int_equal(c.l2.early_writebacks, 70);
    assert_int_equal(c.dram.write_sectors, 70);
    assert_int_equal(c.dram.busy, 4000 * 690 / 1000);
}

static void one_stretch_is_scaled(void **state)
{
    extrapolation_t x;
    gpu_counters_t now = {0};
    (void)state;
    extrapolation_begin(&x, &now);
    pass(&now, 100, 3200, 30);
    gpu_counters_t c = now;
    extrapolation_finish(&x, &c, 250, &room);
    assert_int_equal(c.sm.warp_insts, 250);
    assert_int_equal(c.dram.write_sectors, 75);
}

static void never_more_than_the_launch_has(void **state)
{
    extrapolation_t x;
    gpu_counters_t now = {0};
    (void)state;
    extrapolation_begin(&x, &now);
    pass(&now, 100, 3200, 10);
    extrapolation_stop(&x, &now, false);
    extrapolation_resume(&x, &now, 900, NULL); /* by the mean block: too much */
    pass(&now, 100, 3200, 10);
    gpu_counters_t c = now;
    extrapolation_finish(&x, &c, 600, &room);
    assert_int_equal(c.sm.warp_insts, 600);
    assert_int_equal(c.dram.write_sectors, 60);
    /* If nothing was simulated, nothing can be extrapolated. */
    c = (gpu_counters_t){0};
    extrapolation_begin(&x, &now);
    extrapolation_finish(&x, &c, 600, &room);
    assert_int_equal(c.sm.warp_insts, 0);
}

/* A tenth is simulated, which fits in the L2; the whole launch needs twice its size. */
static void what_the_l2_cannot_hold_is_written_back(void **state)
{
    extrapolation_t x;
    gpu_counters_t c = {.sm.warp_insts = 100,
                        .l2 = {.write_sectors = 50, .write_hits = 10, .fills = 60},
                        .dram = {.read_sectors = 60, .row_hits = 6, .busy = 120}};
    const gpu_counters_t none = {0}, simulated = c;
    (void)state;
    extrapolation_begin(&x, &none);
    extrapolation_finish(&x, &c, 1000, &(l2_room_t){500, 500});
    assert_int_equal(c.l2.writebacks, 400 - 200);
    assert_int_equal(c.dram.read_sectors, 600);
    assert_int_equal(c.dram.write_sectors, 200);
    assert_int_equal(c.dram.row_hits, 80);
    assert_int_equal(c.dram.busy, 1600);
    c = simulated;
    extrapolation_begin(&x, &none);
    extrapolation_finish(&x, &c, 1000, &(l2_room_t){1000, 1000}); /* everything fits */
    assert_int_equal(c.dram.write_sectors, 0);
    c = simulated;
    extrapolation_begin(&x, &none);
    extrapolation_finish(&x, &c, 1000, &(l2_room_t){1000, 250}); /* but not modified */
    assert_int_equal(c.dram.write_sectors, 400 - 250);
    c = simulated;
    extrapolation_begin(&x, &none);
    extrapolation_finish(&x, &c, 1000, &(l2_room_t){500, 250}); /* of which 200 would stay */
    assert_int_equal(c.dram.write_sectors, 400 - 200);
    c = simulated;
    c.l2.writebacks = c.dram.write_sectors = 30; /* more than it must have */
    extrapolation_begin(&x, &none);
    extrapolation_finish(&x, &c, 1000, &(l2_room_t){500, 500});
    assert_int_equal(c.dram.write_sectors, 300);
    assert_int_equal(c.dram.row_hits, 60);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_take_after_the_stretch_before_them),
        cmocka_unit_test(what_was_cut_is_not_counted_twice),
        cmocka_unit_test(a_part_of_which_more_is_known_takes_after_that),
        cmocka_unit_test(what_was_found_is_written_back_once),
        cmocka_unit_test(one_stretch_is_scaled),
        cmocka_unit_test(never_more_than_the_launch_has),
        cmocka_unit_test(what_the_l2_cannot_hold_is_written_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
