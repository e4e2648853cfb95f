/* rubato run -- PROGRAM: the results of recording and then running, and nothing left behind. */
#include <dirent.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/support/test.h"
#include "tests/support/tool/cli_child.h"

#define PROGRAM RUBATO_CUDA_PROGRAM, RUBATO_ROOT "/traces/cubin/vecadd.sm70.cubin", "70"
#define ADD     "--", PROGRAM, "add", "30000", "4"

static int begin(void **state)
{
    return cli_begin(state) != 0 ? -1 : mkdir("tmp", 0700);
}

/* Temporary files have been removed. */
static void assert_clean(void)
{
    DIR *dir = opendir("tmp");

    assert_non_null(dir);
    for (struct dirent *d; (d = readdir(dir)) != NULL;)
        if (d->d_name[0] != '.')
            fail_msg("tmp/%s is left", d->d_name);
    closedir(dir);
}

static void assert_same(const char *a, const char *b)
{
    cli_same_file(a, b, "launches.csv");
    cli_same_file(a, b, "stats.csv");
    assert_clean();
}

static void results_are_those_of_the_recorded_trace(void **state)
{
    (void)state;
    expect(0, NULL, WORDS("record", "-o", "a.rbt", ADD));
    expect(0, NULL, WORDS("run", "-o", "a", "a.rbt"));
    expect(0, NULL, WORDS("run", "--tmpdir", "tmp", "-o", "b", ADD));
    assert_same("a", "b");
    expect(0, NULL, WORDS("run", "-t", "1", "--tmpdir", "tmp", "-o", "c", ADD));
    assert_same("a", "c");
}

static void launches_can_be_chosen(void **state)
{
    (void)state;
    expect(0, NULL, WORDS("record", "-l", "2,4", "-o", "some.rbt", ADD));
    expect(0, NULL, WORDS("run", "-o", "d", "some.rbt"));
    expect(0, NULL, WORDS("run", "--launches", "2,4", "--tmpdir", "tmp", "-o", "e", ADD));
    assert_same("d", "e");
    expect(125, "none of --launches 7 was executed",
           WORDS("run", "--launches", "7", "--tmpdir", "tmp", ADD));
    assert_clean();
}

static void what_looks_at_launches_twice_is_spooled(void **state)
{
    (void)state;
    expect(0, NULL, WORDS("run", "--sample", "random:fraction=0.5", "-o", "f", "a.rbt"));
    expect(0, NULL,
           WORDS("run", "--sample", "random:fraction=0.5", "--tmpdir", "tmp", "-o", "g", ADD));
    assert_same("f", "g");
    expect(0, NULL, WORDS("run", "--warmup", "functional", "-o", "h", "a.rbt"));
    expect(0, NULL, WORDS("run", "--warmup", "functional", "--tmpdir", "tmp", "-o", "i", ADD));
    assert_same("h", "i");
    expect(125, "fraction", WORDS("run", "--sample", "random:fraction=7", "--tmpdir", "tmp", ADD));
    assert_clean();
}

static void a_plan_is_followed(void **state)
{
    (void)state;
    expect(0, NULL, WORDS("plan", "--sample", "random:fraction=0.5", "-o", "plan.json", "a.rbt"));
    expect(0, NULL, WORDS("record", "--plan", "plan.json", "-o", "plan.rbt", ADD));
    expect(0, NULL, WORDS("run", "-o", "j", "plan.rbt"));
    expect(
        0, NULL,
        WORDS("run", "--plan", "plan.json", "--warmup", "keep", "--tmpdir", "tmp", "-o", "k", ADD));
    assert_same("j", "k");
    /* What the plan leaves out is recorded for the warm-up. */
    expect(0, NULL, WORDS("run", "--plan", "plan.json", "-o", "l", "a.rbt"));
    expect(0, NULL, WORDS("run", "--plan", "plan.json", "--tmpdir", "tmp", "-o", "m", ADD));
    assert_same("l", "m");
}

static void status_is_the_programs(void **state)
{
    (void)state;
    expect(3, NULL, WORDS("run", "--tmpdir", "tmp", "--", PROGRAM, "add", "1000", "1", "3"));
    assert_clean();
    expect(3, NULL,
           WORDS("run", "--warmup", "functional", "--tmpdir", "tmp", "--", PROGRAM, "add", "1000",
                 "1", "3"));
    assert_clean();
}

static void failures_are_125_and_leave_nothing(void **state)
{
    (void)state;
    expect(125, "kernel vecadd, block (", WORDS("run", "--tmpdir", "tmp", "--", PROGRAM, "wild"));
    assert_clean();
    expect(125, "kernel vecadd, block (",
           WORDS("run", "--warmup", "functional", "--tmpdir", "tmp", "--", PROGRAM, "wild"));
    assert_clean();
    expect(125, "given up after", WORDS("run", "--timeout", "1e-9", "--tmpdir", "tmp", ADD));
    assert_clean();
    expect(125, "did not call the CUDA runtime", WORDS("run", "--tmpdir", "tmp", "--", "true"));
    assert_clean();
    expect(125, "No such file", WORDS("run", "--tmpdir", "tmp", "--", "./not there"));
    assert_clean();
    expect(125, "unknown setting", WORDS("run", "-s", "l2.siez=1", "--tmpdir", "tmp", ADD));
    assert_clean();
    expect(125, "cannot be continued", WORDS("run", "--resume", "-o", "a", ADD));
    expect(125, "not a list of launches", WORDS("run", "--launches", "4-2", ADD));
    expect(2, "need a program", WORDS("run", "--timeout", "3", "a.rbt"));
    expect(125, "no temporary folder", WORDS("run", "--tmpdir", "none", ADD));
}

/* The output of the program must not mix with that of rubato. */
static void json_is_all_that_is_printed(void **state)
{
    (void)state;
    char *text = cli_run_as(&rubato, 0, "0 wrong", WORDS("run", "--json", ADD));
    assert_int_equal(text[0], '{');
    assert_non_null(strstr(text, "\"format\": \"program\""));
    assert_non_null(strstr(text, "\"launches\": 4"));
    free(text);
}

/* The number of launches is not known before the program ends. */
static void progress_is_that_of_the_launch(void **state)
{
    (void)state;
    cli_result_t r = cli_run(&rubato, WORDS("run", "--progress", "always", "--tmpdir", "tmp", "--",
                                            PROGRAM, "add", "30000", "20"));
    assert_int_equal(r.status, 0);
    assert_non_null(strstr(r.err, "\rlaunch "));
    assert_null(strstr(r.err, "launch 0/0"));
    assert_null(strstr(r.err, " left"));
    cli_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_are_those_of_the_recorded_trace),
        cmocka_unit_test(launches_can_be_chosen),
        cmocka_unit_test(what_looks_at_launches_twice_is_spooled),
        cmocka_unit_test(a_plan_is_followed),
        cmocka_unit_test(status_is_the_programs),
        cmocka_unit_test(failures_are_125_and_leave_nothing),
        cmocka_unit_test(json_is_all_that_is_printed),
        cmocka_unit_test(progress_is_that_of_the_launch),
    };
    return cmocka_run_group_tests(tests, begin, cli_end);
}
