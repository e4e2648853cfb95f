/* rubato validate: microbenchmarks against published measurements, as table, JSON, CSV and page. */
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/support/tool/cli_child.h"
#include "tests/support/tool/json_check.h"

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
    assert_non_null(
        strstr(out, "\nevidence: 0 pass, 0 fail; without a gate: 0 within, 0 beyond\n"));
    assert_non_null(
        strstr(out, "\ncalibration: 3 pass, 0 fail; without a gate: 0 within, 0 beyond;"));
    assert_non_null(
        strstr(t4, "C1.ffma              4         4     +0.00        0  pass      calibration  "));
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
    assert_non_null(strstr(csv, ",calibration,lat.fp32\n"));
    assert_true(json_is(json, "gpus.0.calibration.pass", "3"));
    assert_true(json_is(json, "gpus.0.evidence.pass", "0"));
    assert_true(json_is(json, "gpus.0.tests.0.kind", "\"calibration\""));
    assert_true(json_is(json, "gpus.0.tests.0.calibrates", "\"lat.fp32\""));
    assert_non_null(strstr(page, "dependent FFMA"));
    assert_non_null(strstr(page, "\"calibration\""));
    free(json);
    free(file);
    free(csv);
    free(page);
}

static void curves_have_a_point_for_each_size(void **state)
{
    (void)state;
    char *json = output(4, WORDS("validate", "--short", "--suite", "M11", "-g", "v100", "--json"));
    assert_null(json_check(json));
    assert_non_null(strstr(json, "\"point\": "));
    free(json);
    char *out = output(4, WORDS("validate", "--short", "--suite", "M11", "-g", "v100"));
    assert_non_null(strstr(out, "worst of "));
    free(out);
}

/* One listing with a measured value of each kind, and one that names no setting of the model. */
static void rows_are_evidence_unless_they_say_what_they_calibrate(void **state)
{
    (void)state;
    static const char kernel[] = ".kernel k\nEXIT\n.test K1 \"a\"\n.harness \"h\"\n.run k\n"
                                 ".value \"sm.warp_insts\" n\n.expect v100,t4 1 +-0 \"s\"\n";
    char text[512];
    char *before = getenv("RUBATO_SILICON");
    before = before != NULL ? strdup(before) : NULL;
    assert_int_equal(mkdir("listings", 0700), 0);
    snprintf(text, sizeof(text), "%s.calibrates t4 l2.latency,rule\n", kernel);
    cli_write("listings/a.sil", text, strlen(text));
    setenv("RUBATO_SILICON", "listings", 1);
    expect(2, "a.sil:3: K1: .calibrates: unknown setting 'rule'", WORDS("validate", "-g", "t4"));
    snprintf(text, sizeof(text), "%s.calibrates t4 l2.latency,lat.fp32\n", kernel);
    cli_write("listings/a.sil", text, strlen(text));
    char *out = output(0, WORDS("validate", "-g", "v100", "-g", "t4"));
    char *t4 = strstr(out, "(t4)");
    assert_non_null(t4);
    assert_non_null(strstr(
        t4, "\nevidence: 0 pass, 0 fail; without a gate: 0 within, 0 beyond\ncalibration: 1 pass"));
    *t4 = '\0';
    assert_non_null(strstr(
        out,
        "\nevidence: 1 pass, 0 fail; without a gate: 0 within, 0 beyond\ncalibration: 0 pass"));
    free(out);
    snprintf(text, sizeof(text), "%s.calibrates t4\n", kernel);
    cli_write("listings/a.sil", text, strlen(text));
    expect(2, "a.sil:8: GPUs and settings (or the word rule) are needed", WORDS("validate"));
    if (before != NULL)
        setenv("RUBATO_SILICON", before, 1);
    else
        unsetenv("RUBATO_SILICON");
    free(before);
}

