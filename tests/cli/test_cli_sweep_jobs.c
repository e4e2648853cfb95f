/* The jobs of a sweep as users see them: faults, interruptions, jobs elsewhere, Slurm. */
#include "sim/core/sanitizer.h"
#include "tests/support/test.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "tests/support/tool/cli_child.h"
#include "tests/support/tool/sweep_files.h"

static void a_job_that_fails_is_named_and_the_others_go_on(void **state)
{
    (void)state;
    const char *const *words =
        WORDS("sweep", TRACE, "--vary", "sm.count=10,20,30", "-o", "f", "--jobs", "1");
    expect(0, "lists 3 jobs",
           WORDS("sweep", TRACE, "--vary", "sm.count=10,20,30", "-o", "f", "--prepare"));
    char path[160];
    snprintf(path, sizeof(path), "%s", sweep_job_folder("f", 2));
    sweep_write(path, "in the way");
    cli_result_t r = cli_run(&rubato, words);
    assert_int_equal(r.status, 1);
    assert_non_null(strstr(r.err, "job 2 failed: vecadd-sm70 v100 sm.count=20: "));
    assert_non_null(strstr(r.err, "[3/3] done"));
    cli_free(&r);
    snprintf(path, sizeof(path), "%s.failed", sweep_job_folder("f", 2));
    assert_true(cli_exists(path));
    snprintf(path, sizeof(path), "%s", sweep_job_folder("f", 2));
    assert_int_equal(unlink(path), 0);
    expect(0, "3 jobs, 1 to run", words);
    snprintf(path, sizeof(path), "%s.failed", sweep_job_folder("f", 2));
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

static void an_interrupted_sweep_continues(void **state)
{
    (void)state;
    enum { LAUNCHES = RB_ADDRESS_SANITIZER ? 8 : 30, STOPPED = 75 };
    const char *const *words =
        WORDS("sweep", "many", "--vary", "sm.count=4,5", "-o", "i", "--jobs", "1");
    cli_make_many(TRACE, LAUNCHES);
    cli_child_t heard = rubato;
    heard.err = "said";
    pid_t pid = cli_start(&heard, words);
    sweep_await_journal("i");
    assert_int_equal(kill(pid, SIGTERM), 0);
    assert_int_equal(cli_wait(pid), STOPPED);
    /* A job that was stopped has not ended. */
    char *said = cli_read("said");
    assert_non_null(strstr(said, "stopped: many v100 sm.count=4, "));
    assert_null(strstr(said, "[1/2]"));
    free(said);
    char path[160];
    snprintf(path, sizeof(path), "%s/journal", sweep_job_folder("i", 1));
    assert_true(cli_exists(path));
    /* After SIGKILL the run ends with its sweep, and another sweep can take over. */
    pid = cli_start(&rubato, words);
    sweep_await_journal("i");
    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_int_equal(cli_wait(pid), 128 + SIGKILL);
    expect(0, NULL, words);
    assert_false(cli_exists(path));
    expect(0, NULL, WORDS("run", "many", "-s", "sm.count=4", "-o", "whole"));
    cli_same_file(sweep_job_folder("i", 1), "whole", "launches.csv");
    expect(0, "0 to run", words);
}

static void a_failed_job_stands_in_the_status(void **state)
{
    (void)state;
    expect(0, NULL, WORDS("sweep", TRACE, "--vary", "sm.count=7,8", "-o", "g", "--prepare"));
    sweep_write(sweep_job_folder("g", 1), "in the way");
    expect(1, "failed", WORDS("sweep", "job", "g", "1"));
    char *status = cli_run_as(&rubato, 0, NULL, WORDS("sweep", "status", "g"));
    assert_non_null(strstr(status, "2 jobs: 1 failed, 1 waiting"));
    assert_non_null(strstr(status, "1  failed   vecadd-sm70 v100 sm.count=7: "));
    free(status);
    expect(0, "done", WORDS("sweep", "job", "g", "2"));
    expect(2, "--job: 3 is outside 1..2", WORDS("sweep", "job", "g", "3"));
    char *table = cli_run_as(&rubato, 0, NULL, WORDS("sweep", "collect", "g"));
    assert_non_null(strstr(table, "failed"));
    free(table);
}

/* A fake sbatch that records its arguments and runs the tasks itself. */
static void slurm_gets_an_array_of_what_is_not_done(void **state)
{
    (void)state;
    static const char sbatch[] =
        "#!/bin/bash\n"
        "echo \"$@\" >>sbatch.args\n"
        "while [ $# -gt 1 ]; do\n"
        "  [ \"$1\" = --array ] && list=${2%%%*}\n"
        "  shift\n"
        "done\n"
        "for part in ${list//,/ }; do\n"
        "  for i in $(seq ${part%-*} ${part#*-}); do SLURM_ARRAY_TASK_ID=$i bash \"$1\"; done\n"
        "done\n"
        "echo Submitted batch job 7\n";
    char *path = strdup(getenv("PATH")), own[4096];
    assert_int_equal(mkdir("bin", 0777), 0);
    sweep_write("bin/sbatch", sbatch);
    assert_int_equal(chmod("bin/sbatch", 0755), 0);
    expect(0, NULL, WORDS("sweep", TRACE, "--vary", "sm.count=9,10,11,12", "-o", "q", "--prepare"));
    expect(0, "done", WORDS("sweep", "job", "q", "2"));
    assert_int_equal(setenv("PATH", "/nowhere", 1), 0);
    expect(1, "sbatch was not found",
           WORDS("sweep", TRACE, "--vary", "sm.count=9,10,11,12", "-o", "q", "--slurm"));
    char *cwd = getcwd(NULL, 0);
    snprintf(own, sizeof(own), "%s/bin:%s", cwd, path);
    assert_int_equal(setenv("PATH", own, 1), 0);
    expect(0, NULL,
           WORDS("sweep", TRACE, "--vary", "sm.count=9,10,11,12", "-o", "q", "--slurm",
                 "--partition", "gpu sim", "--max-parallel", "2"));
    assert_int_equal(setenv("PATH", path, 1), 0);
    char *args = cli_read("sbatch.args");
    assert_non_null(strstr(args, "--array 1,3-4%2 "));
    assert_non_null(strstr(args, "--partition gpu sim "));
    assert_non_null(strstr(args, "RUBATO_SWEEP_OFFSET=0"));
    char *status = cli_run_as(&rubato, 0, NULL, WORDS("sweep", "status", "q"));
    assert_string_equal(status, "4 jobs: 4 done\n");
    free(status);
    free(args);
    free(cwd);
    free(path);
    expect(2, "are for --slurm", WORDS("sweep", TRACE, "--partition", "x"));
}

/* A job that runs, or seems to, on another host. */
static void pretend_to_run(const char *folder, int job, const char *host, long seconds_ago)
{
    enum { STATUS_BYTES = 240 };
    char path[192], line[STATUS_BYTES + 1];
    assert_true(mkdir(sweep_job_folder(folder, job), 0777) == 0);
    snprintf(path, sizeof(path), "%s/status", sweep_job_folder(folder, job));
    snprintf(line, sizeof(line), "rubato-status-1 0.25 2 8 1000.0 3.0 4096 %ld %s",
             (long)time(NULL) - seconds_ago, host);
    size_t n = strlen(line);
    memset(line + n, ' ', STATUS_BYTES - n);
    line[STATUS_BYTES - 1] = '\n';
    cli_write(path, line, STATUS_BYTES);
}

static void a_job_that_runs_stands_in_the_status(void **state)
{
    (void)state;
    enum { LAUNCHES = 150, STOPPED = 75 };
    const char *const *words = WORDS("sweep", "many", "--vary", "sm.count=4", "-o", "l");
    const struct timespec pause = {.tv_nsec = 20000000};
    char *status = NULL;
    cli_make_many(TRACE, LAUNCHES);
    pid_t pid = cli_start(&rubato, words);
    sweep_await_journal("l");
    do {
        free(status);
        nanosleep(&pause, NULL);
        status = cli_run_as(&rubato, 0, NULL, WORDS("sweep", "status", "l"));
    } while (strstr(status, "1 running") == NULL && strstr(status, "1 done") == NULL);
    assert_non_null(strstr(status, "1 jobs: 1 running\n"));
    assert_non_null(strstr(status, "/150"));
    assert_non_null(strstr(status, "many v100 sm.count=4"));
    free(status);
    assert_int_equal(kill(pid, SIGTERM), 0);
    assert_int_equal(cli_wait(pid), STOPPED);
    status = cli_run_as(&rubato, 0, NULL, WORDS("sweep", "status", "l"));
    assert_string_equal(status, "1 jobs: 1 stopped\n");
    free(status);
}

static void a_job_on_a_lost_node_is_waited_for_and_then_run(void **state)
{
    (void)state;
    enum { NEARLY_STALE = 58 };
    expect(0, NULL, WORDS("sweep", TRACE, "--vary", "sm.count=6,7", "-o", "n", "--prepare"));
    pretend_to_run("n", 1, "elsewhere", 0);
    pretend_to_run("n", 2, "elsewhere", NEARLY_STALE);
    char *status = cli_run_as(&rubato, 0, NULL, WORDS("sweep", "status", "n"));
    assert_non_null(strstr(status, "2 jobs: 2 running\n"));
    assert_non_null(strstr(status, "25.0 %            2/8   1.00 k inst/s"));
    free(status);
    /* Another sweep does not touch running jobs; a task for the job itself waits. */
    expect(0, "1 jobs, 0 to run", WORDS("sweep", TRACE, "--vary", "sm.count=6", "-o", "n"));
    expect(0, NULL, WORDS("sweep", TRACE, "--vary", "sm.count=6,7", "-o", "n", "--prepare"));
    expect(0, "1 to run", WORDS("sweep", "job", "n", "2"));
    status = cli_run_as(&rubato, 0, NULL, WORDS("sweep", "status", "n"));
    assert_non_null(strstr(status, "2 jobs: 1 done, 1 running\n"));
    free(status);
}

/* Entries of a folder; the last that is not hidden is kept in name. */
static int entries(const char *folder, char name[160])
{
    DIR *dir = opendir(folder);
    int n = 0;
    assert_non_null(dir);
    for (struct dirent *d; (d = readdir(dir)) != NULL;) {
        if (d->d_name[0] == '.')
            continue;
        snprintf(name, 160, "%s/%.100s", folder, d->d_name);
        n++;
    }
    closedir(dir);
    return n;
}

static void a_folder_is_left_only_where_one_was_asked_for(void **state)
{
    (void)state;
    char name[160];
    assert_int_equal(mkdir("empty", 0777), 0);
    assert_int_equal(mkdir("scratch", 0777), 0);
    assert_int_equal(chdir("empty"), 0);
    char *table =
        cli_run_as(&rubato, 0, "-o DIR keeps the runs",
                   WORDS("sweep", TRACE, "--vary", "sm.count=8,9", "--tmpdir", "../scratch"));
    assert_non_null(strstr(table, "baseline"));
    assert_null(strstr(table, "results.csv"));
    free(table);
    table = cli_run_as(&rubato, 0, "-o DIR keeps the runs",
                       WORDS("evaluate", TRACE, "--sample", "stem", "--csv", "../table.csv",
                             "--tmpdir", "../scratch"));
    assert_non_null(strstr(table, "picked"));
    free(table);
    expect(2, "did you mean",
           WORDS("sweep", TRACE, "--vary", "sm.cuont=8", "--tmpdir", "../scratch"));
    expect(2, "did you mean",
           WORDS("evaluate", TRACE, "--sample", "stme", "--tmpdir", "../scratch"));
    expect(2, "need -o DIR", WORDS("sweep", TRACE, "--prepare"));
    expect(2, "need -o DIR", WORDS("sweep", TRACE, "--slurm"));
    expect(2, "needs -o DIR", WORDS("evaluate", TRACE, "--sample", "stem", "--detectors"));
    expect(1, "../none: no temporary folder", WORDS("sweep", TRACE, "--tmpdir", "../none"));
    assert_int_equal(entries(".", name), 0);
    assert_int_equal(chdir(".."), 0);
    assert_int_equal(entries("scratch", name), 0);
    table = cli_read("table.csv");
    assert_null(strstr(table, "scratch"));
    free(table);
}

static void a_sweep_without_a_folder_can_be_continued_where_it_stopped(void **state)
{
    (void)state;
    enum { LAUNCHES = 20, STOPPED = 75 };
    char name[160], journal[200];
    cli_child_t heard = rubato;
    heard.err = "stopped";
    cli_make_many(TRACE, LAUNCHES);
    assert_int_equal(mkdir("kept", 0777), 0);
    pid_t pid = cli_start(&heard, WORDS("sweep", "many", "--vary", "sm.count=4,80", "--jobs", "1",
                                        "--tmpdir", "kept"));
    while (entries("kept", name) == 0)
        usleep(10000);
    sweep_await_journal(name);
    assert_int_equal(kill(pid, SIGTERM), 0);
    assert_int_equal(cli_wait(pid), STOPPED);
    char *said = cli_read("stopped");
    assert_int_equal(entries("kept", name), 1);
    assert_non_null(strstr(said, name));
    assert_non_null(strstr(said, "the same command with -o kept/rubato-"));
    free(said);
    snprintf(journal, sizeof(journal), "%s/journal", sweep_job_folder(name, 1));
    assert_true(cli_exists(journal));
    expect(0, NULL, WORDS("run", "many", "-s", "sm.count=4", "-o", "alone"));
    expect(0, "2 jobs, 2 to run",
           WORDS("sweep", "many", "--vary", "sm.count=4,80", "--jobs", "1", "-o", name));
    cli_same_file(sweep_job_folder(name, 1), "alone", "launches.csv");
}

/* If the record of a failure cannot be written, as on a full disk, its reason is still printed. */
static void a_reason_is_said_that_cannot_be_written(void **state)
{
    (void)state;
    char note[200];
    expect(0, NULL, WORDS("sweep", TRACE, "--vary", "sm.count=31", "-o", "w", "--prepare"));
    sweep_write(sweep_job_folder("w", 1), "in the way");
    snprintf(note, sizeof(note), "%s.failed", sweep_job_folder("w", 1));
    assert_int_equal(mkdir(note, 0777), 0);
    expect(2, "exists and is not a folder (exit status 2)", WORDS("sweep", "job", "w", "1"));
}

/* More slots than jobs: an empty slot must not count as a job that began when the machine
 * started. */
static void the_time_of_a_job_is_its_own(void **state)
{
    (void)state;
    struct timespec begun, end;
    clock_gettime(CLOCK_MONOTONIC, &begun);
    cli_result_t r = cli_run(&rubato, WORDS("sweep", TRACE, "-o", "timed", "--jobs", "8"));
    clock_gettime(CLOCK_MONOTONIC, &end);
    const char *at = strstr(r.err, "as it is, ");
    char unit[8];
    double seconds;
    assert_non_null(at);
    assert_int_equal(sscanf(at, "as it is, %lf %7s", &seconds, unit), 2);
    if (strcmp(unit, "ms") == 0)
        seconds *= 1e-3;
    assert_true(seconds <= (double)(end.tv_sec - begun.tv_sec) + 1.0);
    cli_free(&r);
}

static void results_that_cannot_be_printed_are_kept(void **state)
{
    (void)state;
    char name[160];
    cli_child_t full = rubato;
    full.out = "/dev/full";
    assert_int_equal(mkdir("unsaid", 0777), 0);
    cli_result_t r = cli_run(&full, WORDS("sweep", TRACE, "--tmpdir", "unsaid"));
    assert_int_equal(r.status, 1);
    assert_int_equal(entries("unsaid", name), 1);
    assert_non_null(strstr(r.err, "the same command with -o unsaid/rubato-"));
    cli_free(&r);
}

static void a_larger_cache_that_is_slower_is_named(void **state)
{
    static const char note[] =
        "in places a larger l2.size is slower than a smaller one: docs/sweep.md";
    char *text = cli_run_as(&rubato, 0, NULL,
                            WORDS("sweep", RUBATO_ROOT "/traces/transpose_tiled-sm70", "--gpu",
                                  "v100", "--vary", "l2.size=384KiB,768KiB", "-o", "larger"));
    (void)state;
    assert_non_null(strstr(text, note));
    free(text);
    text = cli_run_as(&rubato, 0, NULL,
                      WORDS("sweep", RUBATO_ROOT "/traces/transpose_tiled-sm70", "--gpu", "v100",
                            "--vary", "l2.size=384KiB,6MiB", "-o", "largest"));
    assert_null(strstr(text, note));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_larger_cache_that_is_slower_is_named),
        cmocka_unit_test(a_reason_is_said_that_cannot_be_written),
        cmocka_unit_test(the_time_of_a_job_is_its_own),
        cmocka_unit_test(results_that_cannot_be_printed_are_kept),
        cmocka_unit_test(a_folder_is_left_only_where_one_was_asked_for),
        cmocka_unit_test(a_sweep_without_a_folder_can_be_continued_where_it_stopped),
        cmocka_unit_test(a_job_that_fails_is_named_and_the_others_go_on),
        cmocka_unit_test(a_full_disk_is_the_reason_that_is_given),
        cmocka_unit_test(two_sweeps_in_one_folder_are_refused),
        cmocka_unit_test(an_interrupted_sweep_continues),
        cmocka_unit_test(a_job_that_runs_stands_in_the_status),
        cmocka_unit_test(a_job_on_a_lost_node_is_waited_for_and_then_run),
        cmocka_unit_test(a_failed_job_stands_in_the_status),
        cmocka_unit_test(slurm_gets_an_array_of_what_is_not_done),
    };
    return cmocka_run_group_tests(tests, cli_begin, cli_end);
}
