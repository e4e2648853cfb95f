/* rubato sweep and info of suites: folders and archives of traces. */
#include "tests/support/test.h"

#include <glob.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "tests/support/input/tar_files.h"
#include "tests/support/tool/cli_child.h"
#include "tests/support/tool/sweep_files.h"

/* Copies a file. */
static void copy(const char *from, const char *to)
{
    FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
    assert_true(in != NULL && out != NULL);
    for (int c; (c = getc(in)) != EOF;)
        putc(c, out);
    fclose(in);
    assert_int_equal(fclose(out), 0);
}

static void make_folder(const char *path)
{
    assert_int_equal(mkdir(path, 0777), 0);
}

/*
 * A tree as Accel-Sim's tracer makes it, with two programs, a folder of kernel files without a list,
 * and a native file.
 */
static void make_tree(void)
{
    if (cli_exists("tree"))
        return;
    cli_make_many(TRACE, 2);
    make_folder("tree");
    make_folder("tree/bfs");
    make_folder("tree/bfs/data_1");
    assert_int_equal(rename("many", "tree/bfs/data_1/traces"), 0);
    cli_make_many(TRACE, 1);
    make_folder("tree/nn");
    make_folder("tree/nn/NO_ARGS");
    assert_int_equal(rename("many", "tree/nn/NO_ARGS/traces"), 0);
    make_folder("tree/loose");
    for (int i = 1; i <= 10; i++) {
        char to[64];
        snprintf(to, sizeof(to), "tree/loose/kernel-%d.traceg.xz", i);
        copy(TRACE "/kernel-1.traceg.xz", to);
    }
    cli_write("tree/notes.txt", "notes\n", 6);
    expect(0, NULL, WORDS("convert", TRACE, "tree/vecadd.rbt"));
}

/* The traces of a sweep's first n jobs, in order. */
static void traces_are(const char *folder, const char *const *names, int n)
{
    for (int i = 1; i <= n; i++) {
        char *name = sweep_job_field(folder, i, 3);
        assert_string_equal(name, names[i - 1]);
        free(name);
    }
}

static void a_folder_is_swept_with_all_its_traces(void **state)
{
    static const char *const names[] = {"bfs/data_1", "loose", "nn", "vecadd"};
    (void)state;
    make_tree();
    expect(0, "tree: 4 of 4 traces",
           WORDS("sweep", "tree", "--prepare", "-s", "sm.count=20", "-o", "all"));
    traces_are("all", names, 4);
    /* The trace of a suite is the same job as the trace alone. */
    expect(0, "1 jobs, 1 to run",
           WORDS("sweep", "tree", "--match", "bfs", "-s", "sm.count=20", "-o", "all"));
    expect(0, "1 jobs, 0 to run",
           WORDS("sweep", "tree/bfs/data_1/traces", "-s", "sm.count=20", "-o", "all"));
}

static void patterns_choose_traces(void **state)
{
    static const char *const bfs[] = {"bfs/data_1"}, *const others[] = {"loose", "vecadd"};
    (void)state;
    make_tree();
    expect(0, "1 of 4", WORDS("sweep", "tree/", "--match", "b*1", "--prepare", "-o", "m1"));
    traces_are("m1", bfs, 1);
    expect(0, "2 of 4",
           WORDS("sweep", "tree", "--match", "!bfs*", "--match", "!nn", "--prepare", "-o", "m2"));
    traces_are("m2", others, 2);
    expect(2, "none of its 4 traces matches; the first is bfs/data_1",
           WORDS("sweep", "tree", "--match", "rodinia", "-o", "m3"));
    assert_false(cli_exists("m3"));
    expect(2, "is neither", WORDS("sweep", TRACE, "--match", "bfs"));
    make_folder("hollow");
    expect(2, "hollow: there is no trace below", WORDS("sweep", "hollow"));
}