/* No gate decides over a row of .report, but neither its mark nor the summary nor the status are clean. */
static void rows_without_a_gate_are_not_clean(void **state)
{
    (void)state;
    static const char kernel[] = ".kernel k\nEXIT\n.test K1 \"a\"\n.harness \"h\"\n.run k\n"
                                 ".value \"sm.warp_insts\" n\n";
    char text[512];
    char *before = getenv("RUBATO_SILICON");
    before = before != NULL ? strdup(before) : NULL;
    assert_true(mkdir("ungated", 0700) == 0);
    setenv("RUBATO_SILICON", "ungated", 1);
    snprintf(text, sizeof(text), "%s.report t4 4 10%% \"s\"\n.report v100 1 10%% \"s\"\n", kernel);
    cli_write("ungated/a.sil", text, strlen(text));
    char *out = output(4, WORDS("validate", "-g", "t4"));
    assert_non_null(
        strstr(out, "\n0 pass, 0 fail; without a gate: 0 within what they allow, 1 beyond"));
    assert_non_null(strstr(out, "\nwithout a gate, and beyond what they allow: K1 -75.0 %\n"));
    assert_non_null(strstr(out, "  BEYOND  "));
    free(out);
    out = output(0, WORDS("validate", "-g", "v100"));
    assert_non_null(
        strstr(out, "\n0 pass, 0 fail; without a gate: 1 within what they allow, 0 beyond"));
    free(out);
    out = output(4, WORDS("validate", "-g", "t4", "--json"));
    assert_true(json_is(out, "gpus.0.beyond", "1") && json_is(out, "gpus.0.report", "0"));
    free(out);
    snprintf(text, sizeof(text), "%s.expect t4 4 10%% \"s\"\n.report v100 4 10%% \"s\"\n", kernel);
    cli_write("ungated/a.sil", text, strlen(text));
    expect(3, NULL, WORDS("validate", "-g", "t4", "-g", "v100"));
    if (before != NULL)
        setenv("RUBATO_SILICON", before, 1);
    else
        unsetenv("RUBATO_SILICON");
    free(before);
}

/* An empty kernel takes as long as a block needs to start; a test that sets a guess says nothing about it. */
static void sensitivity_shows_which_rows_a_guess_decides(void **state)
{
    (void)state;
    static const char text[] =
        ".kernel k\nEXIT\n"
        ".test K1 \"a\"\n.harness \"h\"\n.run k\n.value \"cycles\" n\n.expect v100 1 10% \"s\"\n"
        ".test K2 \"b\"\n.harness \"h\"\n.run k\n.value \"cycles\" n\n.expect v100 1 10% \"s\"\n"
        ".set sched.dispatch_latency=119\n";
    char *before = getenv("RUBATO_SILICON");
    before = before != NULL ? strdup(before) : NULL;
    assert_int_equal(mkdir("moved", 0700), 0);
    cli_write("moved/a.sil", text, strlen(text));
    setenv("RUBATO_SILICON", "moved", 1);
    char *out = output(0, WORDS("validate", "--sensitivity", "-g", "v100", "-o", "moves"));
    char *at = strstr(out, "\nsched.dispatch_latency = 288 instead of 144\n  K1 ");
    assert_non_null(at);
    at = strchr(at + 1, '\n') + 1;
    assert_true(strncmp(strchr(at, '\n') + 1, "  K2", 4) != 0);
    assert_null(strstr(strstr(out, "change none of"), "sched.dispatch_latency"));
    assert_non_null(strstr(strstr(out, "change none of"), " tlb.pending"));
    char *csv = cli_read("moves/sensitivity.csv");
    assert_non_null(strstr(csv, "\nv100,sched.dispatch_latency,144,72,K1,evidence,"));
    assert_null(strstr(csv, "\nv100,sched.dispatch_latency,144,72,K2,"));
    assert_non_null(strstr(csv, "\nv100,tlb.pending,"));
    free(csv);
    free(out);
    if (before != NULL)
        setenv("RUBATO_SILICON", before, 1);
    else
        unsetenv("RUBATO_SILICON");
    free(before);
    expect(2, "--sensitivity has a table of its own", WORDS(CHAINS, "--sensitivity", "--json"));
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
        cmocka_unit_test(rows_are_evidence_unless_they_say_what_they_calibrate),
        cmocka_unit_test(rows_without_a_gate_are_not_clean),
        cmocka_unit_test(sensitivity_shows_which_rows_a_guess_decides),
        cmocka_unit_test(guesses_and_tests_are_listed),
        cmocka_unit_test(what_is_not_known_is_named),
    };
    return cmocka_run_group_tests(tests, cli_begin, cli_end);
}
