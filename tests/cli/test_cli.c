/* The binary as a user meets it: help, messages, exit statuses, results, faults. */
#include "tests/support/test.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "frontend/cli/options.h"
#include "frontend/cli/version.h"
#include "sim/sm/sm_stats.h"
#include "tests/support/cli_child.h"
#include "tests/support/json_check.h"

#define TRACE      RUBATO_ROOT "/traces/vecadd-sm70"
#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

static const cli_child_t rubato = {.binary = RUBATO_BINARY};

/* Runs, checks the status, and that standard error holds what it must (NULL: anything). */
static char *run_as(const cli_child_t *child, int status, const char *message,
                    const char *const *words)
{
    cli_result_t r = cli_run(child, words);
    if (r.status != status || (message != NULL && strstr(r.err, message) == NULL))
        print_error("status %d, wanted %d with '%s'; it said: %s\n", r.status, status,
                    message != NULL ? message : "", r.err);
    assert_int_equal(r.status, status);
    if (message != NULL)
        assert_non_null(strstr(r.err, message));
    free(r.err);
    return r.out;
}

static void expect(int status, const char *message, const char *const *words)
{
    free(run_as(&rubato, status, message, words));
}

/* A folder "many" with n launches of the bundled kernel. */
static void make_many(int n)
{
    char list[2048] = "";
    char source[1024];
    mkdir("many", 0777);
    snprintf(source, sizeof(source), "%s/kernel-1.traceg.xz", TRACE);
    if (!cli_exists("many/kernel-1.traceg.xz"))
        assert_int_equal(symlink(source, "many/kernel-1.traceg.xz"), 0);
    for (int i = 0; i < n; i++)
        strcat(list, "kernel-1.traceg.xz\n");
    cli_write("many/kernelslist.g", list, strlen(list));
}

static void expect_same_file(const char *a, const char *b, const char *name)
{
    char path[256];
    snprintf(path, sizeof(path), "%s/%s", a, name);
    char *x = cli_read(path);
    snprintf(path, sizeof(path), "%s/%s", b, name);
    char *y = cli_read(path);
    assert_non_null(x);
    assert_non_null(y);
    assert_string_equal(x, y);
    free(x);
    free(y);
}

static void expect_same_results(const char *a, const char *b)
{
    expect_same_file(a, b, "stats.csv");
    expect_same_file(a, b, "launches.csv");
    expect_same_file(a, b, "config.cfg");
}

static char *read_json(const char *path)
{
    char *text = cli_read(path);
    assert_non_null(text);
    assert_null(json_check(text));
    return text;
}

static void every_command_explains_its_options(void **state)
{
    (void)state;
    for (const cli_command_t *c = cli_commands; c->name != NULL; c++) {
        char *by_option = run_as(&rubato, 0, NULL, WORDS(c->name, "--help"));
        char *by_command = run_as(&rubato, 0, NULL, WORDS("help", c->name));
        assert_string_equal(by_option, by_command);
        for (size_t i = 0; i < c->n_options; i++)
            assert_true((strstr(by_option, c->options[i].name) != NULL) != c->options[i].hidden);
        free(by_option);
        free(by_command);
    }
    char *overview = run_as(&rubato, 0, NULL, WORDS("--help"));
    for (const cli_command_t *c = cli_commands; c->name != NULL; c++)
        assert_non_null(strstr(overview, c->name));
    free(overview);
    char *version = run_as(&rubato, 0, NULL, WORDS("--version"));
    assert_non_null(strstr(version, RUBATO_VERSION));
    free(version);
}

static void the_completion_script_is_one_that_bash_accepts(void **state)
{
    (void)state;
    char *script = run_as(&rubato, 0, NULL, WORDS("completion", "bash"));
    cli_write("completion.sh", script, strlen(script));
    free(script);
    assert_int_equal(system("bash -n completion.sh"), 0);
    assert_int_equal(system("bash -c '. ./completion.sh; COMP_WORDS=(rubato run --stats-f); "
                            "COMP_CWORD=2; _rubato; test \"${COMPREPLY[*]}\" = --stats-format'"),
                     0);
    assert_int_equal(system("bash -c '. ./completion.sh; COMP_WORDS=(rubato conf); COMP_CWORD=1; "
                            "_rubato; test \"${COMPREPLY[*]}\" = config'"),
                     0);
}

