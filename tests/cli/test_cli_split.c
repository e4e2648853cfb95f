/* Launches divided among processes: the combined result has the same bytes as that of one
 * process. */
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>

#include "tests/support/tool/cli_child.h"

#define SMALL "-s", "sm.count=7", "--gpu", "v100", "--threads", "1"

static void parts_make_the_whole(const char *warmup)
{
    char folder[4][16], part[8];
    cli_make_many(TRACE, 5);
    snprintf(folder[0], sizeof(folder[0]), "one-%.8s", warmup);
    expect(0, NULL, WORDS("run", "many", SMALL, "--warmup", warmup, "--isolated", "-o", folder[0]));
    for (int i = 1; i <= 3; i++) {
        snprintf(folder[i], sizeof(folder[i]), "p%d-%.8s", i, warmup);
        snprintf(part, sizeof(part), "%d/3", i);
        expect(0, NULL,
               WORDS("run", "many", SMALL, "--warmup", warmup, "--isolated", "--part", part, "-o",
                     folder[i]));
    }
    expect(0, NULL,
           WORDS("run", "many", SMALL, "--warmup", warmup, "--isolated", "--merge", folder[1],
                 "--merge", folder[2], "--merge", folder[3], "-o", "whole", "--force"));
    cli_same_file(folder[0], "whole", "launches.csv");
    cli_same_file(folder[0], "whole", "stats.csv");
    cli_same_file(folder[0], "whole", "config.cfg");
}

static void launches_are_the_same_in_parts_and_in_one_process(void **state)
{
    (void)state;
    parts_make_the_whole("flush");
    parts_make_the_whole("functional");
    /* Parts that are in another order, from another run, or missing. */
    expect(2, "p2-flush: is not part 1/3 of this run",
           WORDS("run", "many", SMALL, "--warmup", "flush", "--isolated", "--merge", "p2-flush",
                 "--merge", "p1-flush", "--merge", "p3-flush", "-o", "bad"));
    expect(2, "p1-flush: is not part 1/3 of this run",
           WORDS("run", "many", SMALL, "--warmup", "functional", "--isolated", "--merge",
                 "p1-flush", "--merge", "p2-flush", "--merge", "p3-flush", "-o", "bad"));
    expect(2, "p1-flush: is not part 1/2 of this run",
           WORDS("run", "many", SMALL, "--warmup", "flush", "--isolated", "--merge", "p1-flush",
                 "--merge", "one-flush", "-o", "bad"));
    assert_false(cli_exists("bad"));
}

/* No launch depends on what ran before it. */
/* Threads simulate launches side by side; a sampler that works in rounds gets the same results. */
static void launches_side_by_side_are_the_same(void **state)
{
    static const char *const threads[] = {"1", "2", "3"};
    (void)state;
    expect(0, NULL, WORDS("gen", "gaussian", "--size", "32", "-o", "g.rbt"));
    for (size_t i = 0; i < 3; i++) {
        expect(0, NULL,
               WORDS("run", "g.rbt", "--isolated", "--sample", "stem_online", "--threads",
                     threads[i], "-o", threads[i]));
        cli_same_results("1", threads[i]);
        cli_same_file("1", threads[i], "plan.json");
    }
    expect(0, NULL,
           WORDS("run", "many", SMALL, "--warmup", "flush", "--isolated", "--threads", "2", "-o",
                 "beside"));
    expect(0, NULL,
           WORDS("run", "many", SMALL, "--warmup", "flush", "--isolated", "--threads", "1", "-o",
                 "single"));
    cli_same_results("beside", "single");
}

static void an_isolated_launch_is_the_same_alone(void **state)
{
    (void)state;
    cli_make_many(TRACE, 3);
    expect(0, NULL, WORDS("run", "many", SMALL, "--warmup", "flush", "--isolated", "-o", "all"));
    expect(0, NULL,
           WORDS("run", "many", SMALL, "--warmup", "flush", "--isolated", "--launches", "3", "-o",
                 "third"));
    char *all = cli_read("all/launches.csv"), *third = cli_read("third/launches.csv");
    /* The columns after start_cycle; ids, name, shape and start are the first 13. */
    char *a, *b;
    a = strstr(all, "\n3,") + 1;
    b = strstr(third, "\n3,") + 1;
    for (int column = 0; column < 13; column++) {
        a = strchr(a, ',') + 1;
        b = strchr(b, ',') + 1;
    }
    assert_string_equal(a, b);
    free(all);
    free(third);
}

