/*
 * Laws of the operand stage of code with control words: ports of the register banks, and the operand
 * cache that the reuse flags fill. Clock reads show when the next instruction issues.
 */
#include "tests/support/emulator/control_lab.h"

#define FULL_RATE ONE_SM, "sm.fp32_lanes=32", "sm.int_lanes=32"

/* Cycles of two FFMA between two clock reads, with a pipe that accepts one per cycle. */
static uint64_t two_ffma(const char *second, unsigned reuse, const char *sources)
{
    gpu_spec_t spec = LAB_SPEC("v100", FULL_RATE);
    const control_line_t code[] = {{CLOCK, STALL(1)},
                                   {"NOP", "", "", STALL(1)},
                                   {"FFMA", "R11", sources, 1, false, NONE, NONE, 0, reuse, 0},
                                   {"FFMA", "R13", second, STALL(1)},
                                   {"NOP", "", "", STALL(1)},
                                   {CLOCK, STALL(1)},
                                   {"EXIT", "", "", STALL(5)},
                                   {0}};

    return control_lab_elapsed(&spec, code);
}

/* Huerta 2025, listing 1: 5, 6 and 7 cycles with zero, one and two additional operands in the
 * bank that the previous instruction reads three times. */
static void reads_of_one_bank_wait_for_its_port(void **state)
{
    (void)state;
    assert_int_equal(two_ffma("R16 R19 R21", 0, "R10 R12 R14"), 5);
    assert_int_equal(two_ffma("R16 R18 R21", 0, "R10 R12 R14"), 6);
    assert_int_equal(two_ffma("R16 R18 R20", 0, "R10 R12 R14"), 7);
}

/* A reused operand needs no port, if it is read through the same slot. */
static void the_operand_cache_saves_ports(void **state)
{
    (void)state;
    assert_int_equal(two_ffma("R10 R18 R20", 0, "R10 R12 R14"), 7);
    assert_int_equal(two_ffma("R10 R18 R20", 1, "R10 R12 R14"), 6);
    assert_int_equal(two_ffma("R10 R12 R20", 3, "R10 R12 R14"), 5);
    assert_int_equal(two_ffma("R18 R10 R20", 1, "R10 R12 R14"), 7); /* another slot */
}

/* Cycles of three FFMA, of which the first one may keep R10, which the third one reads. */
static uint64_t three_ffma(const char *second, unsigned reuse)
{
    gpu_spec_t spec = LAB_SPEC("v100", FULL_RATE);
    const control_line_t code[] = {
        {CLOCK, STALL(1)},
        {"NOP", "", "", STALL(1)},
        {"FFMA", "R11", "R10 R13 R15", 1, false, NONE, NONE, 0, reuse, 0},
        {"FFMA", "R13", second, STALL(1)},
        {"FFMA", "R15", "R10 R18 R20", STALL(1)},
        {"FFMA", "R17", "R22 R24 R26", STALL(1)},
        {"NOP", "", "", STALL(1)},
        {CLOCK, STALL(1)},
        {"EXIT", "", "", STALL(5)},
        {0}};

    return control_lab_elapsed(&spec, code);
}

/* It is kept until the next read of that bank through that slot. */
static void a_kept_operand_is_lost_to_the_next_one_in_its_place(void **state)
{
    (void)state;
    for (unsigned other = 0; other <= 2; other += 2) { /* with or without keeping R13 */
        assert_int_equal(three_ffma("R16 R18 R21", other | 1), three_ffma("R16 R18 R21", other));
        assert_int_equal(three_ffma("R17 R18 R21", other | 1),
                         three_ffma("R17 R18 R21", other) - 1);
    }
}

/* Whether or not the operand cache holds anything. */
static void a_register_that_is_named_twice_is_read_once(void **state)
{
    (void)state;
    for (unsigned reuse = 0; reuse < 2; reuse++) {
        assert_int_equal(two_ffma("R16 R18 R20", reuse, "R10 R12 R14"), 7);
        assert_int_equal(two_ffma("R16 R18 R18", reuse, "R10 R12 R14"), 6);
        assert_int_equal(two_ffma("R18 R16 R18", reuse, "R10 R12 R14"), 6);
        assert_int_equal(two_ffma("R18 R18 R18", reuse, "R10 R12 R14"), 5);
    }
}

/* Cycles that n more FFMA with these sources take. */
static uint64_t more_ffma(const gpu_spec_t *spec, const char *sources, unsigned reuse, unsigned n)
{
    enum { MOST = 64 };
    uint64_t took[2];

    assert_true(2 * n <= MOST);
    for (unsigned twice = 1; twice <= 2; twice++) {
        control_line_t code[MOST + 4] = {{CLOCK, STALL(2)}};
        unsigned i = 1;

        while (i <= twice * n)
            code[i++] = (control_line_t){"FFMA", "R6", sources, 1, false, NONE, NONE, 0, reuse, 0};
        code[i++] = (control_line_t){CLOCK, STALL(1)};
        code[i++] = (control_line_t){"EXIT", "", "", STALL(5)};
        code[i] = (control_line_t){0};
        took[twice - 1] = control_lab_elapsed(spec, code);
    }
    return took[1] - took[0];
}

/* Jia 2019, figure 3.10: an FFMA stream slows down only if all three sources share a bank. */
static void an_ffma_with_three_sources_of_one_bank_takes_a_cycle_longer(void **state)
{
    gpu_spec_t spec = LAB_SPEC("v100", ONE_SM);
    enum { N = 32 };
    static const struct {
        const char *sources;
        unsigned reuse, cycles;
    } rows[] = {{"R97 R99 R1", 0, 3}, {"R97 R99 R2", 0, 2}, {"R98 R99 R1", 0, 2},
                {"R98 R99 R2", 0, 2}, {"R97 R99 R1", 3, 2}, {"R96 R98 R2", 0, 3}};

    (void)state;
    for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++)
        assert_int_equal(more_ffma(&spec, rows[r].sources, rows[r].reuse, N), N * rows[r].cycles);
}

/* A bank that serves 2 n registers in two cycles has n ports: an FFMA with three sources of one bank
 * takes three cycles with one port, one and a half with two, one with three. */
static void a_bank_has_half_as_many_ports_as_reads_in_two_cycles(void **state)
{
    enum { N = 32, SOURCES = 3 };
    gpu_spec_t spec = LAB_SPEC("v100", FULL_RATE);

    (void)state;
    for (uint32_t reads = 1; reads <= 8; reads++) {
        uint32_t ports = reads < 4 ? 1 : reads / 2;

        spec.sm.sm.rf_bank_reads = reads;
        assert_int_equal(more_ffma(&spec, "R16 R18 R20", 0, N),
                         ports < SOURCES ? N * SOURCES / ports : N);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_of_one_bank_wait_for_its_port),
        cmocka_unit_test(the_operand_cache_saves_ports),
        cmocka_unit_test(a_kept_operand_is_lost_to_the_next_one_in_its_place),
        cmocka_unit_test(a_register_that_is_named_twice_is_read_once),
        cmocka_unit_test(an_ffma_with_three_sources_of_one_bank_takes_a_cycle_longer),
        cmocka_unit_test(a_bank_has_half_as_many_ports_as_reads_in_two_cycles),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
