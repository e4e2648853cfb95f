/*
 * Every instruction that the emulator executes, with every modifier, against C functions, and a
 * check that none is missing.
 */
#include "frontend/emulator/sass/sass_table.h"
#include "tests/support/emulator/op_cases.h"
#include "tests/support/emulator/op_lab.h"
#include "tests/support/test.h"

static void integer_arithmetic_is_that_of_c(void **state)
{
    (void)state;
    op_cases_integer();
}

static void logic_and_bits_are_those_of_c(void **state)
{
    (void)state;
    op_cases_logic();
}

static void comparisons_are_those_of_c(void **state)
{
    (void)state;
    op_cases_compare();
}

static void single_and_double_precision_are_those_of_c(void **state)
{
    (void)state;
    op_cases_float();
}

static void half_precision_is_that_of_c(void **state)
{
    (void)state;
    op_cases_half();
}

static void conversions_are_those_of_c(void **state)
{
    (void)state;
    op_cases_convert();
}

static void lanes_exchange_as_documented(void **state)
{
    (void)state;
    op_cases_lanes();
}

static void memory_is_changed_as_documented(void **state)
{
    (void)state;
    op_cases_memory();
}

static void tensor_cores_multiply_as_loops_do(void **state)
{
    (void)state;
    op_cases_matrix();
}

/* Opcodes (bits 0-8) that other tests try, because they are about more than one instruction. */
static const struct {
    const char *test;
    uint16_t first, last;
} elsewhere[] = {
    {"test_sass_control: BAR and its result", 0x11c, 0x11d},
    {"test_sass_control: branches, convergence, calls", 0x141, 0x156},
    {"test_sass_system: traps", 0x15c, 0x15c},
    {"test_sass_textures", 0x160, 0x170},
    {"test_sass_textures: surfaces", 0x199, 0x19e},
};

static const uint16_t refused[] = {0x15b /* KILL, of graphics */};

static bool is_elsewhere(unsigned opcode)
{
    for (size_t i = 0; i < sizeof(elsewhere) / sizeof(elsewhere[0]); i++)
        if (opcode >= elsewhere[i].first && opcode <= elsewhere[i].last)
            return true;
    return false;
}

/* After all others. */
static void no_instruction_and_no_modifier_is_left_out(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
        assert_true(op_lab_refused(refused[i] | 0x7000, 0));
    for (unsigned opcode = 0; opcode < 512; opcode++) {
        const sass_row_t *row = sass_find_row(opcode, 75);
        if (row == NULL || is_elsewhere(opcode) || opcode == refused[0])
            continue;
        if (!op_lab_tried(opcode))
            fail_msg("%s (0x%x) has no case", row->name, opcode);
        op_lab_check_modifiers(opcode);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integer_arithmetic_is_that_of_c),
        cmocka_unit_test(logic_and_bits_are_those_of_c),
        cmocka_unit_test(comparisons_are_those_of_c),
        cmocka_unit_test(single_and_double_precision_are_those_of_c),
        cmocka_unit_test(half_precision_is_that_of_c),
        cmocka_unit_test(conversions_are_those_of_c),
        cmocka_unit_test(lanes_exchange_as_documented),
        cmocka_unit_test(memory_is_changed_as_documented),
        cmocka_unit_test(tensor_cores_multiply_as_loops_do),
        cmocka_unit_test(no_instruction_and_no_modifier_is_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