static void a_study_file_names_suites_and_chooses_in_them(void **state)
{
    static const char *const names[] = {"r/bfs/data_1", "again/nn", "vecadd"};
    (void)state;
    make_tree();
    sweep_write("suite.cfg", "traces = ( { path = \"tree\"; name = \"r\"; match = \"bfs\"; },\n"
                             "  { path = \"tree\"; name = \"again\"; match = \"nn\"; },\n"
                             "  { path = \"tree\"; match = \"vecadd\"; } );\n");
    expect(0, NULL, WORDS("sweep", "suite.cfg", "--prepare", "-o", "named"));
    traces_are("named", names, 3);
    expect(2, "a study file has these settings itself",
           WORDS("sweep", "suite.cfg", "--match", "bfs", "-o", "named"));
    sweep_write(
        "twice.cfg",
        "traces = ( \"tree\",\n  { path = \"tree/nn/NO_ARGS/traces\"; name = \"nn\"; } );\n");
    expect(2, "twice.cfg:2: two traces with the name 'nn'",
           WORDS("sweep", "twice.cfg", "-o", "no"));
    sweep_write("profile.cfg", "traces = ( { path = \"tree\"; profile = \"p.csv\"; } );\n");
    expect(2, "write {trace} in its path", WORDS("sweep", "profile.cfg", "-o", "no"));
    assert_false(cli_exists("no"));
}

static void kernel_files_without_a_list_are_taken_by_their_numbers(void **state)
{
    (void)state;
    make_tree();
    expect(0, "its 10 .traceg files are taken in the order of their numbers",
           WORDS("run", "tree/loose", "-s", "sm.count=20", "-o", "loose_run"));
    char *launches = cli_read("loose_run/launches.csv");
    assert_non_null(strstr(launches, "\n10,"));
    free(launches);
}

/* "suite.tgz" with the tree's first program and its native file. */
static void make_archive(void)
{
    static const char *const files[][2] = {
        {"tree/bfs/data_1/traces/kernelslist.g", "bfs/traces/kernelslist.g"},
        {"tree/bfs/data_1/traces/kernel-1.traceg.xz", "bfs/traces/kernel-1.traceg.xz"},
        {"tree/vecadd.rbt", "vecadd.rbt"}};
    tar_file_t t = {0};
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        struct stat st;
        assert_int_equal(stat(files[i][0], &st), 0);
        char *data = malloc((size_t)st.st_size);
        FILE *in = fopen(files[i][0], "rb");
        assert_int_equal(fread(data, 1, (size_t)st.st_size, in), st.st_size);
        fclose(in);
        tar_add(&t, files[i][1], '0', data, (size_t)st.st_size);
        free(data);
    }
    tar_end(&t);
    tar_write_gzip(&t, "suite.tgz");
}

static void an_archive_is_unpacked_into_the_folder_of_the_sweep(void **state)
{
    static const char *const names[] = {"bfs", "vecadd"};
    (void)state;
    make_tree();
    make_archive();
    expect(0, "unpacking suite.tgz into ar/unpacked/suite-",
           WORDS("sweep", "suite.tgz", "-s", "sm.count=20", "-o", "ar"));
    traces_are("ar", names, 2);
    /* The trace is not unpacked again, and its job is known. */
    cli_result_t r = cli_run(&rubato, WORDS("sweep", "suite.tgz", "-s", "sm.count=20", "-o", "ar"));
    assert_int_equal(r.status, 0);
    assert_null(strstr(r.err, "unpacking"));
    assert_non_null(strstr(r.err, "2 jobs, 0 to run"));
    cli_free(&r);
    /* Without a folder, nothing is left. */
    make_folder("tmp");
    expect(0, NULL,
           WORDS("sweep", "suite.tgz", "--match", "bfs", "-s", "sm.count=20", "--tmpdir", "tmp"));
    assert_int_equal(rmdir("tmp"), 0);
    /* What cannot be run leaves nothing either. */
    expect(2, "none of its 2 traces matches",
           WORDS("sweep", "suite.tgz", "--match", "rodinia", "-o", "ar2"));
    assert_false(cli_exists("ar2"));
    expect(2, "an archive of traces: 'rubato sweep' runs them all", WORDS("run", "suite.tgz"));
}

/* Whether a folder has an archive that is being unpacked, of a sweep with or without -o. */
static bool is_unpacking(const char *pattern)
{
    glob_t g = {0};
    const bool found = glob(pattern, 0, NULL, &g) == 0;
    globfree(&g);
    return found;
}

