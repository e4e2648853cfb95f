/*
 * Plugin samplers as users see them: the examples in docs/examples/plugins do what built-in
 * samplers do, for any number of threads and any window, and continue an interrupted run.
 */
#include "tests/support/test.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/tool/cli_child.h"
#include "tests/support/tool/json_check.h"

#define PLUGIN(name) "plugin:" RUBATO_PLUGINS "/" name ".so"
#define CHIP         "--gpu", "v100", "-s", "sm.count=7"

static void make_relu(void)
{
    expect(0, NULL,
           WORDS("gen", "relu", "--blocks", "640", "--arch", "sm_70", "-o", "relu.rbt", "-f"));
}

/* The same statistics, and the same launches except for the sampler and its reason. */
static void same_numbers(const char *a, const char *b)
{
    static const char *const paths[] = {"totals",
                                        "simulated",
                                        "launches.0.cycles",
                                        "launches.0.sm",
                                        "launches.0.sampling.weight",
                                        "launches.0.sampling.block",
                                        "launches.0.sampling.estimated",
                                        "launches.0.sampling.simulated_cycles"};
    char path[2][64];
    cli_same_file(a, b, "stats.csv");
    for (size_t i = 0; i < 2; i++)
        snprintf(path[i], sizeof(path[i]), "%s/run.json", i == 0 ? a : b);
    char *x = cli_read_json(path[0]), *y = cli_read_json(path[1]);
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        size_t n, m;
        const char *u = json_find(x, paths[i], &n), *v = json_find(y, paths[i], &m);
        if ((u == NULL) != (v == NULL) || (u != NULL && (n != m || memcmp(u, v, n) != 0)))
            fail_msg("%s of %s and %s", paths[i], a, b);
    }
    free(x);
    free(y);
}

static void the_first_blocks_are_those_of_the_built_in_sampler(void **state)
{
    (void)state;
    make_relu();
    cli_write("blocks.txt", "0-7\n", 4);
    cli_write("tenth.txt", "0%-10%\n", 7);
    expect(0, NULL, WORDS("run", "relu.rbt", CHIP, "--sample", "blocks:count=8", "-o", "built"));
    expect(0, NULL,
           WORDS("run", "relu.rbt", CHIP, "--sample", PLUGIN("first_blocks") ",count=8", "-o",
                 "plugged"));
    same_numbers("built", "plugged");
    expect(0, NULL,
           WORDS("run", "relu.rbt", CHIP, "--sample", "blocks:list=blocks.txt", "-o", "listed"));
    same_numbers("built", "listed");
    expect(0, NULL, WORDS("run", "relu.rbt", CHIP, "--sample", "blocks:count=64", "-o", "tenth"));
    expect(0, NULL,
           WORDS("run", "relu.rbt", CHIP, "--sample", "blocks:list=tenth.txt", "-o", "shares"));
    same_numbers("tenth", "shares");
    char *json = cli_read_json("plugged/run.json");
    assert_true(json_is(json, "totals.estimated", "true"));
    assert_true(json_is(json, "totals.interval.cycles", "null") ||
                json_is(json, "totals.interval.cycles.low", "null"));
    assert_true(json_is(json, "launches.0.sampling.sampler", "\"plugin:first_blocks\""));
    assert_true(json_is(json, "launches.0.sampling.evidence", "\"8 of 640 blocks\""));
    assert_true(json_is(json, "simulated.blocks", "8"));
    free(json);
}

static double number_in(const char *folder, const char *path)
{
    char name[64];
    snprintf(name, sizeof(name), "%s/run.json", folder);
    char *json = cli_read_json(name);
    const double v = json_number(json, path);
    free(json);
    return v;
}

