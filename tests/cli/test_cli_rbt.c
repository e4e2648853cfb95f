/* Native traces on the command line: convert, trace verify|cat|slice, info, run. */
#include <glob.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/test.h"
#include "tests/support/tool/cli_child.h"

#define VECADD RUBATO_ROOT "/traces/vecadd-sm70"

static void says(const char *part, const char *const *words)
{
    char *out = cli_run_as(&rubato, 0, NULL, words);

    if (strstr(out, part) == NULL)
        fail_msg("'%s' is not in: %s", part, out);
    free(out);
}

static void a_file_is_made_checked_and_run(void **state)
{
    (void)state;
    expect(0, "1 launch", WORDS("convert", VECADD, "x.rbt", "--threads", "2"));
    says("good: 1 launch,", WORDS("trace", "verify", "x.rbt"));
    says("rbt", WORDS("info", "x.rbt"));
    expect(0, NULL, WORDS("run", "x.rbt", "-o", "native"));
    expect(0, NULL, WORDS("run", VECADD, "-o", "text"));
    cli_same_file("native", "text", "launches.csv");
}

static void an_existing_file_is_kept_unless_forced(void **state)
{
    (void)state;
    cli_write("kept.rbt", "mine", 4);
    expect(2, "exists already; --force replaces it", WORDS("convert", VECADD, "kept.rbt"));
    char *kept = cli_read("kept.rbt");

    assert_string_equal(kept, "mine");
    free(kept);
    expect(2, "truncated", WORDS("trace", "verify", "kept.rbt"));
    expect(0, NULL, WORDS("convert", "--force", VECADD, "kept.rbt"));
    expect(2, "source and target are the same", WORDS("convert", "-f", "kept.rbt", "kept.rbt"));
    says("good", WORDS("trace", "verify", "kept.rbt"));
}

static void a_full_disk_leaves_nothing(void **state)
{
    const cli_child_t limited = {.binary = RUBATO_BINARY, .file_limit = 100};

    (void)state;
    free(cli_run_as(&limited, 1, "full.rbt", WORDS("convert", VECADD, "full.rbt")));
    assert_false(cli_exists("full.rbt"));
}

/* The name of the file that the writer of a trace works on; it appears soon. */
static char *wait_for_unfinished(const char *pattern)
{
    enum { TRIES = 60000, MICROSECONDS = 1000 };
    glob_t found = {0};
    struct stat st;

    for (int i = 0; i < TRIES; i++) {
        if (glob(pattern, 0, NULL, &found) == 0 && stat(found.gl_pathv[0], &st) == 0 &&
            st.st_size > 0)
            break;
        globfree(&found);
        usleep(MICROSECONDS);
    }
    assert_int_equal(found.gl_pathc, 1);
    char *name = strdup(found.gl_pathv[0]);

    globfree(&found);
    return name;
}

/* It would write for hours. */
static void a_killed_writer_leaves_nothing_that_looks_whole(void **state)
{
    pid_t pid = cli_start(&rubato, WORDS("gen", "sgemm", "--size", "32768", "-o", "killed.rbt"));
    char *name = wait_for_unfinished("killed.rbt.*");

    (void)state;
    kill(pid, SIGKILL);
    assert_int_equal(cli_wait(pid), 128 + SIGKILL);
    assert_false(cli_exists("killed.rbt"));
    expect(2, "truncated", WORDS("trace", "verify", name));
    expect(2, "truncated", WORDS("run", name));
    remove(name);
    free(name);
}

/* It would write for a long while. */
static void a_stopped_writer_leaves_nothing(void **state)
{
    (void)state;
    cli_make_many(VECADD, 3000);
    const char *const *const commands[] = {
        WORDS("trace", "slice", "many", "-o", "stopped.rbt"),
        WORDS("convert", "many", "stopped.rbt"),
        WORDS("gen", "sgemm", "--size", "32768", "-o", "stopped.rbt"),
    };

    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
        pid_t pid = cli_start(&rubato, commands[i]);
        char *name = wait_for_unfinished("stopped.rbt.*");

        kill(pid, SIGTERM);
        assert_int_equal(cli_wait(pid), 75);
        assert_false(cli_exists(name) || cli_exists("stopped.rbt"));
        free(name);
    }
}

