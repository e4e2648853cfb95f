/*
 * Laws of the perfect and ideal variants: removing a limit never makes a program slower, and
 * removing all limits reaches the lower bound of a machine of this width.
 */
#include <stdio.h>

#include "tests/support/mix.h"
#include "tests/support/sim/lab.h"

/* Warps issue in turn, because strict priority amplifies accidental overtaking. Constants miss
 * only once, and this must be visible. */
#define SMALL                                                                                      \
    "sm.count=6", "mem.partitions=8", "l2.slices=8", "l2.size=768KiB", "gpu.launch_latency=500",   \
        "sched.completion_latency=120", "sm.scheduler=lrr", "const.l2_latency=2000"

/*
 * Removing a limit lets one warp overtake another, which can cost a short launch a few cycles
 * elsewhere (a scheduling anomaly). The program as a whole may not become slower.
 */
/* The cycles of the launches, without and with the setting, for one time between two blocks. */
static void compare(const char *what, const char *setting, unsigned dispatch, uint64_t sum[2])
{
    static lab_results_t real, better;
    gpu_spec_t spec = LAB_SPEC("v100", SMALL);
    gpu_spec_t perfect = LAB_SPEC("v100", SMALL, setting);
    synth_t *s = mix_create(2);

    spec.sched.dispatch_latency = dispatch;
    perfect.sched.dispatch_latency = dispatch;
    lab_run(&spec, synth_source(s), 1, 0, &real);
    lab_run(&perfect, synth_source(s), 1, 0, &better);
    synth_destroy(s);
    assert_int_equal(real.n, better.n);
    for (size_t i = 0; i < real.n; i++) {
        uint64_t x = launch_result_cycles(&real.launch[i]);
        uint64_t y = launch_result_cycles(&better.launch[i]);

        sum[0] += x;
        sum[1] += y;
        if ((double)y > 1.1 * (double)x)
            fail_msg("%s: launch %zu takes %llu instead of %llu cycles", what, i + 1,
                     (unsigned long long)y, (unsigned long long)x);
        assert_int_equal(real.launch[i].warp_insts, better.launch[i].warp_insts);
        assert_int_equal(real.launch[i].thread_insts, better.launch[i].thread_insts);
        assert_int_equal(lab_state_sum(&better.launch[i].sm), better.launch[i].warp_slot_cycles);
    }
}

/* Small launches change with the order of their blocks by more than some limits cost, so runs
 * with several times between two blocks are summed up. */
static void check_faster(const char *what, const char *setting)
{
    uint64_t sum[2] = {0, 0};

    for (unsigned dispatch = 100; dispatch <= 140; dispatch += 10)
        compare(what, setting, dispatch, sum);
    if (sum[1] > sum[0])
        fail_msg("%s: %llu instead of %llu cycles", what, (unsigned long long)sum[1],
                 (unsigned long long)sum[0]);
    /* The program uses every part, so a variant that changes nothing is not implemented. */
    assert_true(sum[1] < sum[0]);
}

static void a_perfect_l1_is_never_slower(void **state)
{
    (void)state;
    check_faster("perfect L1", "l1.perfect=true");
}

static void a_perfect_l2_is_never_slower(void **state)
{
    (void)state;
    check_faster("perfect L2", "l2.perfect=true");
}

static void a_perfect_dram_is_never_slower(void **state)
{
    (void)state;
    check_faster("perfect DRAM", "dram.perfect=true");
}

static void a_perfect_interconnect_is_never_slower(void **state)
{
    (void)state;
    check_faster("perfect interconnect", "icnt.perfect=true");
}

static void a_perfect_instruction_cache_is_never_slower(void **state)
{
    (void)state;
    check_faster("perfect instruction cache", "icache.perfect=true");
}

static void a_perfect_constant_cache_is_never_slower(void **state)
{
    (void)state;
    check_faster("perfect constant cache", "const.perfect=true");
}

static void an_ideal_sm_is_never_slower(void **state)
{
    (void)state;
    check_faster("ideal SM", "sm.ideal=true");
}

/* No sub-core issues more than one instruction per cycle, ideal or not. */
static void an_ideal_sm_still_issues_one_instruction_per_sub_core_and_cycle(void **state)
{
    static lab_results_t r;
    gpu_spec_t spec = LAB_SPEC("v100", SMALL, "sm.ideal=true");
    synth_t *s = mix_create(2);

    (void)state;
    lab_run(&spec, synth_source(s), 1, 0, &r);
    synth_destroy(s);
    for (size_t i = 0; i < r.n; i++) {
        uint64_t work = launch_result_cycles(&r.launch[i]) - r.launch[i].launch_cycles;

        assert_true(r.launch[i].warp_insts <= work * spec.sm.sm.count * spec.sm.sm.sub_cores);
        assert_int_equal(r.launch[i].l2.requests, 0);
        assert_int_equal(r.launch[i].dram.read_sectors, 0);
    }
}

/* Monotonicity: more of a resource does not slow down a program that is limited by it. */
static uint64_t cycles_with(const char *setting)
{
    static lab_results_t r;
    gpu_spec_t spec = LAB_SPEC("v100", SMALL, setting);
    synth_t *s = mix_create(4);
    uint64_t sum = 0;

    lab_run(&spec, synth_source(s), 1, 0, &r);
    synth_destroy(s);
    for (size_t i = 0; i < r.n; i++)
        sum += launch_result_cycles(&r.launch[i]);
    return sum;
}

static void more_sms_take_less_time(void **state)
{
    (void)state;
    assert_true(cycles_with("sm.count=12") < cycles_with("sm.count=6"));
    assert_true(cycles_with("sm.count=6") < cycles_with("sm.count=3"));
}

static void a_slower_l2_takes_more_time(void **state)
{
    (void)state;
    assert_true(cycles_with("l2.latency=300") > cycles_with("l2.latency=100"));
}

static void a_slower_dram_takes_more_time(void **state)
{
    (void)state;
    assert_true(cycles_with("dram.clock_mhz=100") > cycles_with("dram.clock_mhz=800"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_perfect_l1_is_never_slower),
        cmocka_unit_test(a_perfect_l2_is_never_slower),
        cmocka_unit_test(a_perfect_dram_is_never_slower),
        cmocka_unit_test(a_perfect_interconnect_is_never_slower),
        cmocka_unit_test(a_perfect_instruction_cache_is_never_slower),
        cmocka_unit_test(a_perfect_constant_cache_is_never_slower),
        cmocka_unit_test(an_ideal_sm_is_never_slower),
        cmocka_unit_test(an_ideal_sm_still_issues_one_instruction_per_sub_core_and_cycle),
        cmocka_unit_test(more_sms_take_less_time),
        cmocka_unit_test(a_slower_l2_takes_more_time),
        cmocka_unit_test(a_slower_dram_takes_more_time),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
