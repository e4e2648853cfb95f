/* Behaviour of the binary on faults: bad traces, kills, signals, a full disk. */
#include "tests/support/test.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/core/sanitizer.h"
#include "tests/support/tool/cli_child.h"
#include "tests/support/tool/json_check.h"

/* Launches of a run that is killed before its end; with the address sanitizer each takes longer. */
enum { MANY = RB_ADDRESS_SANITIZER ? 20 : 30 };

static void a_damaged_trace_exits_with_2_names_the_place_and_leaves_nothing(void **state)
{
    (void)state;
    static const char header[] = "-kernel name = k\n-kernel id = 1\n-grid dim = (1,1,1)\n"
                                 "-block dim = (32,1,1)\n-shmem = 0\n-nregs = 8\n"
                                 "-binary version = 70\n-cuda stream id = 0\n"
                                 "-accelsim tracer version = 3\n\n#traces format\n\n#BEGIN_TB\n\n"
                                 "thread block = 0,0,0\n\nwarp = 0\ninsts = 2\n"
                                 "0000 ffffffff 1 R1 MOV 0 0 \n";
    char text[1024];
    snprintf(text, sizeof(text), "%s0010 zzzz 0 EXIT 0 0 \n\n#END_TB\n", header);
    cli_write("bad.traceg", text, strlen(text));
    expect(2, "bad.traceg:20", WORDS("run", "bad.traceg", "-o", "bad-out"));
    assert_false(cli_exists("bad-out"));
    cli_write("cut.traceg", header, strlen(header));
    expect(2, "cut.traceg", WORDS("run", "cut.traceg", "-o", "bad-out"));
    assert_false(cli_exists("bad-out"));
    char *whole = cli_read(TRACE "/kernel-1.traceg.xz");
    assert_non_null(whole);
    cli_write("cut.traceg.xz", whole, 4000);
    free(whole);
    expect(2, "cut.traceg.xz", WORDS("run", "cut.traceg.xz", "-o", "bad-out"));
    assert_false(cli_exists("bad-out"));
    mkdir("bad-out", 0777);
    expect(2, "cut.traceg.xz", WORDS("run", "cut.traceg.xz", "-o", "bad-out"));
    assert_int_equal(rmdir("bad-out"), 0);
    expect(2, NULL, WORDS("info", "cut.traceg.xz", "--count"));
}

/* Both warps load from address 0, and one waits at a barrier more. The same from a native file. */
static void what_a_trace_has_lost_is_said_with_counts(void **state)
{
    static const char text[] =
        "-kernel name = k\n-kernel id = 1\n-grid dim = (1,1,1)\n-block dim = (64,1,1)\n"
        "-shmem = 0\n-nregs = 8\n-binary version = 70\n-cuda stream id = 0\n"
        "-accelsim tracer version = 3\n\n#traces format\n\n#BEGIN_TB\n\nthread block = 0,0,0\n\n"
        "warp = 0\ninsts = 3\n0000 ffffffff 1 R4 LDG.E 1 R2 4 1 0x0 0 \n"
        "0010 ffffffff 0 BAR.SYNC 0 0 \n0020 ffffffff 0 EXIT 0 0 \n"
        "warp = 1\ninsts = 4\n0000 ffffffff 1 R4 LDG.E 1 R2 4 1 0x0 0 \n"
        "0010 ffffffff 0 BAR.SYNC 0 0 \n0010 ffffffff 0 BAR.SYNC 0 0 \n"
        "0020 ffffffff 0 EXIT 0 0 \n\n#END_TB\n";
    static const char loads[] = "2 of 2 accesses of global memory go to address 0",
                      barriers[] = "1 of 1 blocks have warps that reach more barriers than others";
    (void)state;
    cli_write("lost.traceg", text, sizeof(text) - 1);
    expect(0, loads, WORDS("run", "lost.traceg", "-o", "lost-out"));
    expect(0, barriers, WORDS("run", "lost.traceg"));
    char *json = cli_read_json("lost-out/run.json");
    assert_true(json_is(json, "trace.doubts.null_accesses", "2"));
    assert_true(json_is(json, "trace.doubts.uneven_blocks", "1"));
    assert_true(json_is(json, "trace.doubts.empty_blocks", "0"));
    free(json);
    expect(0, loads, WORDS("info", "lost.traceg", "--count"));
    char *short_info = cli_run_as(&rubato, 0, NULL, WORDS("info", "lost.traceg"));
    assert_non_null(strstr(short_info, "--count reads the instructions, and says what"));
    free(short_info);
    expect(0, NULL, WORDS("convert", "lost.traceg", "lost.rbt"));
    expect(0, loads, WORDS("run", "lost.rbt"));
    expect(0, barriers, WORDS("trace", "verify", "lost.rbt"));
}

