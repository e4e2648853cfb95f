/* The change between two sampled runs: as pairs of the launches that both simulated, or why not. */
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/tool/cli_child.h"
#include "tests/support/tool/sweep_files.h"

#define SOLVER "solver.rbt"

/* A program of 80 launches, full runs of it on two chips, and a plan. */
static int begin(void **state)
{
    if (cli_begin(state) != 0)
        return -1;
    expect(0, NULL, WORDS("gen", "solver", "--size", "4096", "-p", "iterations=10", "-o", SOLVER));
    expect(0, NULL, WORDS("run", SOLVER, "-s", "sm.count=4", "-o", "full4"));
    expect(0, NULL, WORDS("run", SOLVER, "-s", "sm.count=8", "-o", "full8"));
    expect(0, NULL,
           WORDS("plan", "full4/launches.csv", "--sample", "random:count=24", "-o", "a.json"));
    expect(0, NULL, WORDS("run", SOLVER, "-s", "sm.count=4", "--plan", "a.json", "-o", "a4"));
    expect(0, NULL, WORDS("run", SOLVER, "-s", "sm.count=8", "--plan", "a.json", "-o", "a8"));
    return 0;
}

static char *diff(const char *a, const char *b)
{
    return cli_run_as(&rubato, 0, NULL, WORDS("stats", "diff", a, b, "--top", "0"));
}

/* The row of a statistic: its change, and half the width of the interval (0: there is none). */
static double change_in(const char *text, const char *path, double *half)
{
    const char *row = strstr(text, path);
    assert_non_null(row);
    const char *end = strchr(row, '\n'), *of = strstr(row, "+-"), *unit = strpbrk(row, "%");
    *half = of != NULL && of < end ? atof(of + 2) : 0;
    if (of == NULL || of > end)
        of = unit;
    while (of > row && strchr(" +-", of[-1]) != NULL)
        of--;
    while (of > row && of[-1] != ' ')
        of--;
    return atof(of);
}

static void pairs_resolve_what_independent_intervals_do_not(void **state)
{
    double half, exact;
    (void)state;
    char *full = diff("full4", "full8"), *paired = diff("a4", "a8"), *mixed = diff("full4", "a8");
    const double truth = change_in(full, "totals.cycles", &exact);
    assert_true(exact == 0 && truth < 0);
    const double is = change_in(paired, "totals.cycles", &half);
    assert_non_null(strstr(paired, "from 24 launches that both simulated"));
    assert_true(half > 0 && half < 5 && is - half <= truth && truth <= is + half);
    /* A full run has the launches of the sampled one. */
    const double other = change_in(mixed, "totals.cycles", &half);
    assert_non_null(strstr(mixed, "from 24 launches that both simulated"));
    assert_true(half > 0 && other - half <= truth && truth <= other + half);
    assert_non_null(strstr(full, " pp ")); /* shares change in points */
    free(full);
    free(paired);
    free(mixed);
}

static void a_sweep_says_what_a_change_is_and_what_is_none(void **state)
{
    (void)state;
    char *table = cli_run_as(&rubato, 0, NULL,
                             WORDS("sweep", SOLVER, "--plan", "a.json", "-s", "sm.count=4",
                                   "--vary", "l2.size=6MiB,12MiB", "-o", "s"));
    assert_non_null(strstr(table, " none +-"));
    assert_non_null(strstr(table, "from what both simulated"));
    free(table);
    char *jobs = cli_read("s/jobs.csv"), *changes = cli_read("s/changes.csv");
    assert_non_null(strstr(jobs, ",relative_l2_hit_rate,relative_l2_hit_rate_low,"));
    assert_non_null(strstr(jobs, ",yes,\n"));
    assert_non_null(strstr(changes, ",metrics.l2_hit_rate,points,"));
    free(jobs);
    free(changes);
    table = cli_run_as(&rubato, 0, NULL, WORDS("sweep", "table", "s"));
    assert_non_null(strstr(table, " +-0.0"));
    free(table);
    table = cli_run_as(&rubato, 0, NULL, WORDS("sweep", "table", "s", "--format", "csv"));
    assert_non_null(strstr(table, ",shown_low,shown_high\n"));
    free(table);
}

