/*
 * Laws of occupancy and carve-out (NVIDIA's cuda_occupancy.h; the worked examples of each compute
 * capability) and of block placement (the experiments of Gilman et al.).
 */
#include <stdio.h>
#include <string.h>

#include "sim/gpu/dispatch/occupancy.h"
#include "sim/gpu/dispatch/placement.h"
#include "tests/support/sim/lab.h"

static launch_info_t launch_of(uint32_t threads, uint32_t regs, uint32_t shared)
{
    return (launch_info_t){.id = 1,
                           .name = "kernel",
                           .file = "test",
                           .grid = {1000, 1, 1},
                           .block = {threads, 1, 1},
                           .regs = regs,
                           .shared_bytes = shared,
                           .arch = 70,
                           .n_blocks = 1000};
}

static occupancy_t occupancy_of(const gpu_spec_t *spec, uint32_t threads, uint32_t regs,
                                uint32_t shared)
{
    launch_info_t info = launch_of(threads, regs, shared);
    occupancy_t o;
    rb_err_t err = {0};

    if (occupancy_compute(spec, &info, &o, &err) != RB_OK)
        fail_msg("%s", err.text);
    return o;
}

static void compute_capability_7_0_holds_64_warps_of_32_registers(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", NULL);
    occupancy_t o = occupancy_of(&spec, 256, 32, 0);

    (void)state;
    assert_int_equal(o.regs_per_warp, 1024);
    assert_int_equal(o.blocks_per_sm, 8);
    assert_string_equal(o.limiter, "warps");
    assert_int_equal(o.carveout, 0);
}

/* 33 registers are allocated as 40; a sub-core of 16384 then holds 12 warps. */
static void one_register_more_costs_two_blocks_on_7_0(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", NULL);
    occupancy_t o = occupancy_of(&spec, 256, 33, 0);

    (void)state;
    assert_int_equal(o.regs_per_warp, 1280);
    assert_int_equal(o.blocks_per_sm, 6);
    assert_string_equal(o.limiter, "registers");
}

static void compute_capability_7_5_has_16_block_slots(void **state)
{
    gpu_spec_t spec = LAB_SPEC("rtx2060", NULL);
    occupancy_t o = occupancy_of(&spec, 32, 16, 0);

    (void)state;
    assert_int_equal(o.blocks_per_sm, 16);
    assert_string_equal(o.limiter, "blocks");
}

static void compute_capability_8_6_holds_6_blocks_of_40_registers(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", "sm.max_warps=48", "sm.max_blocks=16",
                               "l1.carveouts=0,8KiB,16KiB,32KiB,64KiB,100KiB",
                               "l1.shared_reserved=1024", "l1.shared_unit=128");
    occupancy_t o = occupancy_of(&spec, 256, 40, 0);

    (void)state;
    assert_int_equal(o.regs_per_warp, 1280);
    assert_int_equal(o.blocks_per_sm, 6);
}

/* 48 KiB and the reserved kilobyte, three times in the largest carve-out of 164 KiB. */
static void compute_capability_8_0_holds_3_blocks_of_48_kilobytes(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", "l1.unified=192KiB",
                               "l1.carveouts=0,8KiB,16KiB,32KiB,64KiB,100KiB,132KiB,164KiB",
                               "l1.shared_reserved=1024", "l1.shared_unit=128");
    occupancy_t o = occupancy_of(&spec, 128, 16, 48 * 1024);

    (void)state;
    assert_int_equal(o.shared_per_block, 49 * 1024);
    assert_int_equal(o.blocks_per_sm, 3);
    assert_int_equal(o.carveout, 164 * 1024);
    assert_string_equal(o.limiter, "shared memory");
}

static uint64_t round_up(uint64_t n, uint64_t unit)
{
    return (n + unit - 1) / unit * unit;
}