/* Number of the file at path, which changes when it is replaced; 0: there is none. */
static ino_t file_number(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 ? st.st_ino : 0;
}

/* Waits for the checkpoint in folder to be another file than before. */
static bool await_checkpoint(const char *folder, ino_t before)
{
    char path[64];
    snprintf(path, sizeof(path), "%s/checkpoint", folder);
    for (int i = 0; i < 60000; i++) {
        ino_t now = file_number(path);
        if (now != 0 && now != before)
            return true;
        usleep(1000);
    }
    return false;
}

static void a_killed_run_resumes_to_the_same_results(void **state)
{
    (void)state;
    cli_make_many(TRACE, 12);
    expect(0, NULL, WORDS("run", "many", "-o", "whole", "--stats-interval", "2k"));
    const char *const *again = WORDS("run", "many", "-o", "killed", "--stats-interval", "2k",
                                     "--resume", "--checkpoint-interval", "0");
    pid_t pid = cli_start(&rubato, again);
    assert_true(await_checkpoint("killed", 0));
    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_int_equal(cli_wait(pid), 128 + SIGKILL);
    assert_false(cli_exists("killed/run.json"));
    expect(2, "unfinished run", WORDS("run", "many", "-o", "killed"));
    expect(2, "cannot resume",
           WORDS("run", "many", "-o", "killed", "--resume", "-s", "l2.ways=12"));
    /* More kills at arbitrary moments; some may come after the end of the run. */
    for (unsigned i = 0; i < 8; i++) {
        pid = cli_start(&rubato, again);
        usleep(20000 + 25000 * i);
        kill(pid, SIGKILL);
        cli_wait(pid);
    }
    expect(0, NULL, again);
    cli_same_results("whole", "killed");
    cli_same_file("whole", "killed", "intervals.csv");
    assert_false(cli_exists("killed/journal") || cli_exists("killed/checkpoint"));
}

/* Copies the kernel of a folder of text to another stream. */
static void kernel_in_stream(const char *from, const char *to, char stream)
{
    static const char line[] = "-cuda stream id = ";
    char *text = cli_read(from);
    assert_non_null(text);
    char *at = strstr(text, line);
    assert_non_null(at);
    at[sizeof(line) - 1] = stream;
    cli_write(to, text, strlen(text));
    free(text);
}

/* Launches of two streams, in pairs; the host waits for a copy after each pair. */
static void make_pairs(unsigned n)
{
    static const char pair[] =
        "kernel-1.traceg\nkernel-2.traceg\nMemcpyHtoD,0x00007f0000000000,4096\n";
    char list[2048] = "";
    assert_true(n * sizeof(pair) < sizeof(list));
    expect(0, NULL, WORDS("convert", TRACE, "pairs", "--to", "accelsim"));
    kernel_in_stream("pairs/kernel-1.traceg", "pairs/kernel-2.traceg", '3');
    kernel_in_stream("pairs/kernel-1.traceg", "pairs/kernel-1.traceg", '2');
    for (unsigned i = 0; i < n; i++)
        strcat(list, pair);
    cli_write("pairs/kernelslist.g", list, strlen(list));
}

/* Launches that overlap: checkpoints are written where none runs. */
static void a_killed_run_of_streams_resumes_to_the_same_results(void **state)
{
    (void)state;
    make_pairs(MANY / 2);
    const char *const *again = WORDS("run", "pairs", "-s", "gpu.concurrent_launches=128", "-o",
                                     "cut", "--resume", "--checkpoint-interval", "0");
    expect(0, MANY == 30 ? "of 30 launches overlapped" : "of 20 launches overlapped",
           WORDS("run", "pairs", "-s", "gpu.concurrent_launches=128", "-o", "uncut"));
    pid_t pid = cli_start(&rubato, again);
    assert_true(await_checkpoint("cut", 0));
    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_int_equal(cli_wait(pid), 128 + SIGKILL);
    assert_false(cli_exists("cut/run.json"));
    expect(0, "continues after ", again);
    cli_same_results("uncut", "cut");
    cli_same_file("uncut", "cut", "streams.csv");
    cli_same_file("uncut", "cut", "copies.csv");
}

/* Sampled launches are preceded by a walk from the last simulated one on, and rounds go back in the
 * program: a checkpoint knows where the caches are. */