static void a_mistake_of_the_user_exits_with_2_and_says_what_to_do(void **state)
{
    (void)state;
    expect(2, "Usage: rubato COMMAND", (const char *const[]){NULL});
    expect(2, "did you mean 'run'?", WORDS("rum"));
    expect(2, "did you mean '--json'?", WORDS("run", "--jsn", TRACE));
    expect(2, "TRACE is missing", WORDS("run"));
    expect(2, "unexpected argument 'b'", WORDS("run", TRACE, "b"));
    expect(2, "did you mean", WORDS("run", TRACE, "-s", "l2.waays=4"));
    expect(2, "l2.ways", WORDS("run", TRACE, "-s", "l2.ways=many"));
    expect(2, "v100", WORDS("run", TRACE, "--gpu", "v1000"));
    expect(2, "--threads", WORDS("run", TRACE, "--threads", "none"));
    expect(2, "the trace has launches 1..1", WORDS("run", TRACE, "--launches", "2"));
    expect(2, "--resume needs the folder", WORDS("run", TRACE, "--resume"));
    expect(2, "needs a folder", WORDS("run", TRACE, "--stats-interval", "100"));
    expect(2, "--debug-window", WORDS("run", TRACE, "--debug-window", "100000"));
    expect(2, "choose one", WORDS("run", TRACE, "--json", "--stats-format", "accelsim"));
}

static void a_failure_of_the_environment_exits_with_1(void **state)
{
    (void)state;
    expect(1, "nowhere", WORDS("run", "nowhere"));
    expect(1, "nowhere", WORDS("info", "nowhere"));
    cli_write("plainfile", "x", 1);
    expect(1, "plainfile/out", WORDS("run", TRACE, "-o", "plainfile/out"));
    if (cli_exists("/dev/full")) {
        cli_child_t full = {.binary = RUBATO_BINARY, .out = "/dev/full"};
        run_as(&full, 1, "standard output", WORDS("run", TRACE));
        run_as(&full, 1, "standard output", WORDS("info", TRACE));
        run_as(&full, 1, "standard output", WORDS("help"));
    }
}

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