static void unpack_and_stop(const char *pattern, const char *const *words)
{
    const struct timespec wait = {.tv_nsec = 1000000};
    const pid_t pid = cli_start(&rubato, words);
    for (int i = 0; i < 30000 && !is_unpacking(pattern); i++)
        nanosleep(&wait, NULL);
    assert_int_equal(kill(pid, SIGINT), 0);
    assert_int_equal(cli_wait(pid), 75);
}

static void a_stop_while_an_archive_is_unpacked_leaves_nothing(void **state)
{
    enum { FILES = 30000 };
    tar_file_t t = {0};
    (void)state;
    for (int i = 0; i < FILES; i++) {
        char name[64];
        snprintf(name, sizeof(name), "a/b/file-%d", i);
        tar_add_text(&t, name, '0', "text");
    }
    tar_end(&t);
    tar_write(&t, "large.tar");
    make_folder("stopped");
    unpack_and_stop("stopped/rubato-*/unpacked/large-*.part",
                    WORDS("sweep", "large.tar", "--tmpdir", "stopped"));
    assert_int_equal(rmdir("stopped"), 0);
    unpack_and_stop("stopped/unpacked/large-*.part", WORDS("sweep", "large.tar", "-o", "stopped"));
    assert_false(cli_exists("stopped"));
}

/* A folder of a suite with an archive and a native trace. */
static void make_small_suite(const char *folder)
{
    char path[64];
    make_tree();
    make_archive();
    make_folder(folder);
    snprintf(path, sizeof(path), "%s/suite.tgz", folder);
    copy("suite.tgz", path);
    snprintf(path, sizeof(path), "%s/alone.rbt", folder);
    copy("tree/vecadd.rbt", path);
}

static void a_sweep_does_not_find_its_own_unpacked_traces(void **state)
{
    (void)state;
    make_small_suite("again");
    for (int i = 0; i < 2; i++)
        expect(0, "again: 3 of 3 traces",
               WORDS("sweep", "again", "--prepare", "-o", "again/study"));
    /* Nor those of other studies. */
    expect(0, "again: 3 of 3 traces", WORDS("sweep", "again", "--prepare", "-o", "study"));
    /* A sweep that was killed while it unpacked has no jobs. */
    assert_int_equal(unlink("again/study/jobs.tsv"), 0);
    expect(0, "again: 3 of 3 traces", WORDS("sweep", "again", "--prepare", "-o", "again/study"));
    expect(0, "again: 3 of 3 traces", WORDS("sweep", "again", "--prepare", "-o", "again"));
    expect(0, "again: 3 of 3 traces", WORDS("sweep", "again", "--prepare", "-o", "again"));
}

static void links_in_circles_are_searched_once(void **state)
{
    (void)state;
    make_tree();
    make_folder("circle");
    make_folder("circle/inner");
    copy("tree/vecadd.rbt", "circle/inner/one.rbt");
    assert_int_equal(symlink(".", "circle/latest"), 0);
    assert_int_equal(symlink("..", "circle/inner/up"), 0);
    expect(0, "circle: 1 of 1 traces", WORDS("sweep", "circle", "--prepare", "-o", "circled"));
}

static void folders_that_are_too_deep_are_named(void **state)
{
    char path[128] = "deep";
    (void)state;
    make_tree();
    make_folder(path);
    copy("tree/vecadd.rbt", "deep/one.rbt");
    for (int i = 0; i < 16; i++) {
        strcat(path, "/d");
        make_folder(path);
    }
    expect(0, "d/d is not searched for traces: it is 16 folders deep",
           WORDS("sweep", "deep", "--prepare", "-o", "deeper"));
}