static void a_killed_sampled_run_resumes_to_the_same_results(void **state)
{
    (void)state;
    static const char sampler[] = "stem_online:epsilon=0.05";
    expect(0, NULL,
           WORDS("gen", "train", "--size", "120", "-p", "width=16", "-p", "rows=1000", "-o",
                 "train.rbt"));
    expect(0, NULL, WORDS("run", "train.rbt", "--sample", sampler, "-o", "sampled"));
    char *json = cli_read_json("sampled/run.json");
    assert_true(json_is(json, "simulated.warmup", "\"functional\""));
    assert_true(json_number(json, "simulated.touched_launches") > 0);
    free(json);
    const char *const *again = WORDS("run", "train.rbt", "--sample", sampler, "-o", "shot",
                                     "--resume", "--checkpoint-interval", "0");
    for (unsigned i = 0; i < 6; i++) {
        const ino_t before = file_number("shot/checkpoint");
        pid_t pid = cli_start(&rubato, again);
        if (cli_exists("shot/run.json") || !await_checkpoint("shot", before)) {
            cli_wait(pid);
            break;
        }
        usleep(20000 * i);
        kill(pid, SIGKILL);
        cli_wait(pid);
    }
    expect(0, NULL, again);
    cli_same_results("sampled", "shot");
}

/* The errors of launches that were estimated before the run was killed are kept, and with them the
 * intervals of all statistics. */
static void a_killed_run_keeps_the_errors_of_its_launches(void **state)
{
    (void)state;
    static const char sampler[] = "random:fraction=60%,smarts";
    expect(0, NULL, WORDS("gen", "srad", "--size", "768", "-p", "iterations=3", "-o", "srad.rbt"));
#define RUN_SRAD                                                                                   \
    "run", "srad.rbt", "--gpu", "rtx2060", "-s", "sm.count=4", "--sample", sampler, "-o"
    expect(0, NULL, WORDS(RUN_SRAD, "estimated"));
    char *json = cli_read_json("estimated/run.json");
    assert_non_null(strstr(json, "\"stratified t, jackknife inside launches\""));
    assert_true(json_number(json, "launches.0.interval.metrics.ipc.low") > 0);
    assert_true(json_number(json, "totals.interval.metrics.ipc.low") > 0);
    free(json);
    const char *const *again = WORDS(RUN_SRAD, "broken", "--resume", "--checkpoint-interval", "0");
    pid_t pid = cli_start(&rubato, again);
    assert_true(await_checkpoint("broken", 0));
    kill(pid, SIGKILL);
    cli_wait(pid);
    expect(0, NULL, again);
    cli_same_results("estimated", "broken");
}

static void a_stopped_run_says_so_and_resumes_to_the_same_results(void **state)
{
    (void)state;
    static const int signals[] = {SIGTERM, SIGINT, SIGUSR2};
    cli_make_many(TRACE, MANY);
    expect(0, NULL, WORDS("run", "many", "-o", "unbroken"));
    for (size_t i = 0; i < 3; i++) {
        const char *const *words =
            WORDS("run", "many", "-o", "stopped", "--resume", "--checkpoint-interval", "0");
        ino_t before = file_number("stopped/checkpoint");
        pid_t pid = cli_start(&rubato, words);
        assert_true(await_checkpoint("stopped", before));
        assert_int_equal(kill(pid, signals[i]), 0);
        assert_int_equal(cli_wait(pid), 75);
        char *json = cli_read_json("stopped/run.json");
        assert_true(json_is(json, "complete", "false"));
        assert_true(json_number(json, "simulated.launches") < MANY);
        free(json);
    }
    expect(0, NULL, WORDS("run", "many", "-o", "stopped", "--resume"));
    cli_same_results("unbroken", "stopped");
}

static void a_run_in_the_background_is_not_interrupted(void **state)
{
    (void)state;
    const cli_child_t job = {.binary = RUBATO_BINARY, .background = true};
    cli_make_many(TRACE, 10);
    pid_t pid = cli_start(&job, WORDS("run", "many", "-o", "job", "--checkpoint-interval", "0"));
    assert_true(await_checkpoint("job", 0));
    assert_int_equal(kill(pid, SIGINT), 0);
    assert_int_equal(cli_wait(pid), 0);
    char *json = cli_read_json("job/run.json");
    assert_true(json_is(json, "complete", "true"));
    free(json);
}