static uint32_t smallest(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* The rules of cuda_occupancy.h, written independently from the configuration. 0: does not fit. */
static uint32_t blocks_by_the_rules(const gpu_spec_t *spec, uint32_t threads, uint32_t regs,
                                    uint32_t shared)
{
    const sm_spec_t *sm = &spec->sm.sm;
    const l1_spec_t *l1 = &spec->sm.l1;
    uint32_t warps = (threads + 31) / 32;
    uint32_t per_warp = (uint32_t)round_up(regs * 32ull, sm->register_unit);
    uint32_t warps_by_regs = sm->registers / sm->sub_cores / per_warp * sm->sub_cores;
    uint64_t bytes = round_up((uint64_t)shared + l1->shared_reserved, l1->shared_unit);
    uint64_t largest = l1->carveouts.v[l1->carveouts.n - 1];
    uint32_t blocks = smallest(sm->max_warps / warps, sm->max_blocks);

    blocks = smallest(blocks, warps_by_regs / warps);
    return bytes ? smallest(blocks, (uint32_t)(largest / bytes)) : blocks;
}

static void check_all_shapes(const char *gpu)
{
    gpu_spec_t spec = lab_spec(gpu, NULL);
    const param_sizes_t *sizes = &spec.sm.l1.carveouts;

    for (uint32_t threads = 1; threads <= 1024; threads += 31) {
        for (uint32_t regs = 1; regs <= 255; regs += 7) {
            for (uint32_t shared = 0; shared <= 100 * 1024; shared += 5000) {
                uint32_t want = blocks_by_the_rules(&spec, threads, regs, shared);
                launch_info_t info = launch_of(threads, regs, shared);
                occupancy_t o;
                rb_err_t err = {0};
                rb_code_t rc = occupancy_compute(&spec, &info, &o, &err);

                if (want == 0) {
                    assert_int_equal(rc, RB_TRACE);
                    assert_true(strlen(err.text) > 0);
                    continue;
                }
                assert_int_equal(rc, RB_OK);
                assert_int_equal(o.blocks_per_sm, want);
                /* The carve-out is the smallest that holds them. */
                uint64_t need = want * o.shared_per_block;
                assert_true(o.carveout >= need);
                for (uint32_t i = 0; i < sizes->n; i++)
                    assert_false(sizes->v[i] >= need && sizes->v[i] < o.carveout);
            }
        }
    }
}

static void every_shape_obeys_the_rules_on_volta(void **state)
{
    (void)state;
    check_all_shapes("v100");
}

static void every_shape_obeys_the_rules_on_turing(void **state)
{
    (void)state;
    check_all_shapes("t4");
}

/* --- placement ---------------------------------------------------------------------------------
 */

typedef struct {
    gpu_spec_t spec;
    placement_t p;
} chip_t;

static void chip_init(chip_t *c, const gpu_spec_t *spec, uint32_t order)
{
    const sm_spec_t *sm = &spec->sm.sm;
    sm_room_t total = {.blocks = sm->max_blocks,
                       .warps = sm->max_warps,
                       .registers = sm->registers,
                       .shared = spec->sm.l1.carveouts.v[spec->sm.l1.carveouts.n - 1]};

    c->spec = *spec;
    placement_init(&c->p, sm->count, &total, order);
}

static block_need_t need_of(const chip_t *c, uint32_t threads)
{
    occupancy_t o = occupancy_of(&c->spec, threads, 16, 0);

    return placement_need(&o);
}

static void place_on(chip_t *c, uint32_t sm, uint32_t threads)
{
    block_need_t need = need_of(c, threads);

    placement_debit(&c->p, sm, &need);
}

static void expect_places(chip_t *c, uint32_t threads, const int *want, size_t n)
{
    block_need_t need = need_of(c, threads);

    for (size_t i = 0; i < n; i++) {
        int sm = placement_pick(&c->p, &need);

        assert_int_equal(sm, want[i]);
        placement_debit(&c->p, (uint32_t)sm, &need);
    }
}

/* Five SMs of 2048 threads, in the order 0 to 4, as Gilman et al. found them on Pascal. */
static void five_sms(chip_t *c, uint32_t resident_threads)
{
    gpu_spec_t spec = LAB_SPEC("v100", "sm.count=5");

    chip_init(c, &spec, ORDER_LINEAR);
    for (uint32_t sm = 1; sm < spec.sm.sm.count; sm++)
        place_on(c, sm, resident_threads);
}

static void blocks_go_to_the_sm_with_most_room(void **state)
{
    static const int want[] = {0, 0, 1};
    chip_t c;

    (void)state;
    five_sms(&c, 256);
    expect_places(&c, 160, want, 3);
    placement_free(&c.p);
}

static void room_counts_block_slots(void **state)
{
    static const int want[] = {0, 0, 1};
    chip_t c;

    (void)state;
    five_sms(&c, 1024);
    expect_places(&c, 32, want, 3);
    placement_free(&c.p);
}

static void room_counts_whole_warps(void **state)
{
    static const int want[] = {0, 0, 0};
    chip_t c;

    (void)state;
    five_sms(&c, 1024);
    expect_places(&c, 33, want, 3);
    placement_free(&c.p);
}

/* RTX 2080 Ti: 67 blocks of 512 threads leave only the last SM in the order empty. */
static void rtx_2080_ti(chip_t *c)
{
    gpu_spec_t spec = LAB_SPEC("rtx2080ti", NULL);
    uint32_t count = spec.sm.sm.count;

    chip_init(c, &spec, spec.sched.order);
    assert_int_equal(count, 68);
    block_need_t need = need_of(c, 512);
    for (uint32_t i = 0; i + 1 < count; i++) {
        int sm = placement_pick(&c->p, &need);

        assert_int_equal(sm, i < count / 2 ? 2 * i : 2 * (i - count / 2) + 1);
        placement_debit(&c->p, (uint32_t)sm, &need);
    }
}

static void turing_fills_the_empty_sm_first_by_warps(void **state)
{
    static const int want[] = {67, 67, 67, 67, 67, 67, 67, 67};
    chip_t c;

    (void)state;
    rtx_2080_ti(&c);
    expect_places(&c, 33, want, 8);
    placement_free(&c.p);
}

static void turing_goes_on_with_even_sms_once_slots_are_equal(void **state)
{
    static const int want[] = {67, 0, 2, 4, 6, 8, 10, 12};
    chip_t c;

    (void)state;
    rtx_2080_ti(&c);
    expect_places(&c, 32, want, 8);
    placement_free(&c.p);
}

static void a_full_chip_takes_no_block_until_one_leaves(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", "sm.count=3");
    chip_t c;

    (void)state;
    chip_init(&c, &spec, ORDER_LINEAR);
    block_need_t need = need_of(&c, 1024);
    for (uint32_t i = 0; i < spec.sm.sm.count * need.max_per_sm; i++)
        placement_debit(&c.p, (uint32_t)placement_pick(&c.p, &need), &need);
    assert_int_equal(placement_pick(&c.p, &need), -1);
    placement_credit(&c.p, 1, &need);
    assert_int_equal(placement_pick(&c.p, &need), 1);
    placement_free(&c.p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compute_capability_7_0_holds_64_warps_of_32_registers),
        cmocka_unit_test(one_register_more_costs_two_blocks_on_7_0),
        cmocka_unit_test(compute_capability_7_5_has_16_block_slots),
        cmocka_unit_test(compute_capability_8_6_holds_6_blocks_of_40_registers),
        cmocka_unit_test(compute_capability_8_0_holds_3_blocks_of_48_kilobytes),
        cmocka_unit_test(every_shape_obeys_the_rules_on_volta),
        cmocka_unit_test(every_shape_obeys_the_rules_on_turing),
        cmocka_unit_test(blocks_go_to_the_sm_with_most_room),
        cmocka_unit_test(room_counts_block_slots),
        cmocka_unit_test(room_counts_whole_warps),
        cmocka_unit_test(turing_fills_the_empty_sm_first_by_warps),
        cmocka_unit_test(turing_goes_on_with_even_sms_once_slots_are_equal),
        cmocka_unit_test(a_full_chip_takes_no_block_until_one_leaves),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