static void a_run_writes_one_folder_of_agreeing_files(void **state)
{
    (void)state;
    make_many(2);
    char *table = run_as(&rubato, 0, "warp-inst/s", WORDS("run", "many", "-o", "two/deep"));
    assert_non_null(strstr(table, "vecadd"));
    assert_non_null(strstr(table, "v100 (chosen by"));
    assert_non_null(strstr(table, "busiest part"));
    free(table);
    assert_false(cli_exists("two/deep/journal") || cli_exists("two/deep/checkpoint"));
    assert_false(cli_exists("two/deep/intervals.csv"));
    char *json = read_json("two/deep/run.json");
    assert_true(json_is(json, "schema", "1"));
    assert_true(json_is(json, "complete", "true"));
    assert_true(json_is(json, "rubato.version", "\"" RUBATO_VERSION "\""));
    assert_true(json_is(json, "command", "\"rubato run many -o two/deep\""));
    assert_true(json_is(json, "gpu", "\"v100\""));
    assert_true(json_is(json, "totals.estimated", "false"));
    assert_true(json_is(json, "totals.interval", "null"));
    assert_true(json_is(json, "launches.1.sampling", "null"));
    assert_true(json_is(json, "launches.1.id", "2"));
    assert_true(json_is(json, "simulated.launches", "2"));
    assert_true(json_is(json, "launches.0.name", "\"_Z6vecaddPKfS0_Pfi\"") ||
                json_is(json, "launches.0.name", "\"vecadd\""));
    static const char *const summed[] = {"cycles",      "warp_instructions", "thread_instructions",
                                         "sm.branches", "l2.read_sectors",   "dram.read_sectors"};
    for (size_t i = 0; i < sizeof(summed) / sizeof(summed[0]); i++) {
        char path[3][64];
        snprintf(path[0], sizeof(path[0]), "totals.%s", summed[i]);
        snprintf(path[1], sizeof(path[1]), "launches.0.%s", summed[i]);
        snprintf(path[2], sizeof(path[2]), "launches.1.%s", summed[i]);
        assert_true(json_number(json, path[1]) >= 0);
        assert_true(json_number(json, path[0]) ==
                    json_number(json, path[1]) + json_number(json, path[2]));
    }
    static const char *const positive[] = {"totals.seconds",
                                           "totals.ipc",
                                           "host.seconds",
                                           "host.cpu_seconds",
                                           "host.peak_rss_bytes",
                                           "host.threads",
                                           "host.warp_instructions_per_second",
                                           "host.slowdown",
                                           "launches.0.occupancy.theoretical",
                                           "launches.0.occupancy.achieved",
                                           "launches.0.occupancy.blocks_per_sm"};
    for (size_t i = 0; i < sizeof(positive) / sizeof(positive[0]); i++)
        assert_true(json_number(json, positive[i]) > 0);
    assert_true(json_number(json, "totals.cycles_without_launch_latency") ==
                json_number(json, "totals.cycles") -
                    json_number(json, "totals.launch_latency_cycles"));
    /* Every cycle of every warp slot is in exactly one state. */
    double states = 0.0;
    for (size_t i = 0; i < STATE_COUNT; i++) {
        char path[128];
        snprintf(path, sizeof(path), "totals.sm.%s", sm_stat_defs[i].name);
        states += json_number(json, path);
    }
    assert_true(states == json_number(json, "totals.warp_slot_cycles"));
    free(json);
}

/* Fields of the first line of a CSV text without quotes; its lines. */
static void count_csv(const char *text, size_t *fields, size_t *lines)
{
    *fields = 1;
    *lines = 0;
    for (const char *s = text; *s != '\0' && *s != '\n'; s++)
        *fields += *s == ',';
    for (const char *s = text; *s != '\0'; s++)
        *lines += *s == '\n';
}

static void csv_rows_have_as_many_fields_as_their_header(void **state)
{
    (void)state;
    static const char *const names[] = {"csv/launches.csv", "csv/intervals.csv", "csv/stats.csv"};
    make_many(3);
    expect(0, NULL, WORDS("run", "many", "-o", "csv", "--stats-interval", "1k"));
    for (size_t i = 0; i < 3; i++) {
        char *text = cli_read(names[i]);
        assert_non_null(text);
        size_t fields, lines, row;
        count_csv(text, &fields, &lines);
        assert_true(i == 0 ? lines == 4 : lines > 10);
        for (const char *s = strchr(text, '\n') + 1; *s != '\0'; s = strchr(s, '\n') + 1) {
            size_t rest;
            count_csv(s, &row, &rest);
            assert_int_equal(row, fields);
        }
        free(text);
    }
}

static void intervals_add_up_to_their_launch(void **state)
{
    (void)state;
    make_many(2);
    expect(0, NULL,
           WORDS("run", "many", "-o", "parts", "--stats-interval", "777", "--launches", "2"));
    char *json = read_json("parts/run.json");
    char *text = cli_read("parts/intervals.csv");
    double sum = 0.0, previous_end = 0.0;
    int column = 0;
    for (const char *s = text; strncmp(s, "sm.warp_insts", 13) != 0; s = strchr(s, ',') + 1)
        column++;
    for (const char *s = strchr(text, '\n') + 1; *s != '\0'; s = strchr(s, '\n') + 1) {
        unsigned long launch;
        double from, to;
        assert_int_equal(sscanf(s, "%lu,%lf,%lf", &launch, &from, &to), 3);
        assert_int_equal(launch, 2);
        assert_true(from == previous_end && to > from);
        previous_end = to;
        const char *field = s;
        for (int i = 0; i < column; i++)
            field = strchr(field, ',') + 1;
        sum += strtod(field, NULL);
    }
    assert_true(sum == json_number(json, "totals.warp_instructions"));
    assert_true(previous_end == json_number(json, "totals.cycles"));
    free(text);
    free(json);
}

