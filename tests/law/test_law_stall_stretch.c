/*
 * Law of stall counts beside a latency that the compiler did not know (sm.compiled_for): an instruction
 * that reads the result issues as many cycles after it as a compiler keeps at least, plus the difference.
 */
#include "tests/support/control_lab.h"

/* Cycles of CLOCK, FADD with this stall count, a second instruction, CLOCK. */
static uint64_t elapsed(const gpu_spec_t *spec, unsigned stall, const char *second, const char *src)
{
    const control_line_t code[] = {{CLOCK, STALL(2)},
                                   {"FADD", "R1", "R1 R2", STALL(stall)},
                                   {second, "R3", src, STALL(2)},
                                   {CLOCK, STALL(1)},
                                   {"EXIT", "", "", STALL(5)},
                                   {0}};
    return control_lab_elapsed(spec, code);
}

enum { BEFORE = 2, AFTER = 2, KEPT = 4, CROSSES = 1, LONGER = 6 };

static void dependents_issue_later_by_the_difference(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", ONE_SM, "lat.fp32=10");
    (void)state;
    assert_int_equal(elapsed(&spec, KEPT, "FADD", "R1 R2"), BEFORE + KEPT + LONGER + AFTER);
    assert_int_equal(elapsed(&spec, KEPT + CROSSES, "IADD3", "R1 R2"),
                     BEFORE + KEPT + CROSSES + LONGER + AFTER);
    /* Others do not wait, and neither do those that are far enough behind. */
    assert_int_equal(elapsed(&spec, KEPT, "FADD", "R4 R2"), BEFORE + KEPT + AFTER);
    assert_int_equal(elapsed(&spec, KEPT + LONGER + 1, "FADD", "R1 R2"),
                     BEFORE + KEPT + LONGER + 1 + AFTER);
}

static void nothing_else_stretches_stall_counts(void **state)
{
    gpu_spec_t same = LAB_SPEC("v100", ONE_SM);
    gpu_spec_t shorter = LAB_SPEC("v100", ONE_SM, "lat.fp32=2");
    gpu_spec_t off = LAB_SPEC("v100", ONE_SM, "lat.fp32=10", "sm.compiled_for=none");
    (void)state;
    assert_int_equal(elapsed(&same, KEPT, "FADD", "R1 R2"), BEFORE + KEPT + AFTER);
    assert_int_equal(elapsed(&same, 2, "FADD", "R1 R2"), BEFORE + 2 + AFTER);
    assert_int_equal(elapsed(&shorter, KEPT, "FADD", "R1 R2"), BEFORE + KEPT + AFTER);
    assert_int_equal(elapsed(&off, KEPT, "FADD", "R1 R2"), BEFORE + KEPT + AFTER);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dependents_issue_later_by_the_difference),
        cmocka_unit_test(nothing_else_stretches_stall_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