/* A launch of many waves, in parts; one of few waves is simulated by all points, and its changes are exact. */
static void points_measure_the_same_parts_of_a_launch(void **state)
{
    (void)state;
    expect(0, NULL, WORDS("gen", "relu", "--size", "2097152", "-o", "relu.rbt"));
    expect(0, NULL, WORDS("gen", "relu", "--size", "131072", "-o", "few.rbt"));
    expect(0, NULL, WORDS("run", "relu.rbt", "-s", "sm.count=2", "--sample", "smarts", "-o", "u2"));
    expect(0, NULL,
           WORDS("run", "relu.rbt", "-s", "sm.count=3", "--sample", "smarts", "--change-from", "u2",
                 "-o", "u3"));
    expect(0, NULL,
           WORDS("run", "relu.rbt", "-s", "sm.count=2", "--sample", "smarts", "--seed", "2", "-o",
                 "own"));
    expect(2, "say so here, too: --sample smarts",
           WORDS("run", "relu.rbt", "--change-from", "u2", "-o", "none"));
    expect(0, NULL,
           WORDS("run", "relu.rbt", "-s", "sm.count=4", "--sample", "smarts", "--change-from", "u2",
                 "-o", "u4"));
    double half;
    char *paired = cli_run_as(&rubato, 0, NULL, WORDS("stats", "diff", "u2", "u3", "--top", "0"));
    const double change = change_in(paired, "totals.cycles", &half);
    assert_non_null(strstr(paired, "from parts of launches that both simulated"));
    /* -33 % of a launch that the SMs bound */
    assert_true(half > 1 && half < 8 && change < -25 && change > -40);
    free(paired);
    /* Those that follow are pairs of each other. */
    paired = cli_run_as(&rubato, 0, NULL, WORDS("stats", "diff", "u3", "u4", "--top", "0"));
    assert_non_null(strstr(paired, "from parts of launches that both simulated"));
    free(paired);
    paired = cli_run_as(&rubato, 0, NULL, WORDS("stats", "diff", "u2", "own"));
    assert_non_null(strstr(paired, "independent: the runs chose different parts of the launch"));
    free(paired);
    char *table = cli_run_as(
        &rubato, 0, NULL,
        WORDS("sweep", "few.rbt", "--sample", "smarts", "--vary", "sm.count=2,3", "-o", "few"));
    assert_null(strchr(table, '~'));
    assert_null(strchr(table, '?'));
    free(table);
}

/* So do those that follow in each launch of a program. */
static void the_launches_of_a_program_are_measured_in_the_same_parts(void **state)
{
    double half, exact;
    (void)state;
    expect(0, NULL,
           WORDS("gen", "blackscholes", "--size", "1000000", "-p", "launches=2", "-o", "two.rbt"));
    expect(0, NULL, WORDS("run", "two.rbt", "-s", "sm.count=2", "-o", "two2"));
    expect(0, NULL, WORDS("run", "two.rbt", "-s", "sm.count=3", "-o", "two3"));
    expect(0, NULL, WORDS("run", "two.rbt", "-s", "sm.count=2", "--sample", "smarts", "-o", "v2"));
    expect(0, NULL,
           WORDS("run", "two.rbt", "-s", "sm.count=3", "--sample", "smarts", "--change-from", "v2",
                 "-o", "v3"));
    char *full = diff("two2", "two3"), *paired = diff("v2", "v3");
    const double truth = change_in(full, "totals.cycles", &exact);
    const double is = change_in(paired, "totals.cycles", &half);
    assert_non_null(strstr(paired, "from parts of launches that both simulated"));
    assert_true(half > 0.5 && half < 6 && is - half <= truth && truth <= is + half);
    free(full);
    free(paired);
    paired = diff("u2", "v2");
    assert_non_null(strstr(paired, "independent: the runs are of different launches"));
    free(paired);
}