static void json_goes_to_standard_output_on_request(void **state)
{
    (void)state;
    char *json = run_as(&rubato, 0, NULL, WORDS("run", TRACE, "--json", "--gpu", "titan_v"));
    assert_null(json_check(json));
    assert_true(json_is(json, "gpu", "\"titan_v\""));
    assert_true(json_number(json, "totals.cycles") > 0);
    char *info = run_as(&rubato, 0, NULL, WORDS("info", TRACE, "--json", "--count"));
    assert_null(json_check(info));
    assert_true(json_number(info, "totals.warp_instructions") ==
                json_number(json, "totals.warp_instructions"));
    assert_true(json_number(info, "totals.thread_instructions") ==
                json_number(json, "totals.thread_instructions"));
    assert_true(json_number(info, "launches.0.occupancy.blocks_per_sm") ==
                json_number(json, "launches.0.occupancy.blocks_per_sm"));
    free(info);
    free(json);
}

static void names_of_accelsim_carry_the_same_values(void **state)
{
    (void)state;
    make_many(2);
    char *json = run_as(&rubato, 0, NULL, WORDS("run", "many", "--json"));
    char *text = run_as(&rubato, 0, NULL, WORDS("run", "many", "--stats-format", "accelsim"));
    static const struct {
        const char *name, *path;
    } pairs[] = {{"gpu_tot_sim_cycle = ", "totals.cycles"},
                 {"gpu_tot_sim_insn = ", "totals.thread_instructions"},
                 {"gpgpu_n_tot_w_icount = ", "totals.warp_instructions"},
                 {"total dram reads = ", "totals.dram.read_sectors"},
                 {"\tL2_cache_stats_breakdown[GLOBAL_ACC_R][HIT] = ", "totals.l2.read_hits"},
                 {"gpu_sim_cycle = ", "launches.1.cycles"}};
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        const char *last = NULL;
        for (const char *s = text; (s = strstr(s, pairs[i].name)) != NULL; s++) {
            if (s == text || s[-1] == '\n')
                last = s;
        }
        assert_non_null(last);
        assert_true(strtod(last + strlen(pairs[i].name), NULL) == json_number(json, pairs[i].path));
    }
    const char end[] = "GPGPU-Sim: *** exit detected ***\n";
    assert_string_equal(text + strlen(text) - strlen(end), end);
    free(json);
    free(text);
}

static void only_the_launches_asked_for_are_simulated(void **state)
{
    (void)state;
    make_many(5);
    char *json = run_as(&rubato, 0, NULL, WORDS("run", "many", "--json", "--launches", "2-3,5"));
    assert_true(json_is(json, "simulated.launches", "3"));
    assert_true(json_is(json, "launches.0.id", "2"));
    assert_true(json_is(json, "launches.1.id", "3"));
    assert_true(json_is(json, "launches.2.id", "5"));
    free(json);
}

static void threads_and_window_do_not_change_a_byte(void **state)
{
    (void)state;
    static const char *const variants[][2] = {
        {"1", "W"}, {"2", "W"}, {"3", "W"}, {"2", "1"}, {"1", "3"}};
    make_many(2);
    for (size_t i = 0; i < sizeof(variants) / sizeof(variants[0]); i++) {
        char folder[32];
        snprintf(folder, sizeof(folder), "variant-%zu", i);
        expect(0, NULL,
               WORDS("run", "many", "-o", folder, "--stats-interval", "500", "--threads",
                     variants[i][0], "--debug-window", variants[i][1]));
        expect_same_results("variant-0", folder);
        expect_same_file("variant-0", folder, "intervals.csv");
    }
}

