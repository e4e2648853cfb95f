/* Laws of waits with more than one reason: which of their states the cycles are charged to. */
#include "tests/support/sim/lab.h"

#define NO_FETCH "sm.count=1", "icache.perfect=true", "const.perfect=true"

enum { WARP = 32 };

/* --- results of several memories ------------------------------------------------------------- */

static void two_loads_body(synth_warp_t *w, const void *ctx)
{
    const uint64_t global = 0x7f0000000000;

    (void)ctx;
    synth_emit_affine(w, 0, 1, 0, 0);
    synth_emit_affine(w, 1, 1, global, 0);
    synth_emit_span(w, 2, 2);
}

/* A load from shared and one from global memory, and an instruction that waits for both. */
static launch_result_t wait_for_two_loads(const gpu_spec_t *spec, const char *sources)
{
    synth_t *s = synth_create();
    synth_kernel_t *k = synth_kernel_create(
        s, "two_loads",
        &(synth_shape_t){.arch = spec->gpu.arch, .block = {1}, .regs = 32, .shared = 1024});

    synth_code(k, "LDS.U", "R4", "R2");
    synth_code(k, "LDG.E.SYS", "R5", "R2");
    synth_code(k, "FADD", "R6", sources);
    synth_code(k, "EXIT", "", "");
    synth_kernel_body(k, two_loads_body, NULL);
    return lab_run_one(spec, s);
}

/* The longer wait counts, also while the result of the other load is due as well. */
static void a_wait_for_both_memories_is_long_scoreboard(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", NO_FETCH);
    launch_result_t first = wait_for_two_loads(&spec, "R4 R5");
    launch_result_t second = wait_for_two_loads(&spec, "R5 R4");

    (void)state;
    assert_int_equal(lab_state(&first, STATE_SHORT_SCOREBOARD), 0);
    assert_int_equal(lab_state(&second, STATE_SHORT_SCOREBOARD), 0);
    assert_int_equal(lab_state(&first, STATE_LONG_SCOREBOARD),
                     lab_state(&second, STATE_LONG_SCOREBOARD));
    assert_true(lab_state(&first, STATE_LONG_SCOREBOARD) > spec.sm.l1.latency);
}

/* --- a pipe that sub-cores share ------------------------------------------------------------- */

/*
 * A warp on each of two sub-cores executes n instructions of the shared FP64 pipe, which takes one
 * per cycle, but whose operands take four cycles longer to read (three of a bank that serves one in
 * two cycles). The warps take turns: between two of its instructions, a warp waits four cycles for
 * its own operands, one because the other warp is first, and four for the operands of that warp.
 */
static void a_shared_pipe_is_busy_and_its_operands_are_late_for_all_sub_cores(void **state)
{
    enum { N = 20, OPERANDS = 4 };
    gpu_spec_t spec =
        LAB_SPEC("t4", NO_FETCH, "sm.fp64_shared=true", "sm.fp64_lanes=32", "sm.sub_cores=2",
                 "sm.max_warps=32", "sm.rf_bank_reads=1", "lat.fp64_fma=1");
    const lab_op_t ops[] = {{"DFMA", "R20", "R6 R8 R10"}, {"DFMA", "R22", "R6 R8 R10"}};
    launch_result_t r = lab_straight(&spec, 1, 2 * WARP, ops, 2, N / 2);

    (void)state;
    assert_int_equal(lab_state(&r, STATE_MATH_PIPE_THROTTLE), 1 + 2 * (N - 1));
    assert_int_equal(lab_state(&r, STATE_DISPATCH_STALL), OPERANDS + (N - 1) * 4 * OPERANDS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wait_for_both_memories_is_long_scoreboard),
        cmocka_unit_test(a_shared_pipe_is_busy_and_its_operands_are_late_for_all_sub_cores),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
