/* rubato sweep as a user meets it: jobs, results, faults, interruptions. */
#include "tests/support/test.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "tests/support/cli_child.h"

/* The field of a job in jobs.tsv, from 0; to be freed. */
static char *job_field(const char *folder, int job, int field)
{
    char path[128];
    snprintf(path, sizeof(path), "%s/jobs.tsv", folder);
    char *text = cli_read(path), *at = text;
    assert_non_null(text);
    for (int i = 0; i < job; i++)
        at = strchr(at, '\n') + 1;
    for (int i = 0; i < field; i++)
        at = strchr(at, '\t') + 1;
    char *copy = strndup(at, strcspn(at, "\t\n"));
    free(text);
    return copy;
}

/* "FOLDER/jobs/ID" of a job; valid until the next call. */
static const char *job_folder(const char *folder, int job)
{
    static char path[128];
    char *id = job_field(folder, job, 1);
    snprintf(path, sizeof(path), "%s/jobs/%s", folder, id);
    free(id);
    return path;
}

static void jobs_give_what_single_runs_give_and_are_not_repeated(void **state)
{
    (void)state;
    expect(0, "4 jobs, 4 to run",
           WORDS("sweep", TRACE, "--gpu", "v100", "--vary", "l2.size=3MiB,6MiB", "--vary",
                 "sm.count=20,80", "-o", "s", "--jobs", "2"));
    expect(0, NULL, WORDS("run", TRACE, "-s", "l2.size=3MiB", "-s", "sm.count=80", "-o", "one"));
    char *value = job_field("s", 2, 5);
    assert_string_equal(value, "3MiB");
    free(value);
    cli_same_file(job_folder("s", 2), "one", "launches.csv");
    cli_same_file(job_folder("s", 2), "one", "stats.csv");
    expect(0, "4 jobs, 0 to run",
           WORDS("sweep", TRACE, "--gpu", "v100", "--vary", "l2.size=3MiB,6MiB", "--vary",
                 "sm.count=20,80", "-o", "s"));
    /* Another value is one more job; another spelling of the same is none. */
    expect(0, "3 jobs, 1 to run",
           WORDS("sweep", TRACE, "--gpu", "v100", "--vary", "l2.size=3MiB,3072KiB,12MiB", "-s",
                 "sm.count=80", "-o", "s"));
    /* A changed trace of the same name is another job. */
    cli_make_many(TRACE, 2);
    expect(0, "1 jobs, 1 to run", WORDS("sweep", "many", "-o", "m"));
    cli_make_many(TRACE, 3);
    expect(0, "1 jobs, 1 to run", WORDS("sweep", "many", "-o", "m"));
}

static void a_study_that_cannot_run_is_refused_before_anything_runs(void **state)
{
    (void)state;
    static const char study[] = "traces = ( \"" TRACE "\" );\n"
                                "axes : { sm : { scheduler = [ \"gto\", \"lru\" ]; }; };\n";
    cli_write("bad.cfg", study, strlen(study));
    expect(2, "point 'sm.scheduler=lru' on v100", WORDS("sweep", "bad.cfg"));
    assert_false(cli_exists("bad.sweep"));
    expect(2, "did you mean 'l2.size'?", WORDS("sweep", TRACE, "--vary", "l2.szie=3MiB"));
    expect(2, "KEY=VALUE", WORDS("sweep", TRACE, "--vary", "l2.size"));
    expect(2, "did you mean 'stem_sm_x2'", WORDS("sweep", TRACE, "--vary", "delta=stem_sm_2x"));
    expect(2, "point 'sm.max_warps=4'", WORDS("sweep", TRACE, "--vary", "sm.max_warps=64,4"));
    expect(2, "did you mean 'stem'", WORDS("sweep", TRACE, "--vary", "sample=none,sten"));
    expect(2, "the trace has launches 1..1", WORDS("sweep", TRACE, "--launches", "4"));
    expect(2, "a study file says these", WORDS("sweep", "bad.cfg", "--gpu", "v100"));
    expect(2, "v1000", WORDS("sweep", TRACE, "--gpu", "v1000"));
    expect(1, "nowhere", WORDS("sweep", "nowhere"));
    expect(1, "nowhere.cfg", WORDS("sweep", "nowhere.cfg"));
    expect(2, "--jobs", WORDS("sweep", TRACE, "--jobs", "0"));
    expect(2, "unexpected argument", WORDS("sweep", TRACE, "a"));
    assert_false(cli_exists("vecadd-sm70.sweep"));
    expect(0, NULL, WORDS("run", TRACE, "-o", "single"));
    expect(2, "results of one run", WORDS("sweep", TRACE, "-o", "single"));
}