static void flushing_between_launches_is_a_setting_like_any_other(void **state)
{
    (void)state;
    make_many(2);
    char *kept = run_as(&rubato, 0, NULL, WORDS("run", "many", "--json"));
    char *a = run_as(&rubato, 0, NULL, WORDS("run", "many", "--json", "--flush-between-launches"));
    char *b = run_as(&rubato, 0, NULL, WORDS("run", "many", "--json", "-s", "warmup.mode=flush"));
    assert_true(json_number(a, "totals.dram.read_sectors") >
                json_number(kept, "totals.dram.read_sectors"));
    assert_true(json_number(a, "totals.cycles") == json_number(b, "totals.cycles"));
    free(kept);
    free(a);
    free(b);
}

static void results_are_overwritten_only_on_request(void **state)
{
    (void)state;
    expect(0, NULL, WORDS("run", TRACE, "-o", "kept"));
    expect(2, "--force", WORDS("run", TRACE, "-o", "kept"));
    expect(0, "already complete", WORDS("run", TRACE, "-o", "kept", "--resume"));
    expect(2, "another run", WORDS("run", TRACE, "-o", "kept", "--resume", "-s", "l2.ways=12"));
    expect(0, NULL, WORDS("run", TRACE, "-o", "kept", "--force", "-s", "sm.count=40"));
    char *json = read_json("kept/run.json");
    assert_true(json_is(json, "config.overrides", "1"));
    free(json);
}

/* Waits until path exists or the child has ended. */
static bool await_file(const char *path)
{
    for (int i = 0; i < 60000 && !cli_exists(path); i++)
        usleep(1000);
    return cli_exists(path);
}

static void a_killed_run_resumes_to_the_same_results(void **state)
{
    (void)state;
    make_many(30);
    expect(0, NULL, WORDS("run", "many", "-o", "whole", "--stats-interval", "2k"));
    const char *const *again = WORDS("run", "many", "-o", "killed", "--stats-interval", "2k",
                                     "--resume", "--checkpoint-interval", "0");
    pid_t pid = cli_start(&rubato, again);
    assert_true(await_file("killed/checkpoint"));
    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_int_equal(cli_wait(pid), 128 + SIGKILL);
    assert_false(cli_exists("killed/run.json"));
    expect(2, "unfinished run", WORDS("run", "many", "-o", "killed"));
    expect(2, "cannot resume",
           WORDS("run", "many", "-o", "killed", "--resume", "-s", "l2.ways=12"));
    /* Further kills at whatever moment; some may come after its end. */
    for (unsigned i = 0; i < 8; i++) {
        pid = cli_start(&rubato, again);
        usleep(20000 + 25000 * i);
        kill(pid, SIGKILL);
        cli_wait(pid);
    }
    expect(0, NULL, again);
    expect_same_results("whole", "killed");
    expect_same_file("whole", "killed", "intervals.csv");
    assert_false(cli_exists("killed/journal") || cli_exists("killed/checkpoint"));
}

static void a_stopped_run_says_so_and_resumes_to_the_same_results(void **state)
{
    (void)state;
    static const int signals[] = {SIGTERM, SIGINT, SIGUSR2};
    make_many(30);
    expect(0, NULL, WORDS("run", "many", "-o", "unbroken"));
    for (size_t i = 0; i < 3; i++) {
        const char *const *words =
            WORDS("run", "many", "-o", "stopped", "--resume", "--checkpoint-interval", "0");
        pid_t pid = cli_start(&rubato, words);
        assert_true(await_file("stopped/checkpoint"));
        usleep(5000);
        assert_int_equal(kill(pid, signals[i]), 0);
        assert_int_equal(cli_wait(pid), 75);
        char *json = read_json("stopped/run.json");
        assert_true(json_is(json, "complete", "false"));
        assert_true(json_number(json, "simulated.launches") < 30);
        free(json);
    }
    expect(0, NULL, WORDS("run", "many", "-o", "stopped", "--resume"));
    expect_same_results("unbroken", "stopped");
}

