/* Laws of counters that follow from the program alone, or from it and a single SM and slice. */
#include "tests/support/sim/lab.h"

enum { BLOCKS = 3, WARPS = 2, STEPS = 10, WARP = 32 };

static const uint32_t full = UINT32_MAX, half = 0xffff, none = 0;

/* Runs a program of three instructions and EXIT. */
static launch_result_t run_body(const lab_op_t ops[3], synth_body_fn body)
{
    gpu_spec_t spec = LAB_SPEC("v100", "sm.count=2");
    synth_t *s = synth_create();
    synth_kernel_t *k = synth_kernel_create(
        s, "counted",
        &(synth_shape_t){
            .arch = spec.gpu.arch, .grid = {BLOCKS}, .block = {WARPS * WARP}, .regs = 32});

    for (unsigned i = 0; i < 3; i++)
        synth_code(k, ops[i].mnemonic, ops[i].dst, ops[i].src);
    synth_code(k, "EXIT", "", "");
    synth_kernel_body(k, body, NULL);
    return lab_run_one(&spec, s);
}

static void masks_body(synth_warp_t *w, const void *ctx)
{
    (void)ctx;
    for (unsigned i = 0; i < STEPS; i++) {
        synth_emit(w, 0, full);
        synth_emit(w, 1, none);
        synth_emit(w, 2, half);
    }
    synth_emit(w, 3, full);
}

/* One of three has no active lane, one half of them. */
static void instructions_without_an_active_lane_are_counted(void **state)
{
    const lab_op_t ops[] = {
        {"FADD", "R1", "R1 R2"}, {"FMUL", "R3", "R3 R4"}, {"FFMA", "R5", "R6 R7 R8"}};
    launch_result_t r = run_body(ops, masks_body);

    (void)state;
    assert_int_equal(r.sm.warp_insts, BLOCKS * WARPS * (3 * STEPS + 1));
    assert_int_equal(r.sm.pred_off_insts, BLOCKS * WARPS * STEPS);
    assert_int_equal(r.sm.flops_fp32, BLOCKS * WARPS * STEPS * (WARP + 2 * WARP / 2));
    assert_int_equal(r.sm.thread_insts, BLOCKS * WARPS * (STEPS * (WARP + WARP / 2) + WARP));
}

/* The first branch leaves the active lanes as they are, the second one makes half of them inactive,
 * and the third is where they join again. */
static void branches_body(synth_warp_t *w, const void *ctx)
{
    (void)ctx;
    for (unsigned i = 0; i < STEPS; i++) {
        synth_emit(w, 0, full);
        synth_emit(w, 1, full);
        synth_emit(w, 2, half);
    }
    synth_emit(w, 3, full);
}

static void branches_that_keep_the_active_lanes_are_uniform(void **state)
{
    const lab_op_t ops[] = {{"BRA", "", ""}, {"BRA", "", ""}, {"BRA", "", ""}};
    launch_result_t r = run_body(ops, branches_body);

    (void)state;
    assert_int_equal(r.sm.branches, BLOCKS * WARPS * 3 * STEPS);
    assert_int_equal(r.sm.branches_uniform, BLOCKS * WARPS * STEPS);
}

static uint64_t own_word(const void *ctx, uint64_t warp, unsigned lane, uint64_t step)
{
    (void)ctx;
    (void)warp;
    (void)step;
    return lane * UINT64_C(4);
}

static void requests_are_counted_by_memory_and_direction(void **state)
{
    static const lab_op_t ops[] = {{"LDG.E.SYS", "R4", "R2"},
                                   {"STG.E.SYS", "", "R2 R4"},
                                   {"LDL", "R4", "R2"},
                                   {"STL", "", "R2 R4"}};
    gpu_spec_t spec = LAB_SPEC("v100", "sm.count=2");

    (void)state;
    for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
        lab_access_t a = {.op = ops[i],
                          .blocks = BLOCKS,
                          .threads = WARPS * WARP,
                          .mask = full,
                          .steps = STEPS,
                          .address = own_word};
        launch_result_t r = lab_access(&spec, &a);
        const uint64_t requests[] = {r.sm.global_load_requests, r.sm.global_store_requests,
                                     r.sm.local_load_requests, r.sm.local_store_requests};

        for (size_t k = 0; k < sizeof(ops) / sizeof(ops[0]); k++)
            assert_int_equal(requests[k], k == i ? BLOCKS * WARPS * STEPS : 0);
    }
}