static void a_full_disk_exits_with_1_and_leaves_no_half_written_file(void **state)
{
    (void)state;
    struct stat result;
    cli_make_many(TRACE, 2);
    expect(0, NULL, WORDS("run", "many", "-o", "not-full"));
    assert_int_equal(stat("not-full/run.json", &result), 0);
    for (long limit = 100; limit < result.st_size; limit *= 4) {
        cli_child_t small = {.binary = RUBATO_BINARY, .file_limit = limit, .out = "/dev/null"};
        cli_run_as(&small, 1, "cannot write", WORDS("run", "many", "-o", "full", "--force"));
        assert_false(cli_exists("full/run.json") || cli_exists("full/launches.csv") ||
                     cli_exists("full/stats.csv") || cli_exists("full/config.cfg"));
        assert_false(cli_exists("full/.run.json.tmp") || cli_exists("full/.checkpoint.tmp") ||
                     cli_exists("full/.launches.csv.tmp"));
    }
    expect(0, NULL, WORDS("run", "many", "-o", "full", "--resume"));
    cli_same_results("full", "not-full");
}

static void a_damaged_checkpoint_or_journal_is_reported(void **state)
{
    (void)state;
    cli_make_many(TRACE, MANY);
    pid_t pid = cli_start(&rubato, WORDS("run", "many", "-o", "hurt"));
    assert_true(await_checkpoint("hurt", 0));
    kill(pid, SIGKILL);
    cli_wait(pid);
    struct stat st;
    assert_int_equal(stat("hurt/checkpoint", &st), 0);
    FILE *f = fopen("hurt/checkpoint", "r+");
    assert_non_null(f);
    fseek(f, st.st_size / 2, SEEK_SET);
    int c = fgetc(f);
    fseek(f, st.st_size / 2, SEEK_SET);
    fputc(c ^ 1, f);
    fclose(f);
    unlink("hurt/checkpoint.previous");
    expect(1, "hurt/checkpoint: damaged", WORDS("run", "many", "-o", "hurt", "--resume"));
    assert_true(cli_exists("hurt/journal"));
    cli_write("hurt/journal", "rubbish", 7);
    expect(2, "hurt/journal: not a journal that this version of rubato reads; --force starts over",
           WORDS("run", "many", "-o", "hurt", "--resume"));
    expect(0, NULL, WORDS("run", TRACE, "-o", "hurt", "--force"));
}

static void only_files_are_replaced_whatever_is_asked_for(void **state)
{
    (void)state;
    static const char why[] = "pipe: is not a regular file";
    struct stat st;

    assert_int_equal(mkfifo("pipe", 0600), 0);
    expect(0, NULL, WORDS("run", TRACE, "-o", "sound"));
    expect(0, NULL, WORDS("convert", TRACE, "sound.rbt"));
    expect(2, why, WORDS("convert", "--force", TRACE, "pipe"));
    expect(2, why, WORDS("trace", "slice", "sound.rbt", "--launches", "1", "-f", "-o", "pipe"));
    expect(2, why, WORDS("gen", "vecadd", "--size", "1000", "--force", "-o", "pipe"));
    expect(2, why, WORDS("plan", "sound", "--sample", "stem", "-o", "pipe"));
    expect(2, why, WORDS("evaluate", "sound", "--sample", "stem", "--csv", "pipe"));
    expect(2, why, WORDS("report", "sound", "-o", "pipe"));
    expect(2, why, WORDS("run", TRACE, "--timeline", "pipe"));
    expect(2, "pipe: exists and is not a folder", WORDS("run", TRACE, "-o", "pipe", "--force"));
    expect(2, "pipe: exists and is not a folder", WORDS("run", TRACE, "-o", "pipe/in/it"));
    expect(2, "pipe: exists and is not a folder",
           WORDS("sweep", TRACE, "--vary", "sm.count=40", "-o", "pipe"));
    expect(2, "pipe: exists and is not a folder",
           WORDS("convert", "--to", "accelsim", TRACE, "pipe"));
    assert_int_equal(lstat("pipe", &st), 0);
    assert_true(S_ISFIFO(st.st_mode));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_damaged_trace_exits_with_2_names_the_place_and_leaves_nothing),
        cmocka_unit_test(what_a_trace_has_lost_is_said_with_counts),
        cmocka_unit_test(a_killed_run_resumes_to_the_same_results),
        cmocka_unit_test(a_killed_run_of_streams_resumes_to_the_same_results),
        cmocka_unit_test(a_killed_sampled_run_resumes_to_the_same_results),
        cmocka_unit_test(a_killed_run_keeps_the_errors_of_its_launches),
        cmocka_unit_test(a_stopped_run_says_so_and_resumes_to_the_same_results),
        cmocka_unit_test(a_run_in_the_background_is_not_interrupted),
        cmocka_unit_test(a_full_disk_exits_with_1_and_leaves_no_half_written_file),
        cmocka_unit_test(a_damaged_checkpoint_or_journal_is_reported),
        cmocka_unit_test(only_files_are_replaced_whatever_is_asked_for),
    };
    return cmocka_run_group_tests(tests, cli_begin, cli_end);
}
