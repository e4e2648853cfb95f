/* What a launch finds in the L2, by warmup.mode, when launches before it are skipped. */
#include "tests/support/test.h"

#include "tests/support/sim/lab.h"

enum { LAUNCHES = 4, STEPS = 16 };

#define SMALL "sm.count=2", "mem.partitions=4", "l2.slices=4", "l2.size=768KiB"

static uint64_t streaming(const void *ctx, uint64_t warp, unsigned lane, uint64_t step)
{
    return *(const uint64_t *)ctx + ((warp * STEPS + step) * 32 + lane) * 4;
}

static rb_code_t keep_last(void *ctx, const launch_result_t *r, rb_err_t *err)
{
    (void)err;
    *(launch_result_t *)ctx = *r;
    return RB_OK;
}

/* Runs some launches of a program whose launches all read the same 16 KiB; the last result. */
static launch_result_t run_some(const gpu_spec_t *spec, const char *op, const uint64_t *ids,
                                size_t n_ids)
{
    static const uint64_t base[LAUNCHES] = {0x10000000, 0x10000000, 0x20000000, 0x20000000};
    synth_t *s = synth_create();
    launch_result_t last = {0};
    rb_err_t err = {0};
    for (int i = 0; i < LAUNCHES; i++) {
        lab_access_t a = {.op = {i + 1 < LAUNCHES ? op : "LDG.E", NULL, "R2"},
                          .blocks = 4,
                          .threads = 64,
                          .regs = 90,
                          .mask = 0xffffffff,
                          .steps = STEPS,
                          .address = streaming,
                          .ctx = &base[i]};
        lab_access_add(s, spec, &a);
    }
    gpu_t *gpu = gpu_create(spec, 1, 0);
    run_plan_t plan = {.first = 1, .launch_ids = ids, .n_launch_ids = n_ids};
    gpu_callbacks_t callbacks = {.ctx = &last, .launch_done = keep_last};
    if (gpu_run(gpu, synth_source(s), &plan, &callbacks, &err) != RB_OK)
        fail_msg("%s", err.text);
    gpu_destroy(gpu);
    synth_destroy(s);
    return last;
}

static double misses(const launch_result_t *r)
{
    return (double)(r->l2.read_sectors - r->l2.read_hits);
}

static const uint64_t first_and_last[] = {1, 4}, all[] = {1, 2, 3, 4};
static const double data_sectors = 4 * 2 * STEPS * 4;

static void a_skipped_launch_leaves_nothing_behind_in_mode_keep(void **state)
{
    (void)state;
    gpu_spec_t spec = LAB_SPEC("v100", SMALL, "warmup.mode=keep");
    launch_result_t full = run_some(&spec, "LDG.E", all, 4);
    launch_result_t some = run_some(&spec, "LDG.E", first_and_last, 2);
    lab_assert_equal(misses(&full), 0, "misses after the launch before");
    lab_assert_equal(misses(&some), data_sectors, "misses after another launch");
}

static void a_flushed_l2_holds_nothing(void **state)
{
    (void)state;
    gpu_spec_t spec = LAB_SPEC("v100", SMALL, "warmup.mode=flush");
    launch_result_t full = run_some(&spec, "LDG.E", all, 4);
    launch_result_t some = run_some(&spec, "LDG.E", first_and_last, 2);
    lab_assert_equal(misses(&full), data_sectors, "misses");
    lab_assert_equal(misses(&some), data_sectors, "misses of a sampled run");
}

static void a_functional_warmup_stands_for_the_launches_before(void **state)
{
    (void)state;
    gpu_spec_t spec = LAB_SPEC("v100", SMALL, "warmup.mode=functional");
    launch_result_t some = run_some(&spec, "TEX", first_and_last, 2);
    lab_assert_equal(misses(&some), 0, "misses after texture fetches");
    some = run_some(&spec, "LDG.E", first_and_last, 2);
    lab_assert_equal(misses(&some), 0, "misses");
    launch_result_t full = run_some(&spec, "LDG.E", all, 4);
    lab_assert_near((double)launch_result_cycles(&some), (double)launch_result_cycles(&full), 0.002,
                    "cycles of a sampled run");
}

static void only_as_many_launches_are_looked_at_as_are_asked_for(void **state)
{
    (void)state;
    static const uint64_t second[] = {2}, third[] = {3};
    gpu_spec_t spec = LAB_SPEC("v100", SMALL, "warmup.mode=functional", "warmup.launches=1");
    launch_result_t r = run_some(&spec, "LDG.E", second, 1);
    assert_true(misses(&r) <= (double)r.l2.inst_sectors); /* code fetched ahead of its end */
    r = run_some(&spec, "LDG.E", third, 1);               /* which reads other data */
    assert_true(misses(&r) >= data_sectors);
}

static void stores_and_atomics_leave_dirty_data(void **state)
{
    (void)state;
    static const char *const ops[] = {"STG.E", "RED.E.ADD.STRONG.GPU", "SUST"};
    gpu_spec_t spec = LAB_SPEC("v100", SMALL, "warmup.mode=functional", "warmup.launches=1");
    for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
        launch_result_t r = run_some(&spec, ops[i], first_and_last, 2);
        assert_true(misses(&r) < data_sectors);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_skipped_launch_leaves_nothing_behind_in_mode_keep),
        cmocka_unit_test(a_flushed_l2_holds_nothing),
        cmocka_unit_test(a_functional_warmup_stands_for_the_launches_before),
        cmocka_unit_test(only_as_many_launches_are_looked_at_as_are_asked_for),
        cmocka_unit_test(stores_and_atomics_leave_dirty_data),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