static void a_hostile_archive_is_refused_and_leaves_nothing(void **state)
{
    tar_file_t t = {0};
    (void)state;
    tar_add_text(&t, "a/kernelslist.g", '0', "kernel-1.traceg\n");
    tar_add_text(&t, "a/../../escaped", '0', "text");
    tar_end(&t);
    tar_write_gzip(&t, "hostile.tgz");
    expect(2, "hostile.tgz: member 'a/../../escaped' has '..' in its name",
           WORDS("sweep", "hostile.tgz", "-o", "hostile"));
    assert_false(cli_exists("hostile") || cli_exists("escaped") || cli_exists("../escaped"));
    expect(2, "has '..' in its name", WORDS("info", "hostile.tgz"));
}

static void info_lists_the_traces_of_a_suite(void **state)
{
    (void)state;
    make_tree();
    make_archive();
    char *table = cli_run_as(&rubato, 0, NULL, WORDS("info", "tree", "--match", "!loose"));
    assert_non_null(strstr(table, "tree: 3 traces\n"));
    assert_non_null(strstr(table, "\nbfs/data_1  accelsim         2 "));
    assert_non_null(strstr(table, "\nvecadd      rbt              1 "));
    free(table);
    table = cli_run_as(&rubato, 0, NULL, WORDS("info", "suite.tgz"));
    assert_non_null(strstr(table, "\nbfs     accelsim         1 "));
    free(table);
    char *json = cli_run_as(&rubato, 0, NULL, WORDS("info", "tree", "--json", "--match", "nn"));
    assert_non_null(strstr(json, "\"name\": \"nn\""));
    assert_non_null(strstr(json, "\"path\": \"tree/nn/NO_ARGS/traces\""));
    free(json);
    expect(2, "name one of its traces", WORDS("info", "tree", "--count"));
    expect(2, "is for a folder or an archive", WORDS("info", TRACE, "--match", "nn"));
}

static void a_suite_is_compared_with_a_base(void **state)
{
    (void)state;
    make_tree();
    char *out = cli_run_as(
        &rubato, 0, NULL,
        WORDS("sweep", "tree", "--match", "!loose", "--vary", "sm.count=10,20", "-o", "pairs"));
    assert_non_null(strstr(out, "totals.cycles, relative to sm.count=10\n"));
    assert_non_null(strstr(out, "\ngeometric mean       1.000        0."));
    free(out);
    out = cli_run_as(&rubato, 0, NULL,
                     WORDS("sweep", "table", "pairs", "--stat", "warp_instructions", "--as",
                           "value", "--format", "csv"));
    assert_int_equal(strncmp(out, "program,column,statistic,unit,value,base,shown,estimated\n", 56),
                     0);
    assert_non_null(strstr(out, "\nbfs/data_1,sm.count=20,totals.warp_instructions,"));
    free(out);
    expect(2, "did you mean 'ipc'", WORDS("sweep", "table", "pairs", "--stat", "ipcc"));
    expect(2, "the folder of a sweep is expected", WORDS("sweep", "table"));
}

/* Writes a table of programs with twice the cycles that the suite simulates, but for one. */
static void write_measured(const char *sweep)
{
    char path[160], table[512] = "app,hw_cycles_x,odd\n";
    static const char *const rows[] = {"BFS/data-1", "NN/NO_ARGS", "vecadd"};
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof(path), "%s/stats.csv", sweep_job_folder(sweep, 1 + 2 * i));
        char *stats = cli_read(path), *at = strstr(stats, "\ntotals.cycles,");
        assert_non_null(at);
        snprintf(table + strlen(table), sizeof(table) - strlen(table), "%s,%.0f,1\n", rows[i],
                 (i < 2 ? 2.0 : 1.0) * atof(at + 15));
        free(stats);
    }
    strcat(table, "other,5,1\n");
    sweep_write("measured.csv", table);
}