static void a_job_that_fails_is_named_and_the_others_go_on(void **state)
{
    (void)state;
    const char *const *words =
        WORDS("sweep", TRACE, "--vary", "sm.count=10,20,30", "-o", "f", "--jobs", "1");
    expect(0, "lists 3 jobs",
           WORDS("sweep", TRACE, "--vary", "sm.count=10,20,30", "-o", "f", "--prepare"));
    char path[160];
    snprintf(path, sizeof(path), "%s", job_folder("f", 2));
    cli_write(path, "in the way", 10);
    cli_result_t r = cli_run(&rubato, words);
    assert_int_equal(r.status, 1);
    assert_non_null(strstr(r.err, "job 2 failed: vecadd-sm70 v100 sm.count=20: "));
    assert_non_null(strstr(r.err, "[3/3] done"));
    cli_free(&r);
    snprintf(path, sizeof(path), "%s.failed", job_folder("f", 2));
    assert_true(cli_exists(path));
    snprintf(path, sizeof(path), "%s", job_folder("f", 2));
    assert_int_equal(unlink(path), 0);
    expect(0, "3 jobs, 1 to run", words);
    snprintf(path, sizeof(path), "%s.failed", job_folder("f", 2));
    assert_false(cli_exists(path));
}

static void a_full_disk_is_the_reason_that_is_given(void **state)
{
    (void)state;
    cli_child_t small = {.binary = RUBATO_BINARY, .file_limit = 4096};
    cli_result_t r = cli_run(&small, WORDS("sweep", TRACE, "--vary", "sm.count=11", "-o", "full"));
    assert_int_not_equal(r.status, 0);
    assert_non_null(strstr(r.err, "File too large"));
    cli_free(&r);
    expect(0, "1 to run", WORDS("sweep", TRACE, "--vary", "sm.count=11", "-o", "full"));
}

static void two_sweeps_in_one_folder_are_refused(void **state)
{
    (void)state;
    assert_int_equal(mkdir("locked", 0777), 0);
    int fd = open("locked/lock", O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    assert_true(fd >= 0 && flock(fd, LOCK_EX) == 0);
    expect(2, "another sweep works in this folder", WORDS("sweep", TRACE, "-o", "locked"));
    assert_false(cli_exists("locked/jobs.tsv"));
    close(fd);
    expect(0, "1 to run", WORDS("sweep", TRACE, "-o", "locked"));
}

/* Waits until the first job has written at least one launch into its journal. */
static void await_journal(const char *folder)
{
    const struct timespec pause = {.tv_nsec = 2000000};
    char path[160];
    struct stat st;
    snprintf(path, sizeof(path), "%s/jobs.tsv", folder);
    while (!cli_exists(path))
        nanosleep(&pause, NULL);
    snprintf(path, sizeof(path), "%s/journal", job_folder(folder, 1));
    while (stat(path, &st) != 0 || st.st_size < 1000)
        nanosleep(&pause, NULL);
}

static void an_interrupted_sweep_continues(void **state)
{
    (void)state;
    enum { LAUNCHES = 80, STOPPED = 75 };
    const char *const *words =
        WORDS("sweep", "many", "--vary", "sm.count=4,5", "-o", "i", "--jobs", "1");
    cli_make_many(TRACE, LAUNCHES);
    pid_t pid = cli_start(&rubato, words);
    await_journal("i");
    assert_int_equal(kill(pid, SIGTERM), 0);
    assert_int_equal(cli_wait(pid), STOPPED);
    char path[160];
    snprintf(path, sizeof(path), "%s/journal", job_folder("i", 1));
    assert_true(cli_exists(path));
    /* Killed outright: the run ends with its sweep, and another one can take over. */
    pid = cli_start(&rubato, words);
    await_journal("i");
    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_int_equal(cli_wait(pid), 128 + SIGKILL);
    expect(0, NULL, words);
    assert_false(cli_exists(path));
    expect(0, NULL, WORDS("run", "many", "-s", "sm.count=4", "-o", "whole"));
    cli_same_file(job_folder("i", 1), "whole", "launches.csv");
    expect(0, "0 to run", words);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jobs_give_what_single_runs_give_and_are_not_repeated),
        cmocka_unit_test(a_study_that_cannot_run_is_refused_before_anything_runs),
        cmocka_unit_test(a_job_that_fails_is_named_and_the_others_go_on),
        cmocka_unit_test(a_full_disk_is_the_reason_that_is_given),
        cmocka_unit_test(two_sweeps_in_one_folder_are_refused),
        cmocka_unit_test(an_interrupted_sweep_continues),
    };
    return cmocka_run_group_tests(tests, cli_begin, cli_end);
}
