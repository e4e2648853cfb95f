/*
 * Laws of clock reads: a kernel that times itself measures the cycles of the model.
 */
#include "tests/support/sim/clock_lab.h"

#define ONE_SM "sm.count=1", "icache.perfect=true", "const.perfect=true"

enum { CHAIN = 5 };

static void whole_code(synth_warp_t *w, const void *ctx)
{
    synth_emit_span(w, 0, *(const unsigned *)ctx);
}

/* A clock read, a chain of FADD, a clock read. */
static synth_t *chain_between(const gpu_spec_t *spec, const char *clock, uint32_t blocks,
                              uint32_t threads)
{
    static unsigned n;
    synth_t *s = synth_create();
    synth_kernel_t *k = synth_kernel_create(
        s, "timed", &(synth_shape_t){.arch = spec->gpu.arch, .grid = {blocks}, .block = {threads}});

    synth_inst(k, synth_code(k, clock, "R8", ""))->flags |= INST_CLOCK;
    for (unsigned i = 0; i < CHAIN; i++)
        synth_code(k, "FADD", "R1", "R1 R2");
    synth_inst(k, synth_code(k, clock, "R10", ""))->flags |= INST_CLOCK;
    synth_code(k, "CS2R", "R12", ""); /* CS2R R12, SRZ: no clock */
    n = synth_code(k, "EXIT", "", "") + 1;
    synth_kernel_body(k, whole_code, &n);
    return s;
}

/* From the first read over the chain's issues to the second: 1 + (CHAIN - 1) latencies + 1. */
static void a_chain_between_two_clock_reads_takes_its_latencies(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", ONE_SM);
    const char *const clocks[] = {"CS2R", "S2R"};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        clock_lab_t t = clock_lab_run(&spec, chain_between(&spec, clocks[i], 1, 32), 1, 0, true);

        assert_int_equal(t.n, 2);
        assert_int_equal(t.read[1].cycle - t.read[0].cycle, 2 + (CHAIN - 1) * spec.sm.lat.fp32);
        assert_int_equal(t.read[0].pc, 0);
        assert_int_equal(t.read[1].pc, 16 * (CHAIN + 1));
        assert_true(t.read[1].cycle < launch_result_cycles(&t.result));
    }
}

/* An S2R reads when the load/store unit takes it, not when it issues. */
static void s2r_reads_the_clock_later_than_cs2r(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", ONE_SM);
    clock_lab_t early = clock_lab_run(&spec, chain_between(&spec, "CS2R", 1, 32), 1, 0, true);
    clock_lab_t late = clock_lab_run(&spec, chain_between(&spec, "S2R", 1, 32), 1, 0, true);

    (void)state;
    assert_int_equal(late.read[0].cycle - early.read[0].cycle, spec.sm.sm.mem_issue_latency);
}

static void reads_come_by_block_warp_and_time_for_any_threads_and_window(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", "sm.count=4");
    clock_lab_t one = clock_lab_run(&spec, chain_between(&spec, "CS2R", 6, 96), 1, 0, true);
    clock_lab_t other = clock_lab_run(&spec, chain_between(&spec, "CS2R", 6, 96), 3, 1, true);

    (void)state;
    assert_int_equal(one.n, 6 * 3 * 2);
    for (size_t i = 0; i < one.n; i++) {
        assert_int_equal(one.read[i].block, i / 6);
        assert_int_equal(one.read[i].warp, i / 2 % 3);
        assert_int_equal(one.read[i].pc, i % 2 == 0 ? 0 : 16 * (CHAIN + 1));
    }
    assert_int_equal(other.n, one.n);
    assert_memory_equal(other.read, one.read, one.n * sizeof(one.read[0]));
}

static void looking_at_the_clock_changes_nothing(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", "sm.count=4");
    clock_lab_t with = clock_lab_run(&spec, chain_between(&spec, "S2R", 6, 96), 1, 0, true);
    clock_lab_t without = clock_lab_run(&spec, chain_between(&spec, "S2R", 6, 96), 1, 0, false);

    (void)state;
    assert_int_equal(without.n, 0);
    assert_int_equal(launch_result_cycles(&with.result), launch_result_cycles(&without.result));
    assert_memory_equal(&with.result.sm, &without.result.sm, sizeof(with.result.sm));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain_between_two_clock_reads_takes_its_latencies),
        cmocka_unit_test(s2r_reads_the_clock_later_than_cs2r),
        cmocka_unit_test(reads_come_by_block_warp_and_time_for_any_threads_and_window),
        cmocka_unit_test(looking_at_the_clock_changes_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
