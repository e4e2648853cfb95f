/* Estimated counters: values in an index replace them, and impossible values are cut off. */
#include "tests/support/test.h"

#include <string.h>

#include "sim/gpu/sampled/known_counts.h"
#include "tests/support/trace/spec_load.h"

static gpu_spec_t spec;

static int load(void **state)
{
    static const char *const small[] = {"sm.count=4", NULL};
    rb_err_t err = {0};
    (void)state;
    return spec_load(&spec, "v100", small, &err) == RB_OK ? 0 : -1;
}

static uint64_t sectors_of(const gpu_counters_t *c)
{
    return c->sm.global_load_sectors + c->sm.global_store_sectors + c->l2.atomic_sectors +
           c->l2.red_sectors;
}

static void known_sums_are_exact_and_keep_their_shares(void **state)
{
    (void)state;
    gpu_counters_t c = {.sm = {.warp_insts = 90,
                               .mix_fp32 = 55,
                               .global_load_sectors = 200,
                               .global_load_hits = 100,
                               .global_store_sectors = 100,
                               .global_load_requests = 60,
                               .atomic_requests = 1,
                               .shared_atomic_requests = 3},
                        .l2 = {.red_sectors = 33, .red_hits = 33}};
    launch_counts_t known = {.blocks = 7,
                             .warp_insts = 1000,
                             .thread_insts = 31000,
                             .requests = 500,
                             .atomics = 41,
                             .global_sectors = 1001,
                             .local_sectors = 12};
    known.insts[OP_FP32] = 700;
    known.insts[OP_LOAD_LG] = 50;
    known.insts[OP_STORE_LG] = 250;
    known_counts_set(&c, &spec, &known);
    assert_int_equal(c.sm.blocks, 7);
    assert_int_equal(c.sm.warp_insts, 1000);
    assert_int_equal(c.sm.thread_insts, 31000);
    assert_int_equal(c.sm.mix_fp32, 700);
    assert_int_equal(c.sm.mix_load, 50);
    assert_int_equal(c.sm.l1_tags, 500);
    assert_int_equal(sectors_of(&c), 1001);
    assert_int_equal(c.sm.global_store_sectors, 1001 * 100 / 333);
    assert_true(c.sm.global_load_sectors >= 601 && c.sm.global_load_sectors <= 603);
    assert_int_equal(c.sm.global_load_hits, c.sm.global_load_sectors / 2);
    assert_int_equal(c.l2.red_hits, c.l2.red_sectors);
    assert_int_equal(c.sm.local_load_sectors, 12); /* no loads were simulated */
    assert_int_equal(c.sm.global_load_requests, 50);
    assert_int_equal(c.sm.atomic_requests + c.sm.shared_atomic_requests, 41);
    assert_int_equal(c.sm.atomic_requests, 10);
}

static void what_cannot_be_is_cut_off(void **state)
{
    (void)state;
    enum { CYCLES = 1000, SMS = 4 };
    const uint64_t slots = spec.sm.sm.max_warps;
    gpu_counters_t c = {.sm = {.active_cycles = 2 * SMS * CYCLES,
                               .state_selected = 2 * SMS * CYCLES,
                               .state_wait = 2 * SMS * CYCLES * (slots - 1),
                               .l1_stall_mshr = 600,
                               .l1_data_busy = 5000,
                               .global_load_sectors = 9,
                               .global_load_hits = 10,
                               .warp_insts = 10,
                               .thread_insts = 321,
                               .branches = 4,
                               .branches_uniform = 5},
                        .l2 = {.read_sectors = 3, .read_hits = 4}};
    known_counts_limit(&c, &spec, CYCLES);
    assert_int_equal(c.sm.active_cycles, SMS * CYCLES);
    assert_int_equal(c.sm.state_selected, SMS * CYCLES);
    assert_int_equal(c.sm.state_wait, SMS * CYCLES * (slots - 1));
    assert_int_equal(c.sm.l1_stall_mshr, 300);
    assert_int_equal(c.sm.l1_data_busy, SMS * CYCLES);
    assert_int_equal(c.sm.global_load_hits, 9);
    assert_int_equal(c.sm.thread_insts, 320);
    assert_int_equal(c.sm.branches_uniform, 4);
    assert_int_equal(c.l2.read_hits, 3);
    /* Possible values do not change. */
    gpu_counters_t same = c;
    known_counts_limit(&c, &spec, CYCLES);
    assert_memory_equal(&c, &same, sizeof(c));
    /* More warps than slots, while the SMs were active. */
    c.sm.state_wait *= 2;
    known_counts_limit(&c, &spec, CYCLES);
    assert_true(c.sm.state_selected + c.sm.state_wait <= SMS * CYCLES * slots);
}

static void schedulers_issue_one_a_cycle(void **state)
{
    (void)state;
    const uint64_t rate = 4 * spec.sm.sm.sub_cores;
    assert_int_equal(known_counts_least_cycles(&spec, 0), 0);
    assert_int_equal(known_counts_least_cycles(&spec, 1), 1);
    assert_int_equal(known_counts_least_cycles(&spec, 10 * rate), 10);
    assert_int_equal(known_counts_least_cycles(&spec, 10 * rate + 1), 11);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_sums_are_exact_and_keep_their_shares),
        cmocka_unit_test(what_cannot_be_is_cut_off),
        cmocka_unit_test(schedulers_issue_one_a_cycle),
    };
    return cmocka_run_group_tests(tests, load, NULL);
}