static void a_split_sweep_gives_what_one_process_gives(void **state)
{
    (void)state;
    cli_make_many(TRACE, 5);
    expect(0, "2 to run",
           WORDS("sweep", "many", "--gpu", "v100", "--vary", "sm.count=7,12", "-s",
                 "warmup.mode=flush", "--split-launches", "4", "-o", "s", "--jobs", "2"));
    char *jobs = cli_read("s/jobs.csv"), *results = cli_read("s/results.csv");
    /* A row for each whole, none for parts. */
    assert_non_null(strstr(jobs, "job,id,state,trace,gpu,sm.count,cycles"));
    assert_non_null(strstr(jobs, "\n5,"));
    assert_non_null(strstr(jobs, "\n10,"));
    assert_null(strstr(jobs, "\n4,"));
    assert_null(strstr(jobs, "waiting"));
    assert_null(strstr(results, "\n4,"));
    char id[17] = "", folder[64];
    sscanf(strstr(jobs, "\n5,"), "\n5,%16[0-9a-f]", id);
    snprintf(folder, sizeof(folder), "s/jobs/%s", id);
    free(jobs);
    free(results);
    expect(0, NULL, WORDS("run", "many", SMALL, "--warmup", "flush", "--isolated", "-o", "o"));
    cli_same_file("o", folder, "launches.csv");
    cli_same_file("o", folder, "stats.csv");
    expect(0, "0 to run",
           WORDS("sweep", "many", "--gpu", "v100", "--vary", "sm.count=7,12", "-s",
                 "warmup.mode=flush", "--split-launches", "4", "-o", "s"));
}

/* A cluster runs the parts; collecting combines those that exist. */
static void collecting_puts_complete_parts_together(void **state)
{
    (void)state;
    cli_make_many(TRACE, 3);
    expect(0, "lists 3 jobs",
           WORDS("sweep", "many", "--gpu", "v100", "-s", "sm.count=7", "-s", "warmup.mode=flush",
                 "--split-launches", "2", "-o", "c", "--prepare"));
    expect(0, NULL, WORDS("sweep", "job", "c", "1"));
    expect(0, NULL, WORDS("sweep", "collect", "c"));
    char *jobs = cli_read("c/jobs.csv");
    assert_non_null(strstr(jobs, ",waiting,"));
    free(jobs);
    expect(0, NULL, WORDS("sweep", "job", "c", "2"));
    expect(0, NULL, WORDS("sweep", "collect", "c"));
    jobs = cli_read("c/jobs.csv");
    assert_non_null(strstr(jobs, ",done,"));
    free(jobs);
}

static void what_cannot_be_split_is_refused(void **state)
{
    (void)state;
    cli_make_many(TRACE, 3);
    expect(2, "point 'sm.count=7' on v100: --split-launches: with warmup.mode = keep",
           WORDS("sweep", "many", "--gpu", "v100", "--vary", "sm.count=7,8", "--split-launches",
                 "2", "-o", "x"));
    expect(2, "stem_online chooses launches from earlier results",
           WORDS("sweep", "many", "--sample", "stem_online", "-s", "warmup.mode=flush",
                 "--split-launches", "2", "-o", "x"));
    expect(2, "photon_warp cannot be split",
           WORDS("sweep", "many", "--sample", "photon_warp", "-s", "warmup.mode=flush",
                 "--split-launches", "2", "-o", "x"));
    expect(2, "warmup.mode = keep", WORDS("run", "many", "--isolated", "-o", "x"));
    expect(2, "--isolated", WORDS("run", "many", "--part", "1/2", "-o", "x"));
    expect(2, "'1-2' is not K/N", WORDS("run", "many", "--isolated", "--part", "1-2", "-o", "x"));
    expect(2, "part", WORDS("run", "many", "--isolated", "--part", "3/2", "-o", "x"));
    expect(2, "-o", WORDS("run", "many", "--isolated", "--part", "1/2"));
    assert_false(cli_exists("x"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(launches_are_the_same_in_parts_and_in_one_process),
        cmocka_unit_test(launches_side_by_side_are_the_same),
        cmocka_unit_test(an_isolated_launch_is_the_same_alone),
        cmocka_unit_test(a_split_sweep_gives_what_one_process_gives),
        cmocka_unit_test(collecting_puts_complete_parts_together),
        cmocka_unit_test(what_cannot_be_split_is_refused),
    };
    return cmocka_run_group_tests(tests, cli_begin, cli_end);
}
