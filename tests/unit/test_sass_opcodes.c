/*
 * Every instruction that the emulator executes, with every modifier, against C functions; and that
 * none is missing.
 */
#include "tests/support/op_cases.h"
#include "tests/support/op_lab.h"
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