static void a_suite_is_compared_with_measurements(void **state)
{
    (void)state;
    make_tree();
    expect(0, NULL,
           WORDS("sweep", "tree", "--match", "!loose", "--vary", "sm.count=10,20", "-o", "pairs"));
    write_measured("pairs");
    char *out = cli_run_as(&rubato, 0, NULL,
                           WORDS("compare", "pairs", "--hardware", "measured.csv", "--stat",
                                 "hw_cycles_x, launch latency in", "-o", "pairs.csv"));
    assert_non_null(strstr(out, "measured.csv: 3 of 3 programs have rows\n"));
    assert_non_null(strstr(out, "\nvecadd "));
    assert_non_null(strstr(out, "     +0.0 %"));
    assert_non_null(strstr(out, "\nmean |error|                        33.3 %"));
    assert_non_null(strstr(out, "\nmedian |error|                      50.0 %"));
    assert_non_null(strstr(out, "worst of sm.count=10: bfs, -50.0 %"));
    free(out);
    char *pairs = cli_read("pairs.csv");
    assert_non_null(strstr(pairs, "error,program,configuration\n"));
    assert_non_null(strstr(pairs, ",-0.5,bfs/data_1,sm.count=10\n"));
    free(pairs);
    /* One configuration shows the simulated values, too; programs without a row are named. */
    sweep_write("two.csv", "app,hw_cycles_x\nnn,100\n");
    out = cli_run_as(&rubato, 0, NULL,
                     WORDS("compare", "pairs", "--hardware", "two.csv", "--where", "sm.count=20"));
    assert_non_null(strstr(out, "1 of 3 programs have rows; without a row: bfs/data_1, vecadd\n"));
    assert_non_null(strstr(out, "measured    simulated       error"));
    free(out);
    sweep_write("part.csv", "app,hw_cycles_x\ndata,100\n");
    expect(0, "part.csv: by a part of the name: bfs/data_1 = data",
           WORDS("compare", "pairs", "--hardware", "part.csv"));
    expect(2, "--stat, --match and --where are for the folder of a sweep",
           WORDS("compare", sweep_job_folder("pairs", 1), "--hardware", "two.csv", "--match", "x"));
    sweep_write("none.csv", "app,hw_cycles_x\nhotspot,100\n");
    expect(2, "none.csv has no row for a finished program of pairs",
           WORDS("compare", "pairs", "--hardware", "none.csv"));
    expect(2, "has no column 'ipc' that can be compared; it has hw_cycles_x, launch latency off",
           WORDS("compare", "pairs", "--hardware", "two.csv", "--stat", "ipc"));
    /* The page and the figure have the same data. */
    expect(0, NULL, WORDS("report", "pairs", "--hardware", "measured.csv", "-o", "page.html"));
    char *page = cli_read("page.html");
    assert_non_null(strstr(page, "\"file\":\"measured.csv: sm.count=10\""));
    assert_non_null(strstr(page, "\"program\":\"bfs\""));
    free(page);
    setenv("PATH", "/nowhere", 1);
    expect(1, "gnuplot is not installed",
           WORDS("plot", "pairs", "--what", "correlation", "--hardware", "measured.csv", "--stat",
                 "hw_cycles_x, launch latency in", "-o", "c.svg"));
    char *data = cli_read("c.csv"), *script = cli_read("c.gp");
    assert_int_equal(strncmp(data, "program,measured,sm.count=10,sm.count=20\nbfs,", 45), 0);
    assert_non_null(strstr(script, "'sm.count=10: error 33.3 % (median 50.0 %), r(log) "));
    free(data);
    free(script);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_folder_is_swept_with_all_its_traces),
        cmocka_unit_test(patterns_choose_traces),
        cmocka_unit_test(a_study_file_names_suites_and_chooses_in_them),
        cmocka_unit_test(kernel_files_without_a_list_are_taken_by_their_numbers),
        cmocka_unit_test(an_archive_is_unpacked_into_the_folder_of_the_sweep),
        cmocka_unit_test(a_stop_while_an_archive_is_unpacked_leaves_nothing),
        cmocka_unit_test(a_sweep_does_not_find_its_own_unpacked_traces),
        cmocka_unit_test(links_in_circles_are_searched_once),
        cmocka_unit_test(folders_that_are_too_deep_are_named),
        cmocka_unit_test(a_hostile_archive_is_refused_and_leaves_nothing),
        cmocka_unit_test(a_suite_is_compared_with_a_base),
        cmocka_unit_test(a_suite_is_compared_with_measurements),
        cmocka_unit_test(info_lists_the_traces_of_a_suite),
    };
    return cmocka_run_group_tests(tests, cli_begin, cli_end);
}