/* The line's first sector; at once or after its arrival all four. */
static void two_loads_body(synth_warp_t *w, const void *ctx)
{
    const bool *at_once = ctx;
    const uint64_t line = 0x7f0000000000;

    synth_emit_affine(w, 0, 0xff, line, 4);
    if (!*at_once)
        synth_emit(w, 1, full);
    synth_emit_affine(w, 2, full, line, 4);
    synth_emit(w, 3, full);
}

static launch_result_t load_a_sector_and_its_line(bool at_once)
{
    gpu_spec_t spec = LAB_SPEC("v100", "sm.count=1");
    synth_t *s = synth_create();
    synth_kernel_t *k = synth_kernel_create(
        s, "two_loads", &(synth_shape_t){.arch = spec.gpu.arch, .block = {WARP}, .regs = 32});

    synth_code(k, "LDG.E.SYS", "R4", "R2");
    synth_code(k, "FADD", "R5", "R4 R4");
    synth_code(k, "LDG.E.SYS", "R6", "R2");
    synth_code(k, "EXIT", "", "");
    synth_kernel_body(k, two_loads_body, &at_once);
    return lab_run_one(&spec, s);
}

static void a_sector_of_a_load_is_here_or_on_its_way_or_requested(void **state)
{
    launch_result_t later = load_a_sector_and_its_line(false);
    launch_result_t at_once = load_a_sector_and_its_line(true);

    (void)state;
    assert_int_equal(later.sm.global_load_sectors, 5);
    assert_int_equal(later.sm.global_load_hits, 1);
    assert_int_equal(later.sm.global_load_pending, 0);
    assert_int_equal(at_once.sm.global_load_sectors, 5);
    assert_int_equal(at_once.sm.global_load_hits, 0);
    assert_int_equal(at_once.sm.global_load_pending, 1);
}

static void barriers_body(synth_warp_t *w, const void *ctx)
{
    (void)ctx;
    for (unsigned i = 0; i < STEPS; i++)
        synth_emit(w, 0, full);
    synth_emit(w, 1 + w->warp, full);
    synth_emit(w, 3, full);
}

/* All warps wait at the first barriers together. At the last one each warp waits at another: the one
 * with the lower number is released first, and the other one when that warp has ended. */
static void a_barrier_counts_when_it_is_released(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", "sm.count=2");
    synth_t *s = synth_create();
    synth_kernel_t *k = synth_kernel_create(
        s, "barriers",
        &(synth_shape_t){
            .arch = spec.gpu.arch, .grid = {BLOCKS}, .block = {WARPS * WARP}, .regs = 32});

    (void)state;
    synth_code_imm(k, "BAR.SYNC", 0);
    synth_code_imm(k, "BAR.SYNC", 1);
    synth_code_imm(k, "BAR.SYNC", 2);
    synth_code(k, "EXIT", "", "");
    synth_kernel_body(k, barriers_body, NULL);
    launch_result_t r = lab_run_one(&spec, s);
    assert_int_equal(r.sm.barriers, BLOCKS * (STEPS + WARPS));
}

typedef struct {
    unsigned lines;
} spread_t;

static uint64_t spread(const void *ctx, uint64_t warp, unsigned lane, uint64_t step)
{
    (void)warp;
    (void)step;
    return 0x7f0000000000 + lane % ((const spread_t *)ctx)->lines * UINT64_C(128);
}

static void each_line_of_an_access_is_looked_up_once(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", "sm.count=2");

    (void)state;
    for (unsigned lines = 1; lines <= WARP; lines *= 2) {
        spread_t s = {lines};
        lab_access_t a = {.op = {"LDG.E.SYS", "R4", "R2"},
                          .blocks = BLOCKS,
                          .threads = WARPS * WARP,
                          .mask = full,
                          .steps = STEPS,
                          .address = spread,
                          .ctx = &s};

        assert_int_equal(lab_access(&spec, &a).sm.l1_tags, BLOCKS * WARPS * STEPS * lines);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instructions_without_an_active_lane_are_counted),
        cmocka_unit_test(branches_that_keep_the_active_lanes_are_uniform),
        cmocka_unit_test(a_barrier_counts_when_it_is_released),
        cmocka_unit_test(each_line_of_an_access_is_looked_up_once),
        cmocka_unit_test(requests_are_counted_by_memory_and_direction),
        cmocka_unit_test(a_sector_of_a_load_is_here_or_on_its_way_or_requested),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