/* The plan of launches 1, 5 and 9, by hand. */
static void every_nth_launch_is_a_plan(void **state)
{
    (void)state;
    static const char plan[] = "# launches count from 1\n1 3.6666666666666665\n"
                               "5 3.6666666666666665\n9 3.6666666666666665\n";
    cli_make_many(TRACE, 11);
    cli_write("plan.txt", plan, strlen(plan));
    expect(0, NULL, WORDS("run", "many", CHIP, "--plan", "plan.txt", "-o", "planned"));
    expect(0, NULL,
           WORDS("run", "many", CHIP, "--sample", PLUGIN("every_nth") ",n=4", "-o", "nth"));
    char *csv = cli_read("nth/launches.csv");
    assert_non_null(strstr(csv, "\n9,"));
    assert_null(strstr(csv, "\n2,"));
    free(csv);
    char *json = cli_read_json("nth/run.json"), *planned = cli_read_json("planned/run.json");
    assert_true(json_number(json, "totals.cycles") == json_number(planned, "totals.cycles"));
    assert_true(json_number(json, "simulated.cycles") == json_number(planned, "simulated.cycles"));
    assert_true(json_is(json, "totals.estimated", "true"));
    assert_true(json_is(json, "simulated.launches", "3"));
    assert_true(json_is(json, "launches.0.sampling.sampler", "\"plugin:every_nth\""));
    assert_true(json_number(json, "totals.interval.cycles.low") == -1);
    free(json);
    free(planned);
    /* It can make a plan, which is then simulated without it. */
    expect(0, NULL,
           WORDS("plan", "many", "--sample", PLUGIN("every_nth") ",n=4", "-o", "plan.json"));
    expect(0, NULL, WORDS("run", "many", CHIP, "--plan", "plan.json", "-o", "replanned"));
    cli_same_file("nth", "replanned", "stats.csv");
    /* All launches. */
    expect(0, NULL, WORDS("run", "many", CHIP, "-o", "full"));
    expect(0, NULL,
           WORDS("run", "many", CHIP, "--sample", PLUGIN("every_nth") ",n=1", "-o", "all"));
    assert_true(number_in("full", "totals.cycles") == number_in("all", "totals.cycles"));
    assert_true(number_in("all", "totals.interval.cycles.low") ==
                number_in("all", "totals.cycles"));
}

static void threads_and_windows_do_not_show(void **state)
{
    static const char *const samplers[] = {
        PLUGIN("first_blocks") ",count=100",
        PLUGIN("odd_inside") ",do=add,after=3",
        PLUGIN("odd_inside") ",do=hold,after=3",
        PLUGIN("odd_inside") ",do=records,after=300",
        PLUGIN("odd_inside") ",do=add,after=3,blocks:count=600",
    };
    (void)state;
    make_relu();
    for (size_t i = 0; i < sizeof(samplers) / sizeof(samplers[0]); i++) {
        const char *s = samplers[i];
        expect(0, NULL,
               WORDS("run", "relu.rbt", CHIP, "-t", "1", "--sample", s, "-o", "one", "-f"));
        char *json = cli_read_json("one/run.json");
        assert_true(json_is(json, "totals.estimated", "true"));
        assert_true(json_number(json, "simulated.blocks") < 600);
        free(json);
        expect(0, NULL,
               WORDS("run", "relu.rbt", CHIP, "-t", "3", "--sample", s, "-o", "other", "-f"));
        cli_same_results("one", "other");
        expect(0, NULL,
               WORDS("run", "relu.rbt", CHIP, "-t", "2", "--debug-window", "1", "--sample", s, "-o",
                     "other", "-f"));
        cli_same_results("one", "other");
        expect(0, NULL,
               WORDS("run", "relu.rbt", CHIP, "-t", "1", "--debug-window", "3", "--sample", s, "-o",
                     "other", "-f"));
        cli_same_results("one", "other");
    }
}

static void intervals_are_those_that_the_sampler_states(void **state)
{
    (void)state;
    cli_make_many(TRACE, 9);
    /* Rounds: launches 1, 3, 5, 7, 9, then 2. */
    expect(0, NULL,
           WORDS("run", "many", CHIP, "--sample", PLUGIN("odd_launch") ",share=10%", "-o", "odd"));
    char *json = cli_read_json("odd/run.json");
    const double cycles = json_number(json, "totals.cycles");
    assert_true(json_is(json, "simulated.launches", "6"));
    assert_true(json_number(json, "totals.interval.cycles.confidence") == 0.9);
    assert_true(json_number(json, "totals.interval.cycles.low") < 0.91 * cycles);
    assert_true(json_number(json, "totals.interval.cycles.high") > 1.09 * cycles);
    assert_true(json_is(json, "totals.interval.cycles.method", "\"plugin:odd_launch\""));
    assert_true(json_is(json, "launches.1.sampling.sampler", "\"plugin:odd_launch\""));
    free(json);
    char *table = cli_run_as(&rubato, 0, NULL,
                             WORDS("run", "many", CHIP, "--sample", PLUGIN("every_nth") ",n=4"));
    assert_non_null(strstr(table, "gives no interval"));
    free(table);
    /* It states that it draws at random, so rubato computes the interval. */
    expect(0, NULL, WORDS("run", "many", CHIP, "--sample", PLUGIN("drawn"), "-o", "drawn"));
    assert_true(number_in("drawn", "totals.interval.cycles.confidence") == 0.95);
    assert_true(number_in("drawn", "totals.interval.cycles.low") <=
                number_in("drawn", "totals.cycles"));
    /* There is no interval together with a sampler inside launches. */
    expect(0, NULL,
           WORDS("run", "many", CHIP, "--sample", PLUGIN("drawn"), "--sample",
                 PLUGIN("first_blocks") ",count=3", "-o", "both"));
    assert_true(number_in("both", "totals.interval.cycles.low") == -1);
}