/* Launches in the results of a run. */
static size_t launches_in(const char *folder)
{
    char path[128];
    snprintf(path, sizeof(path), "%s/launches.csv", folder);
    char *text = cli_read(path);
    size_t lines = 0;
    for (const char *at = text; (at = strchr(at, '\n')) != NULL; at++)
        lines++;
    free(text);
    return lines - 1;
}

static void a_run_simulates_what_its_change_needs(void **state)
{
    double half, exact;
    (void)state;
    expect(0, NULL,
           WORDS("run", SOLVER, "-s", "sm.count=4", "--sample", "stem_online:pilot=6", "-o", "b4"));
    expect(0, "the change of the cycles",
           WORDS("run", SOLVER, "-s", "sm.count=8", "--change-from", "b4", "-o", "p8"));
    expect(0, NULL,
           WORDS("run", SOLVER, "-s", "sm.count=8", "--change-from", "b4", "--change-bound", "0",
                 "-o", "all8"));
    assert_true(launches_in("p8") < launches_in("b4"));
    assert_int_equal(launches_in("all8"), launches_in("b4"));
    char *full = diff("full4", "full8"), *text = diff("b4", "p8");
    const double truth = change_in(full, "totals.cycles", &exact);
    const double is = change_in(text, "totals.cycles", &half);
    assert_true(half > 0 && half <= 1 && is - half <= truth && truth <= is + half);
    free(text);
    /* The other way round it is the same pair. */
    text = diff("p8", "b4");
    const double back = change_in(text, "totals.cycles", &half);
    assert_true(half > 0 && half < 1.2 && back - half < -truth * 1.1 && back + half > -truth);
    free(text);
    free(full);
    /* Another one that follows is its pair, too. */
    expect(0, NULL, WORDS("run", SOLVER, "-s", "sm.count=6", "-o", "full6"));
    expect(0, NULL, WORDS("run", SOLVER, "-s", "sm.count=6", "--change-from", "b4", "-o", "p6"));
    char *all = diff("full6", "full8");
    const double third = change_in(all, "totals.cycles", &exact);
    text = diff("p6", "p8");
    const double among = change_in(text, "totals.cycles", &half);
    assert_non_null(strstr(text, "launches that both simulated"));
    assert_true(half > 0 && half <= 1 && among - half <= third && third <= among + half);
    free(text);
    free(all);
    text =
        cli_run_as(&rubato, 0, NULL,
                   WORDS("run", SOLVER, "-s", "sm.count=6", "--sample", "stem_online", "-o", "b6"));
    free(text);
    expect(0, NULL, WORDS("run", SOLVER, "-s", "sm.count=6", "--change-from", "b6", "-o", "q6"));
    text = diff("p8", "q6"); /* they follow different runs */
    assert_non_null(strstr(text, "shows only its change from that run and from others"));
    free(text);
    /* It shows nothing else. */
    text = diff("p8", "full8");
    assert_non_null(strstr(text, "shows only its change from that run"));
    free(text);
    text = cli_read("p8/run.json");
    assert_non_null(strstr(text, "chosen for the change from another run only"));
    free(text);
    expect(2, "simulated a part of what another run chose",
           WORDS("run", SOLVER, "--change-from", "p8", "-o", "no"));
    expect(2, "full4: has no plan.json", WORDS("run", SOLVER, "--change-from", "full4"));
    expect(2, "both choose launches", WORDS("run", SOLVER, "--change-from", "b4", "--plan", "b4"));
    expect(2, "needs --change-from", WORDS("run", SOLVER, "--change-bound", "1%"));
    expect(2, "'5' is not a share",
           WORDS("run", SOLVER, "--change-from", "b4", "--change-bound", "5"));
    expect(2, "every point chooses launches itself",
           WORDS("sweep", SOLVER, "--sample", "stem_online", "--independent", "--change-bound",
                 "1%", "-o", "no"));
    assert_false(cli_exists("no"));
}

