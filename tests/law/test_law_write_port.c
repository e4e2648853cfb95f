/*
 * Laws of write-back for code with control words: each bank of the register file has one write
 * port, and a load loses a cycle to a result of fixed latency (Huerta 2025).
 */
#include "tests/support/emulator/control_lab.h"

/* Latency of a load from shared memory, and the time from issue until a result of fixed latency
 * is read from its register. */
static unsigned load_latency(void)
{
    return LAB_SPEC("v100", ONE_SM).sm.shared.latency;
}

static unsigned written_after(unsigned latency)
{
    return latency + 1;
}

/* Cycles that write-back conflicts cost the program. */
static uint64_t cost(const control_line_t *line)
{
    gpu_spec_t spec = LAB_SPEC("v100", ONE_SM);
    uint64_t with = control_lab_elapsed(&spec, line);

    spec.sm.sm.rf_write_conflicts = false;
    return with - control_lab_elapsed(&spec, line);
}

/* A load into dst, an instruction issued this many cycles later, and a clock read that waits for
 * the load. */
static uint64_t cost_of_meeting(const char *load, const char *dst, unsigned later, const char *op,
                                const char *result)
{
    const control_line_t code[] = {{CLOCK, STALL(2)},
                                   {load, dst, "R20", later, true, 0, NONE, 0, 0, 0},
                                   {op, result, "R22 R23", STALL(1)},
                                   {CLOCK, WAITS(1, 1)},
                                   {"EXIT", "", "", STALL(5)},
                                   {0}};
    return cost(code);
}

static void a_load_loses_a_cycle_to_a_result_of_its_cycle_and_bank(void **state)
{
    unsigned meets = load_latency() - written_after(4);

    (void)state;
    assert_in_range(meets, 3, 14);
    for (unsigned later = meets - 1; later <= meets + 1; later++) {
        assert_int_equal(cost_of_meeting("LDS", "R2", later, "FADD", "R4"), later == meets);
        assert_int_equal(cost_of_meeting("LDS", "R2", later, "IADD3", "R6"), later == meets);
        assert_int_equal(cost_of_meeting("LDS", "R2", later, "FADD", "R5"), 0);
        assert_int_equal(cost_of_meeting("LDS", "R3", later, "FADD", "R5"), later == meets);
    }
}

/* The time of the other instruction's result counts, not of its issue. */
static void it_is_the_result_that_counts(void **state)
{
    unsigned meets = load_latency() - written_after(5);

    (void)state;
    assert_int_equal(cost_of_meeting("LDS", "R2", meets, "IMAD", "R4"), 1);
    assert_int_equal(cost_of_meeting("LDS", "R2", meets, "IADD3", "R4"), 0);
    assert_int_equal(cost_of_meeting("LDS", "R2", meets, "ISETP", "P0"), 0); /* no register */
}

/* A register pair has one register in each bank. */
static void a_wide_result_meets_results_of_both_banks(void **state)
{
    unsigned meets = load_latency() - written_after(4);

    (void)state;
    assert_int_equal(cost_of_meeting("LDS", "R2", meets, "IMAD.WIDE", "R4"), 0); /* after 5 */
    assert_int_equal(cost_of_meeting("LDS", "R2", meets - 1, "IMAD.WIDE", "R4"), 1);
    assert_int_equal(cost_of_meeting("LDS", "R3", meets - 1, "IMAD.WIDE", "R4"), 1);
}

/* Results in the next cycle come after the load. No result is delayed by another result of fixed
 * latency, because only stall counts decide when their consumers issue. */
static void it_loses_one_cycle_only(void **state)
{
    unsigned meets = load_latency() - written_after(5);
    const control_line_t crowd[] = {{CLOCK, STALL(2)},
                                    {"LDS", "R2", "R20", meets, true, 0, NONE, 0, 0, 0},
                                    {"IMAD", "R4", "R22 R23", STALL(1)},  /* its cycle */
                                    {"IADD3", "R6", "R22 R23", STALL(1)}, /* its cycle */
                                    {"FADD", "R8", "R22 R23", STALL(1)},  /* the next one */
                                    {"IADD3", "R4", "R22 R23", STALL(1)},
                                    {CLOCK, WAITS(1, 1)},
                                    {"EXIT", "", "", STALL(5)},
                                    {0}};
    gpu_spec_t spec = LAB_SPEC("v100", ONE_SM);
    clock_lab_t t = control_lab_run(&spec, crowd, 1);

    (void)state;
    assert_int_equal(cost(crowd), 1);
    assert_int_equal(t.result.sm.rf_write_conflicts, 1);
    assert_int_equal(lab_state_sum(&t.result.sm), t.result.warp_slot_cycles);
}

/* Each sub-core has its own registers. */
static void results_of_other_sub_cores_are_not_in_the_way(void **state)
{
    unsigned meets = load_latency() - written_after(4);
    const control_line_t code[] = {{CLOCK, STALL(2)},
                                   {"LDS", "R2", "R20", meets, true, 0, NONE, 0, 0, 0},
                                   {"FADD", "R4", "R22 R23", STALL(1)},
                                   {CLOCK, WAITS(1, 1)},
                                   {"EXIT", "", "", STALL(5)},
                                   {0}};
    gpu_spec_t spec = LAB_SPEC("v100", ONE_SM);

    (void)state;
    /* The load/store unit accepts one load per cycle, so the load of each warp comes a cycle
     * later than that of the previous warp, and only the first one meets a result, that of its
     * own warp. */
    clock_lab_t t = control_lab_run(&spec, code, spec.sm.sm.sub_cores);
    assert_int_equal(t.result.sm.rf_write_conflicts, 1);
}

/* A warp that has ended keeps its slot until its loads have been written. */
static void a_load_that_nobody_waits_for_is_written_too(void **state)
{
    unsigned meets = load_latency() - written_after(4);
    const control_line_t code[] = {{CLOCK, STALL(2)},
                                   {"LDS", "R2", "R20", meets, true, 0, NONE, 0, 0, 0},
                                   {"FADD", "R4", "R22 R23", STALL(1)},
                                   {CLOCK, STALL(1)},
                                   {"EXIT", "", "", STALL(5)},
                                   {0}};
    gpu_spec_t spec = LAB_SPEC("v100", ONE_SM);
    clock_lab_t t = control_lab_run(&spec, code, 1);

    (void)state;
    assert_int_equal(t.result.sm.rf_write_conflicts, 1);
    assert_true(lab_state(&t.result, STATE_DRAIN) > 0);
    assert_int_equal(cost(code), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_load_loses_a_cycle_to_a_result_of_its_cycle_and_bank),
        cmocka_unit_test(it_is_the_result_that_counts),
        cmocka_unit_test(a_wide_result_meets_results_of_both_banks),
        cmocka_unit_test(it_loses_one_cycle_only),
        cmocka_unit_test(results_of_other_sub_cores_are_not_in_the_way),
        cmocka_unit_test(a_load_that_nobody_waits_for_is_written_too),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
