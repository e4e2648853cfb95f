/*
 * Warp slots that are first used very late behave as at first. The tables of a scoreboard hold cycles
 * modulo 2^29, and those of a warp slot are made when a warp first needs them.
 */
#include "tests/support/sim/lab.h"

enum { SLEEP_NS = 1000000, SLEEPS = 240, CHAIN = 60 };

static void sleep_body(synth_warp_t *w, const void *ctx)
{
    const unsigned sleeps = *(const unsigned *)ctx;

    for (unsigned i = 0; i < sleeps; i++)
        synth_emit(w, 0, (uint32_t)LAB_FULL);
    synth_emit(w, 1, (uint32_t)LAB_FULL);
}

static void chain_body(synth_warp_t *w, const void *ctx)
{
    (void)ctx;
    synth_emit_span(w, 0, CHAIN + 1);
}

/* Warps sleep for the given milliseconds each, then an SM full of warps computes. Returns the cycles
 * of the second launch. */
static cycle_t cycles_after(const unsigned *sleeps)
{
    gpu_spec_t spec = LAB_SPEC("v100", "sm.count=1", "icache.perfect=true", "dram.perfect=true",
                               "tlb.perfect=true");
    synth_t *s = synth_create();
    synth_kernel_t *first = synth_kernel_create(
        s, "sleep", &(synth_shape_t){.arch = 70, .grid = {1}, .block = {32}, .regs = 16});
    synth_kernel_t *second = synth_kernel_create(
        s, "chain", &(synth_shape_t){.arch = 70, .grid = {2}, .block = {1024}, .regs = 16});
    lab_results_t r;

    synth_code_imm(first, "NANOSLEEP", SLEEP_NS);
    synth_code(first, "EXIT", "", "");
    synth_kernel_body(first, sleep_body, sleeps);
    for (unsigned i = 0; i < CHAIN; i++)
        synth_code(second, "IADD3", "R2", "R2 R3");
    synth_code(second, "EXIT", "", "");
    synth_kernel_body(second, chain_body, NULL);
    lab_run(&spec, synth_source(s), 1, 0, &r);
    synth_destroy(s);
    assert_int_equal(r.n, 2);
    assert_true(launch_result_cycles(&r.launch[0]) >
                *sleeps * (uint64_t)(spec.gpu.clock_mhz * (SLEEP_NS / 1000) * 0.99));
    return launch_result_cycles(&r.launch[1]);
}

static void slots_used_late_are_like_new_ones(void **state)
{
    static const unsigned once = 1, long_enough = SLEEPS; /* more than 2^28 cycles */

    (void)state;
    assert_int_equal(cycles_after(&long_enough), cycles_after(&once));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slots_used_late_are_like_new_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