/* A run on an L2 of this size that follows a base. */
static void follow(const char *base, const char *l2, const char *says, const char *folder)
{
    char set[32];
    snprintf(set, sizeof(set), "l2.size=%s", l2);
    expect(0, says,
           WORDS("run", "mixed.rbt", "-s", "sm.count=7", "-s", set, "--change-from", base, "-o",
                 folder, "--force"));
}

/* Walks of the base are taken over by chips of other sizes, where they have room, and change no result. */
static void walks_of_the_base_change_nothing(void **state)
{
    static const char *const sizes[] = {"192KiB", "6MiB"};
    (void)state;
    expect(0, NULL, WORDS("gen", "gaussian", "--size", "96", "-o", "mixed.rbt"));
    expect(0, NULL,
           WORDS("run", "mixed.rbt", "-s", "sm.count=4", "-s", "l2.size=384KiB", "--sample",
                 "stem_online", "--keep-walks", "-o", "kept"));
    expect(0, NULL,
           WORDS("run", "mixed.rbt", "-s", "sm.count=4", "-s", "l2.size=384KiB", "--sample",
                 "stem_online", "-o", "none"));
    assert_true(cli_exists("kept/walks") && !cli_exists("none/walks"));
    cli_same_file("kept", "none", "launches.csv");
    for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
        follow("kept", sizes[i], NULL, "with");
        follow("none", sizes[i], NULL, "without");
        cli_same_file("with", "without", "launches.csv");
        cli_same_file("with", "without", "stats.csv");
    }
    /* A damaged file is not used, and said. */
    FILE *file = fopen("kept/walks", "r+");
    assert_non_null(file);
    assert_int_equal(fseek(file, -1, SEEK_END), 0);
    const int last = getc(file);
    assert_int_equal(fseek(file, -1, SEEK_END), 0);
    putc(last ^ 1, file);
    assert_int_equal(fclose(file), 0);
    follow("kept", "6MiB", "kept/walks: is not used", "with");
    follow("none", "6MiB", NULL, "without");
    cli_same_file("with", "without", "launches.csv");
    expect(2, "--keep-walks needs a folder",
           WORDS("run", "mixed.rbt", "--sample", "stem_online", "--keep-walks"));
}

static void two_choices_say_why_they_are_no_pair(void **state)
{
    (void)state;
    expect(0, NULL,
           WORDS("run", SOLVER, "-s", "sm.count=8", "--sample", "stem_online", "-o", "other"));
    assert_true(cli_exists("other/plan.json"));
    char *text = diff("a4", "other");
    assert_non_null(strstr(text, "chose different launches"));
    free(text);
    /* The other follows the choice of the first: its plan is kept with the results. */
    expect(0, NULL,
           WORDS("run", SOLVER, "-s", "sm.count=4", "--plan", "other/plan.json", "-o", "same"));
    text = diff("other", "same");
    assert_non_null(strstr(text, "launches that both simulated"));
    free(text);
    /* Launches of another program do not count. */
    expect(0, NULL, WORDS("gen", "gaussian", "--size", "41", "-o", "gaussian.rbt"));
    expect(0, NULL, WORDS("run", "gaussian.rbt", "-s", "sm.count=4", "-o", "strange"));
    text = diff("strange", "a4");
    assert_non_null(strstr(text, "different programs"));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_resolve_what_independent_intervals_do_not),
        cmocka_unit_test(a_sweep_says_what_a_change_is_and_what_is_none),
        cmocka_unit_test(points_measure_the_same_parts_of_a_launch),
        cmocka_unit_test(the_launches_of_a_program_are_measured_in_the_same_parts),
        cmocka_unit_test(a_run_simulates_what_its_change_needs),
        cmocka_unit_test(walks_of_the_base_change_nothing),
        cmocka_unit_test(two_choices_say_why_they_are_no_pair),
    };
    return cmocka_run_group_tests(tests, begin, cli_end);
}
