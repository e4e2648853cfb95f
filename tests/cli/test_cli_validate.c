/* rubato validate: microbenchmarks against published measurements, as table, JSON, CSV and page. */
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/cli_child.h"
#include "tests/support/json_check.h"

/* Dependent additions and the like: exact on every card. */
#define CHAINS "validate", "--short", "--suite", "C1", "-g", "v100"

static char *output(int status, const char *const *words)
{
    return cli_run_as(&rubato, status, NULL, words);
}

static void the_table_has_a_verdict_for_each_test(void **state)
{
    (void)state;
    char *out = output(0, WORDS(CHAINS, "-g", "t4"));
    const char *t4 = strstr(out, "(t4)");
    assert_true(strstr(out, "(v100)") != NULL && t4 != NULL);
    assert_non_null(strstr(out, "3 pass, 0 fail"));
    assert_non_null(strstr(t4, "C1.ffma              4         4     +0.00        0  pass"));
    free(out);
}

static void a_model_that_is_wrong_fails(void **state)
{
    (void)state;
    char *out = output(3, WORDS(CHAINS, "-s", "lat.fp32=9"));
    assert_non_null(strstr(out, "C1.ffma              4         9     +5.00        0  FAIL"));
    free(out);
}

static void json_csv_and_page_say_the_same(void **state)
{
    (void)state;
    char *json = output(0, WORDS(CHAINS, "--json"));
    assert_null(json_check(json));
    assert_true(json_is(json, "gpus.0.gpu", "\"v100\"") && json_is(json, "gpus.0.pass", "3"));
    assert_true(json_is(json, "gpus.0.tests.0.test", "\"C1.ffma\""));
    assert_true(json_number(json, "gpus.0.tests.0.points.0.simulated") == 4.0);
    expect(0, NULL, WORDS(CHAINS, "-o", "out"));
    char *file = cli_read_json("out/validation.json"), *csv = cli_read("out/validation.csv");
    char *page = cli_read("out/validation.html");
    assert_string_equal(file, json);
    assert_non_null(strstr(csv, "\nv100,C1.ffma,,4,4,cycles,0,0,pass,dependent FFMA,"));
    assert_non_null(strstr(page, "dependent FFMA"));
    free(json);
    free(file);
    free(csv);
    free(page);
}

static void curves_have_a_point_for_each_size(void **state)
{
    (void)state;
    char *json = output(0, WORDS("validate", "--short", "--suite", "M11", "-g", "v100", "--json"));
    assert_null(json_check(json));
    assert_non_null(strstr(json, "\"point\": "));
    free(json);
    char *out = output(0, WORDS("validate", "--short", "--suite", "M11", "-g", "v100"));
    assert_non_null(strstr(out, "worst of "));
    free(out);
}

static void guesses_and_tests_are_listed(void **state)
{
    (void)state;
    char *out = output(0, WORDS(CHAINS, "--guesses"));
    assert_non_null(strstr(out, "settings of the configuration are guesses:\n"));
    assert_non_null(strstr(out, "\n  sched.dispatch_interval = 1: guess: "));
    free(out);
    out = output(0, WORDS("validate", "--list"));
    assert_non_null(strstr(out, "C1.ffma      dependent FFMA, cycles"));
    free(out);
}

static void what_is_not_known_is_named(void **state)
{
    (void)state;
    expect(2, "there is no test 'Z9'", WORDS("validate", "--short", "--suite", "Z9"));
    expect(2, "unknown GPU 'nothing'", WORDS("validate", "--short", "-g", "nothing"));
    expect(2, "unknown group 'pipe'", WORDS(CHAINS, "-s", "pipe.fp32=9"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_has_a_verdict_for_each_test),
        cmocka_unit_test(a_model_that_is_wrong_fails),
        cmocka_unit_test(json_csv_and_page_say_the_same),
        cmocka_unit_test(curves_have_a_point_for_each_size),
        cmocka_unit_test(guesses_and_tests_are_listed),
        cmocka_unit_test(what_is_not_known_is_named),
    };
    return cmocka_run_group_tests(tests, cli_begin, cli_end);
}