static void a_full_disk_exits_with_1_and_leaves_no_half_written_file(void **state)
{
    (void)state;
    make_many(2);
    for (long limit = 100; limit < 100000; limit *= 4) {
        cli_child_t small = {.binary = RUBATO_BINARY, .file_limit = limit, .out = "/dev/null"};
        run_as(&small, 1, "cannot write", WORDS("run", "many", "-o", "full", "--force"));
        assert_false(cli_exists("full/run.json") || cli_exists("full/launches.csv") ||
                     cli_exists("full/stats.csv") || cli_exists("full/config.cfg"));
        assert_false(cli_exists("full/.run.json.tmp") || cli_exists("full/.checkpoint.tmp") ||
                     cli_exists("full/.launches.csv.tmp"));
    }
    expect(0, NULL, WORDS("run", "many", "-o", "full", "--resume"));
    expect(0, NULL, WORDS("run", "many", "-o", "not-full"));
    expect_same_results("full", "not-full");
}

static void a_damaged_checkpoint_or_journal_is_reported(void **state)
{
    (void)state;
    make_many(30);
    pid_t pid = cli_start(&rubato, WORDS("run", "many", "-o", "hurt"));
    assert_true(await_file("hurt/checkpoint"));
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
    expect(1, "hurt/checkpoint: damaged", WORDS("run", "many", "-o", "hurt", "--resume"));
    assert_true(cli_exists("hurt/journal"));
    cli_write("hurt/journal", "rubbish", 7);
    expect(1, "hurt/journal", WORDS("run", "many", "-o", "hurt", "--resume"));
    expect(0, NULL, WORDS("run", TRACE, "-o", "hurt", "--force"));
}

static void the_progress_line_comes_only_when_wanted(void **state)
{
    (void)state;
    cli_result_t r = cli_run(&rubato, WORDS("run", TRACE));
    assert_null(strchr(r.err, '\r'));
    cli_free(&r);
    make_many(10);
    r = cli_run(&rubato, WORDS("run", "many", "--progress", "always"));
    assert_non_null(strstr(r.err, "\r"));
    assert_non_null(strstr(r.err, "launch 1/10"));
    cli_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_command_explains_its_options),
        cmocka_unit_test(the_completion_script_is_one_that_bash_accepts),
        cmocka_unit_test(a_mistake_of_the_user_exits_with_2_and_says_what_to_do),
        cmocka_unit_test(a_failure_of_the_environment_exits_with_1),
        cmocka_unit_test(a_damaged_trace_exits_with_2_names_the_place_and_leaves_nothing),
        cmocka_unit_test(a_run_writes_one_folder_of_agreeing_files),
        cmocka_unit_test(csv_rows_have_as_many_fields_as_their_header),
        cmocka_unit_test(intervals_add_up_to_their_launch),
        cmocka_unit_test(json_goes_to_standard_output_on_request),
        cmocka_unit_test(names_of_accelsim_carry_the_same_values),
        cmocka_unit_test(only_the_launches_asked_for_are_simulated),
        cmocka_unit_test(threads_and_window_do_not_change_a_byte),
        cmocka_unit_test(flushing_between_launches_is_a_setting_like_any_other),
        cmocka_unit_test(results_are_overwritten_only_on_request),
        cmocka_unit_test(a_killed_run_resumes_to_the_same_results),
        cmocka_unit_test(a_stopped_run_says_so_and_resumes_to_the_same_results),
        cmocka_unit_test(a_full_disk_exits_with_1_and_leaves_no_half_written_file),
        cmocka_unit_test(a_damaged_checkpoint_or_journal_is_reported),
        cmocka_unit_test(the_progress_line_comes_only_when_wanted),
    };
    return cmocka_run_group_tests(tests, cli_begin, cli_end);
}