/* Waits until the folder has a checkpoint, and kills. */
static void kill_after_checkpoint(const char *folder, const char *const *words)
{
    char path[64];
    snprintf(path, sizeof(path), "%s/checkpoint", folder);
    pid_t pid = cli_start(&rubato, words);
    for (int i = 0; i < 60000 && !cli_exists(path); i++)
        usleep(1000);
    assert_true(cli_exists(path));
    assert_int_equal(kill(pid, SIGKILL), 0);
    cli_wait(pid);
    snprintf(path, sizeof(path), "%s/run.json", folder);
    assert_false(cli_exists(path));
}

static void a_killed_run_resumes_to_the_same_results(void **state)
{
    static const char *const samplers[] = {PLUGIN("odd_launch") ",step=2",
                                           PLUGIN("odd_inside") ",do=add,after=2",
                                           PLUGIN("every_nth") ",n=2"};
    (void)state;
    cli_make_many(TRACE, 20);
    for (size_t i = 0; i < 3; i++) {
        char folder[16];
        snprintf(folder, sizeof(folder), "killed%zu", i);
        const char *const *again = WORDS("run", "many", CHIP, "--sample", samplers[i], "-o", folder,
                                         "--resume", "--checkpoint-interval", "0");
        expect(0, NULL, WORDS("run", "many", CHIP, "--sample", samplers[i], "-o", "whole", "-f"));
        kill_after_checkpoint(folder, again);
        expect(0, "continues after launch", again);
        cli_same_results("whole", folder);
    }
}

static void another_object_does_not_continue_a_run(void **state)
{
    (void)state;
    FILE *in = fopen(RUBATO_PLUGINS "/odd_launch.so", "rb");
    static char object[1 << 21];
    assert_non_null(in);
    const size_t n = fread(object, 1, sizeof(object) - 1, in);
    fclose(in);
    assert_true(n < sizeof(object) - 1);
    cli_write("mine.so", object, n);
    cli_make_many(TRACE, 20);
    const char *const *again = WORDS("run", "many", CHIP, "--sample", "plugin:mine.so,do=forget",
                                     "-o", "changed", "--resume", "--checkpoint-interval", "0");
    kill_after_checkpoint("changed", again);
    /* It chooses other launches than before: an error, not a wrong result. */
    setenv("ODD_LAUNCH", "1", 1);
    expect(2, "where it now chooses", again);
    unsetenv("ODD_LAUNCH");
    cli_write("mine.so", object, n + 1);
    expect(2, "cannot resume", again);
}

/* The contents matter, not the name. */
static void other_contents_do_not_continue_a_run(void **state)
{
    (void)state;
    cli_make_many(TRACE, 20);
    cli_write("list.txt", "0-99\n", 5);
    const char *const *again = WORDS("run", "many", CHIP, "--sample", "blocks:list=list.txt", "-o",
                                     "relisted", "--resume", "--checkpoint-interval", "0");
    kill_after_checkpoint("relisted", again);
    cli_write("list.txt", "0-98\n", 5);
    expect(2, "cannot resume", again);
    cli_write("list.txt", "0-99\n", 5);
    expect(0, "continues after launch", again);
}

static void they_are_scored_and_swept(void **state)
{
    (void)state;
    cli_make_many(TRACE, 9);
    char *table =
        cli_run_as(&rubato, 0, NULL,
                   WORDS("evaluate", "many", CHIP, "--sample", PLUGIN("every_nth") ",n=4",
                         "--sample", PLUGIN("odd_launch"), "--sample", PLUGIN("first_blocks")));
    assert_non_null(strstr(table, "every_nth.so,n=4"));
    free(table);
    expect(0, "2 to run",
           WORDS("sweep", "many", CHIP, "--vary", "sample=none," PLUGIN("every_nth"), "-o", "swept",
                 "--jobs", "1"));
    expect(2, "odd_launch chooses launches from earlier results",
           WORDS("sweep", "many", "--sample", PLUGIN("odd_launch"), "-s", "warmup.mode=flush",
                 "--split-launches", "2", "-o", "x"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_blocks_are_those_of_the_built_in_sampler),
        cmocka_unit_test(every_nth_launch_is_a_plan),
        cmocka_unit_test(threads_and_windows_do_not_show),
        cmocka_unit_test(intervals_are_those_that_the_sampler_states),
        cmocka_unit_test(a_killed_run_resumes_to_the_same_results),
        cmocka_unit_test(another_object_does_not_continue_a_run),
        cmocka_unit_test(other_contents_do_not_continue_a_run),
        cmocka_unit_test(they_are_scored_and_swept),
    };
    return cmocka_run_group_tests(tests, cli_begin, cli_end);
}