static void a_size_counts_once(void **state)
{
    (void)state;
    expect(0, NULL, WORDS("gen", "gaussian", "--size", "3", "-o", "few.rbt"));
    char *text = cli_run_as(&rubato, 0, NULL, WORDS("info", "few.rbt"));
    char *launch = strstr(text, "KiB"), *sum = strstr(text, "blocks in ");

    assert_non_null(launch);
    assert_non_null(sum);
    launch -= strlen("1.23 ");
    assert_memory_equal(launch, sum + strlen("blocks in "), strlen("1.23 KiB"));
    free(text);
}

static void the_index_is_shown(void **state)
{
    (void)state;
    expect(0, NULL, WORDS("convert", VECADD, "index.rbt"));
    says("warp_insts", WORDS("info", "index.rbt", "--launches"));
    says("warp types", WORDS("info", "index.rbt", "--blocks"));
    says("basic block 0", WORDS("info", "index.rbt", "--code"));
    says("executions", WORDS("info", "index.rbt", "--bbv"));
    expect(2, "only native traces have an index", WORDS("info", VECADD, "--bbv"));
}

static void instructions_are_printed(void **state)
{
    (void)state;
    says("EXIT", WORDS("trace", "cat", VECADD, "--launch", "1", "--block", "2", "--warp", "0"));
    expect(2, "no block 999999", WORDS("trace", "cat", VECADD, "--block", "999999"));
    expect(2, "has warps 0 to", WORDS("trace", "cat", VECADD, "--warp", "99"));
    expect(2, "no launch 7", WORDS("trace", "cat", VECADD, "--launch", "7"));
}

static void parts_keep_their_ids(void **state)
{
    (void)state;
    cli_make_many(VECADD, 5);
    expect(0, "2 launches", WORDS("trace", "slice", "many", "-l", "2,4", "-o", "part.rbt"));
    says("good: 2 launches", WORDS("trace", "verify", "part.rbt"));
    expect(0, NULL, WORDS("run", "part.rbt", "-o", "part"));
    expect(0, NULL, WORDS("run", "many", "-l", "2,4", "-o", "whole"));
    cli_same_file("part", "whole", "launches.csv");
    expect(0, NULL, WORDS("run", "part.rbt", "-l", "4"));
    expect(2, "none of these launches", WORDS("run", "part.rbt", "-l", "3"));
    expect(0, NULL, WORDS("trace", "slice", "many", "--blocks", "0-9", "-o", "ten.rbt"));
    says("5120 blocks, 50 of them in", WORDS("info", "--count", "ten.rbt"));
    says("\"stored_blocks\": 50,", WORDS("info", "--count", "--json", "ten.rbt"));
    says("5120 blocks in", WORDS("info", "--count", "many"));
    expect(2, "--blocks 5-3", WORDS("trace", "slice", "many", "--blocks", "5-3", "-o", "y.rbt"));
    expect(2, "needs -o", WORDS("trace", "slice", "many"));
    expect(2, "is not one of verify, cat, slice", WORDS("trace", "shave", "many"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_made_checked_and_run),
        cmocka_unit_test(an_existing_file_is_kept_unless_forced),
        cmocka_unit_test(a_full_disk_leaves_nothing),
        cmocka_unit_test(a_killed_writer_leaves_nothing_that_looks_whole),
        cmocka_unit_test(a_stopped_writer_leaves_nothing),
        cmocka_unit_test(a_size_counts_once),
        cmocka_unit_test(the_index_is_shown),
        cmocka_unit_test(instructions_are_printed),
        cmocka_unit_test(parts_keep_their_ids),
    };

    return cmocka_run_group_tests(tests, cli_begin, cli_end);
}
