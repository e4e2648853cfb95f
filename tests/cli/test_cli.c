/* The binary as users see it: help, messages, exit statuses, results. */
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "frontend/tool/cli/options/options.h"
#include "frontend/tool/io/version.h"
#include "sim/sm/sm_stats.h"
#include "tests/support/tool/cli_child.h"
#include "tests/support/tool/json_check.h"

static void every_command_explains_its_options(void **state)
{
    (void)state;
    for (const cli_command_t *const *at = cli_commands; *at != NULL; at++) {
        const cli_command_t *c = *at;
        char *by_option = cli_run_as(&rubato, 0, NULL, WORDS(c->name, "--help"));
        char *by_command = cli_run_as(&rubato, 0, NULL, WORDS("help", c->name));
        assert_string_equal(by_option, by_command);
        for (size_t i = 0; i < c->n_options; i++)
            assert_true((strstr(by_option, c->options[i].name) != NULL) != c->options[i].hidden);
        free(by_option);
        free(by_command);
    }
    char *overview = cli_run_as(&rubato, 0, NULL, WORDS("--help"));
    for (const cli_command_t *const *c = cli_commands; *c != NULL; c++)
        assert_non_null(strstr(overview, (*c)->name));
    free(overview);
    char *version = cli_run_as(&rubato, 0, NULL, WORDS("--version"));
    assert_non_null(strstr(version, RUBATO_VERSION));
    free(version);
}

static void the_completion_script_is_one_that_bash_accepts(void **state)
{
    (void)state;
    char *script = cli_run_as(&rubato, 0, NULL, WORDS("completion", "bash"));
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
    expect(2, "put -- before it", WORDS("run", RUBATO_BINARY));
    expect(2, "unexpected argument 'b'", WORDS("run", TRACE, "b"));
    expect(2, "did you mean", WORDS("run", TRACE, "-s", "l2.waays=4"));
    expect(2, "l2.ways", WORDS("run", TRACE, "-s", "l2.ways=many"));
    expect(2, "v100", WORDS("run", TRACE, "--gpu", "v1000"));
    expect(2, "--threads", WORDS("run", TRACE, "--threads", "none"));
    expect(2, "the trace has launches 1..1", WORDS("run", TRACE, "--launches", "2"));
    expect(2, "--resume needs a folder", WORDS("run", TRACE, "--resume"));
    expect(2, "needs a folder", WORDS("run", TRACE, "--stats-interval", "100"));
    expect(2, "--debug-window", WORDS("run", TRACE, "--debug-window", "100000"));
    expect(2, "exclude each other", WORDS("run", TRACE, "--json", "--stats-format", "accelsim"));
    cli_write("plainfile", "x", 1);
    expect(2, "unknown GPU 'v10'; did you mean 'v100'", WORDS("config", "show", "v10"));
    expect(1, "none.cfg: No such file", WORDS("config", "check", "none.cfg"));
    expect(2, "did you mean 'l2.size'?", WORDS("config", "show", "-s", "l2.sise=3MiB"));
    expect(2, "did you mean 'l2.size'?", WORDS("config", "explain", "l2.sise"));
    expect(2, "plainfile: exists and is not", WORDS("run", TRACE, "-o", "plainfile/out"));
}

static void a_failure_of_the_environment_exits_with_1(void **state)
{
    (void)state;
    expect(1, "nowhere", WORDS("run", "nowhere"));
    expect(1, "nowhere", WORDS("info", "nowhere"));
    if (cli_exists("/dev/full")) {
        cli_child_t full = {.binary = RUBATO_BINARY, .out = "/dev/full"};
        cli_run_as(&full, 1, "standard output", WORDS("run", TRACE));
        cli_run_as(&full, 1, "standard output", WORDS("info", TRACE));
        cli_run_as(&full, 1, "standard output", WORDS("help"));
    }
}

/* Output for a closed standard stream does not go into a file that got its descriptor. */
static void closed_streams_are_no_files(void **state)
{
    (void)state;
    static const char refusal[] = "standard output: "; /* some C libraries do not say why */
    const cli_child_t closed = {.binary = RUBATO_BINARY, .closed = true};

    expect(0, NULL, WORDS("run", TRACE, "-o", "streams"));
    free(cli_run_as(&closed, 1, refusal, WORDS("run", TRACE, "-o", "closed")));
    cli_same_results("streams", "closed");
    free(cli_run_as(&closed, 1, refusal, WORDS("run", TRACE)));
    free(cli_run_as(&closed, 1, refusal, WORDS("info", TRACE)));
}

static void a_run_writes_one_folder_of_agreeing_files(void **state)
{
    (void)state;
    cli_make_many(TRACE, 2);
    char *table = cli_run_as(&rubato, 0, "warp-inst/s", WORDS("run", "many", "-o", "two/deep"));
    assert_non_null(strstr(table, "vecadd"));
    assert_non_null(strstr(table, "v100 (chosen by"));
    assert_non_null(strstr(table, "busiest part"));
    free(table);
    assert_false(cli_exists("two/deep/journal") || cli_exists("two/deep/checkpoint"));
    assert_false(cli_exists("two/deep/intervals.csv"));
    char *json = cli_read_json("two/deep/run.json");
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
    cli_make_many(TRACE, 3);
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
    cli_make_many(TRACE, 2);
    expect(0, NULL,
           WORDS("run", "many", "-o", "parts", "--stats-interval", "777", "--launches", "2"));
    char *json = cli_read_json("parts/run.json");
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

/* Two inputs of one MiB each, which fit in the L2. */
static void copies_of_the_host_are_counted_with_the_launch_that_follows(void **state)
{
    (void)state;
    for (int fills = 0; fills < 2; fills++) {
        char *json =
            cli_run_as(&rubato, 0, NULL,
                       WORDS("run", TRACE, "--json", "-s",
                             fills ? "gpu.memcpy_fills_l2=true" : "gpu.memcpy_fills_l2=false"));
        assert_true(json_number(json, "totals.copied_bytes") == 2 << 20);
        assert_true(json_number(json, "totals.l2.memcpy_sectors") == (fills ? (2 << 20) / 32 : 0));
        free(json);
    }
}

static void json_goes_to_standard_output_on_request(void **state)
{
    (void)state;
    char *json = cli_run_as(&rubato, 0, NULL, WORDS("run", TRACE, "--json", "--gpu", "titan_v"));
    assert_null(json_check(json));
    assert_true(json_is(json, "gpu", "\"titan_v\""));
    assert_true(json_number(json, "totals.cycles") > 0);
    char *info = cli_run_as(&rubato, 0, NULL, WORDS("info", TRACE, "--json", "--count"));
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

static double busiest_share(const char *sms)
{
    char *table = cli_run_as(&rubato, 0, "warp-inst/s", WORDS("run", "one.rbt", "-s", sms));
    char *part = strstr(table, "busiest part: L1 and shared memory data, ");
    assert_non_null(part);
    double share = strtod(strrchr(strtok(part, "%"), ',') + 1, NULL);
    free(table);
    return share;
}

/* One block: the SMs without warps must not hide how busy the parts of its SM are. */
static void the_busiest_part_is_one_of_the_sms_that_have_warps(void **state)
{
    (void)state;
    free(cli_run_as(&rubato, 0, "", WORDS("gen", "sgemm", "--size", "64", "-o", "one.rbt")));
    double alone = busiest_share("sm.count=1");
    assert_true(alone > 30.0);
    assert_true(busiest_share("sm.count=40") > 0.9 * alone);
}

/* Of a V100 at 1380 MHz; NVIDIA's data sheet says 7.8, 15.7 and 125 T at 1530 MHz. */
static void peaks_are_those_of_each_unit(void **state)
{
    (void)state;
    cli_make_many(TRACE, 1);
    char *json = cli_run_as(&rubato, 0, NULL, WORDS("run", "many", "--gpu", "v100", "--json"));
    static const struct {
        const char *path;
        double per_sm; /* operations a cycle */
    } peaks[] = {{"config.peaks.fp16_operations_per_second", 256.0},
                 {"config.peaks.fp32_operations_per_second", 128.0},
                 {"config.peaks.fp64_operations_per_second", 64.0},
                 {"config.peaks.tensor_operations_per_second", 1024.0}};
    for (size_t i = 0; i < sizeof(peaks) / sizeof(peaks[0]); i++)
        assert_true(json_number(json, peaks[i].path) == 80.0 * peaks[i].per_sm * 1380e6);
    free(json);
}

/* The value in the last line that begins with this name. */
static double last_value(const char *text, const char *name)
{
    const char *last = NULL;
    for (const char *s = text; (s = strstr(s, name)) != NULL; s++) {
        if (s == text || s[-1] == '\n')
            last = s;
    }
    if (last == NULL)
        fail_msg("no line '%s'", name);
    return last == NULL ? 0.0 : strtod(last + strlen(name), NULL);
}

/* The 23 lines that Accel-Sim's collecting scripts look for. NULL: run.json has no such value. */
static void names_of_accelsim_carry_the_same_values(void **state)
{
    (void)state;
    cli_make_many(TRACE, 2);
    char *json = cli_run_as(&rubato, 0, NULL, WORDS("run", "many", "--json"));
    char *text = cli_run_as(&rubato, 0, NULL, WORDS("run", "many", "--stats-format", "accelsim"));
#define OF_L1_ "\tTotal_core_cache_stats_breakdown"
#define OF_L2_ "\tL2_cache_stats_breakdown"
    static const struct {
        const char *name, *path;
    } pairs[] = {{"gpu_tot_sim_insn = ", "totals.thread_instructions"},
                 {"gpgpu_simulation_time = ", NULL},
                 {"gpu_tot_sim_cycle = ", "totals.cycles"},
                 {OF_L2_ "[GLOBAL_ACC_R][HIT] = ", "totals.l2.read_hits"},
                 {OF_L2_ "[GLOBAL_ACC_R][TOTAL_ACCESS] = ", "totals.l2.read_sectors"},
                 {OF_L2_ "[GLOBAL_ACC_W][HIT] = ", "totals.l2.write_hits"},
                 {OF_L2_ "[GLOBAL_ACC_W][TOTAL_ACCESS] = ", "totals.l2.write_sectors"},
                 {OF_L1_ "[GLOBAL_ACC_R][TOTAL_ACCESS] = ", "totals.sm.global_load_sectors"},
                 {OF_L1_ "[GLOBAL_ACC_R][HIT] = ", "totals.sm.global_load_hits"},
                 {OF_L1_ "[GLOBAL_ACC_W][HIT] = ", "totals.sm.global_store_hits"},
                 {OF_L1_ "[GLOBAL_ACC_W][TOTAL_ACCESS] = ", "totals.sm.global_store_sectors"},
                 {OF_L1_ "[GLOBAL_ACC_R][MSHR_HIT] = ", "totals.sm.global_load_pending"},
                 {"gpgpu_n_tot_w_icount = ", "totals.warp_instructions"},
                 {"total dram reads = ", "totals.dram.read_sectors"},
                 {"total dram writes = ", "totals.dram.write_sectors"},
                 {"kernel_launch_uid = ", "launches.1.id"},
                 {"gpu_ipc = ", NULL},
                 {"gpu_occupancy = ", NULL},
                 {"L2_BW = ", NULL},
                 {"gpgpu_simulation_rate = ", NULL}, /* instructions, cycles */
                 {"gpgpu_silicon_slowdown = ", NULL},
                 {"gpu_tot_ipc = ", NULL},
                 {"gpu_sim_cycle = ", "launches.1.cycles"}};
#undef OF_L1_
#undef OF_L2_
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        double v = last_value(text, pairs[i].name);
        if (pairs[i].path != NULL)
            assert_true(v == json_number(json, pairs[i].path));
    }
    const char end[] = "GPGPU-Sim: *** exit detected ***\n";
    assert_string_equal(text + strlen(text) - strlen(end), end);
    free(json);
    free(text);
}

static void only_the_launches_asked_for_are_simulated(void **state)
{
    (void)state;
    cli_make_many(TRACE, 5);
    char *json =
        cli_run_as(&rubato, 0, NULL, WORDS("run", "many", "--json", "--launches", "2-3,5"));
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
    cli_make_many(TRACE, 2);
    for (size_t i = 0; i < sizeof(variants) / sizeof(variants[0]); i++) {
        char folder[32];
        snprintf(folder, sizeof(folder), "variant-%zu", i);
        expect(0, NULL,
               WORDS("run", "many", "-o", folder, "--stats-interval", "500", "--threads",
                     variants[i][0], "--debug-window", variants[i][1]));
        cli_same_results("variant-0", folder);
        cli_same_file("variant-0", folder, "intervals.csv");
    }
}

static void flushing_between_launches_is_a_setting_like_any_other(void **state)
{
    (void)state;
    cli_make_many(TRACE, 2);
    char *kept = cli_run_as(&rubato, 0, NULL, WORDS("run", "many", "--json"));
    char *a =
        cli_run_as(&rubato, 0, NULL, WORDS("run", "many", "--json", "--flush-between-launches"));
    char *b =
        cli_run_as(&rubato, 0, NULL, WORDS("run", "many", "--json", "-s", "warmup.mode=flush"));
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
    char *json = cli_read_json("kept/run.json");
    assert_true(json_is(json, "config.overrides", "1"));
    free(json);
}

static void the_progress_line_comes_only_when_wanted(void **state)
{
    (void)state;
    cli_result_t r = cli_run(&rubato, WORDS("run", TRACE));
    assert_null(strchr(r.err, '\r'));
    cli_free(&r);
    cli_make_many(TRACE, 10);
    r = cli_run(&rubato, WORDS("run", "many", "--progress", "always"));
    assert_non_null(strstr(r.err, "\r"));
    assert_non_null(strstr(r.err, "/10 "));
    assert_non_null(strstr(r.err, " left"));
    cli_free(&r);
}

static void what_is_no_trace_is_told_from_what_lies_above_one(void **state)
{
    (void)state;
    static const char hint[] = "there is a trace in app/args/traces: name that";
    cli_make_many(TRACE, 1);
    assert_int_equal(mkdir("app", 0777) | mkdir("app/args", 0777), 0);
    assert_int_equal(rename("many", "app/args/traces"), 0);
    expect(2, hint, WORDS("run", "app/args"));
    char *suite = cli_run_as(&rubato, 0, NULL, WORDS("info", "app"));
    assert_non_null(strstr(suite, "\nargs   accelsim         1 "));
    free(suite);
    expect(2, hint, WORDS("plan", "app/args", "--sample", "random:count=1"));
    expect(2, hint, WORDS("evaluate", "app/args"));
    expect(0, NULL, WORDS("run", "app/args/traces"));
    assert_int_equal(mkdir("bare", 0777), 0);
    cli_result_t r = cli_run(&rubato, WORDS("run", "bare"));
    assert_int_equal(r.status, 2);
    assert_non_null(strstr(r.err, "bare: no kernelslist.g or kernelslist in this folder\n"));
    cli_free(&r);
    cli_write("void", "", 0);
    expect(2, "void: the file is empty", WORDS("run", "void"));
    expect(2, "bare: is not a native trace", WORDS("trace", "verify", "bare"));
    cli_write("words", "a text of more than a few words, which is no native trace at all .......",
              72);
    expect(2, "words: is not a native trace", WORDS("trace", "verify", "words"));
    cli_write("one.cfg", "hello\n", 6);
    expect(2, "one.cfg:1: syntax error", WORDS("config", "check", "one.cfg"));
    expect(1, "mine.cfg: No such file", WORDS("run", TRACE, "--gpu", "mine.cfg"));
}

static void a_part_of_a_run_is_marked_as_such(void **state)
{
    (void)state;
    char *text = cli_run_as(&rubato, 0, NULL,
                            WORDS("run", TRACE, "--gpu", "v100", "--cycles", "6000", "-o", "cut"));
    assert_non_null(
        strstr(text, "\nPART of the launches: the run ended after 6,000 cycles (--cycles)"));
    const char *row = strstr(text, "\n     1  vecadd ");
    assert_non_null(row);
    assert_memory_equal(strchr(row + 1, '\n') - 6, "  part", 6);
    free(text);
    text = cli_read_json("cut/run.json");
    assert_true(json_is(text, "part.max_cycles", "6000"));
    free(text);
}

static void a_copied_trace_runs_as_its_original_and_without_its_machine_code(void **state)
{
    (void)state;
    assert_int_equal(system("cp -r " TRACE " copied"), 0);
    expect(0, NULL, WORDS("run", TRACE, "-o", "of_original"));
    expect(0, NULL, WORDS("run", "copied", "-o", "of_copy"));
    cli_same_file("of_original", "of_copy", "stats.csv");
    assert_int_equal(system("ln -sf ../gone.cubin copied/vecadd.sm70.cubin"), 0);
    expect(0, "warning: copied/vecadd.sm70.cubin: a link to a file that is not there",
           WORDS("run", "copied"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_part_of_a_run_is_marked_as_such),
        cmocka_unit_test(a_copied_trace_runs_as_its_original_and_without_its_machine_code),
        cmocka_unit_test(what_is_no_trace_is_told_from_what_lies_above_one),
        cmocka_unit_test(every_command_explains_its_options),
        cmocka_unit_test(the_completion_script_is_one_that_bash_accepts),
        cmocka_unit_test(a_mistake_of_the_user_exits_with_2_and_says_what_to_do),
        cmocka_unit_test(a_failure_of_the_environment_exits_with_1),
        cmocka_unit_test(closed_streams_are_no_files),
        cmocka_unit_test(a_run_writes_one_folder_of_agreeing_files),
        cmocka_unit_test(csv_rows_have_as_many_fields_as_their_header),
        cmocka_unit_test(intervals_add_up_to_their_launch),
        cmocka_unit_test(copies_of_the_host_are_counted_with_the_launch_that_follows),
        cmocka_unit_test(json_goes_to_standard_output_on_request),
        cmocka_unit_test(the_busiest_part_is_one_of_the_sms_that_have_warps),
        cmocka_unit_test(peaks_are_those_of_each_unit),
        cmocka_unit_test(names_of_accelsim_carry_the_same_values),
        cmocka_unit_test(only_the_launches_asked_for_are_simulated),
        cmocka_unit_test(threads_and_window_do_not_change_a_byte),
        cmocka_unit_test(flushing_between_launches_is_a_setting_like_any_other),
        cmocka_unit_test(results_are_overwritten_only_on_request),
        cmocka_unit_test(the_progress_line_comes_only_when_wanted),
    };
    return cmocka_run_group_tests(tests, cli_begin, cli_end);
}
