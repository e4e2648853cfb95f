/* run --per-instruction and sass --counters: the files, their sums, the listings, what is refused. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/support/test.h"
#include "tests/support/tool/cli_child.h"

#define SORT     RUBATO_ROOT "/traces/sort-sm75.rbt"
#define CUBIN(n) RUBATO_ROOT "/traces/cubin/" n ".sm75.cubin"

/* The number of a column in the first line; fails the test if there is none. */
static unsigned column_of(const char *text, const char *name)
{
    unsigned column = 0;
    for (size_t n = strlen(name);; text++, column++) {
        if (strncmp(text, name, n) == 0 && (text[n] == ',' || text[n] == '\n'))
            return column;
        text += strcspn(text, ",\n");
        if (*text != ',')
            fail_msg("no column %s", name);
    }
}

/* The field of a row, whose texts may be quoted. */
static const char *field(const char *row, unsigned column)
{
    bool quoted = false;
    for (; column > 0; row++) {
        quoted ^= *row == '"';
        column -= *row == ',' && !quoted;
    }
    return row;
}

static double sum_of(const char *text, const char *name)
{
    const unsigned column = column_of(text, name);
    double sum = 0;
    for (text += strcspn(text, "\n") + 1; *text != '\0'; text += strcspn(text, "\n") + 1)
        sum += atof(field(text, column));
    return sum;
}

/* The value of a statistic in stats.csv. */
static double statistic(const char *text, const char *path)
{
    char line[128];
    snprintf(line, sizeof(line), "\n%s,", path);
    const char *at = strstr(text, line);
    if (at == NULL)
        fail_msg("no statistic %s", path);
    return atof(at + strlen(line));
}

static void count(void)
{
    if (!cli_exists("r"))
        expect(0, NULL, WORDS("run", SORT, "--gpu", "rtx2060", "--per-instruction", "-o", "r"));
}

static void the_counts_sum_to_the_statistics(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"issued", "sm.warp_insts"},
        {"lanes", "sm.thread_insts"},
        {"state_wait", "sm.state_wait"},
        {"state_long_scoreboard", "sm.state_long_scoreboard"},
        {"state_barrier", "sm.state_barrier"},
        {"state_no_warp", "sm.state_no_warp"},
        {"shared_conflicts", "sm.shared_conflicts"},
    };
    count();
    char *counts = cli_read("r/instructions.csv"), *stats = cli_read("r/stats.csv");
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        double sum = sum_of(counts, pairs[i][0]), whole = statistic(stats, pairs[i][1]);
        if (sum != whole)
            fail_msg("%s: %.0f, not %.0f", pairs[i][0], sum, whole);
    }
    char *waits = cli_read("r/instruction_waits.csv");
    assert_true(sum_of(waits, "cycles") ==
                sum_of(counts, "state_long_scoreboard") + sum_of(counts, "state_short_scoreboard"));
    free(waits);
    free(counts);
    free(stats);
}

/* The sum of the first column of counts, behind "  OFFSET  ", and the number of such lines. */
static double issued_in(const char *listing, unsigned *n)
{
    double sum = 0;
    *n = 0;
    for (const char *at = listing; *at != '\0'; at += strcspn(at, "\n") + 1) {
        unsigned offset;
        double issued;
        if (sscanf(at, "  %x  %lf", &offset, &issued) != 2)
            continue;
        sum += issued;
        ++*n;
    }
    return sum;
}

static void a_listing_shows_the_counts_of_a_run(void **state)
{
    (void)state;
    unsigned n;
    count();
    char *counts = cli_read("r/instructions.csv");
    char *out = cli_run_as(&rubato, 0, NULL, WORDS("sass", "--counters", "r"));
    assert_true(issued_in(out, &n) == sum_of(counts, "issued"));
    assert_non_null(strstr(out, "\nsort_blocks: sm_75, "));
    assert_non_null(strstr(out, "long_scoreboard "));
    free(out);
    free(counts);
}

static void the_code_of_a_program_is_listed_with_them(void **state)
{
    (void)state;
    unsigned n, all;
    double sum;
    count();
    char *one =
        cli_run_as(&rubato, 0, NULL, WORDS("sass", "--counters", "r", "--kernel", "sort_blocks"));
    sum = issued_in(one, &n);
    char *out = cli_run_as(&rubato, 0, NULL,
                           WORDS("sass", "--counters", "r", "-k", "sort_blocks", CUBIN("sort")));
    /* Also what was never issued; those lines have no counts. */
    char *code = cli_run_as(&rubato, 0, NULL, WORDS("sass", "-k", "sort_blocks", CUBIN("sort")));
    assert_true(issued_in(out, &all) == sum && all == n);
    assert_non_null(strstr(out, " warp cycles in 1 launch\n"));
    assert_non_null(strstr(out, "EXIT"));
    for (const char *at = code; (at = strstr(at, "\n  ")) != NULL; at++) {
        char offset[16];
        snprintf(offset, sizeof(offset), "%.7s", at);
        assert_non_null(strstr(out, offset));
    }
    free(one);
    free(out);
    free(code);
}

/* The sums of a sampled run, whose rows are rounded, are those of its results. */
static void expect_estimate(const char *folder, const char *const *words)
{
    static const char *const pairs[][2] = {{"issued", "sm.warp_insts"},
                                           {"state_wait", "sm.state_wait"},
                                           {"state_long_scoreboard", "sm.state_long_scoreboard"},
                                           {"l1_tags", "sm.l1_tags"}};
    char path[64];
    expect(0, NULL, words);
    snprintf(path, sizeof(path), "%s/instructions.csv", folder);
    char *counts = cli_read(path);
    snprintf(path, sizeof(path), "%s/stats.csv", folder);
    char *stats = cli_read(path);
    assert_true(sum_of(counts, "estimated") > 0);
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        const double sum = sum_of(counts, pairs[i][0]), whole = statistic(stats, pairs[i][1]);
        if (fabs(sum - whole) > 100 + 1e-3 * whole)
            fail_msg("%s, %s: %.0f, not %.0f", folder, pairs[i][0], sum, whole);
    }
    free(counts);
    free(stats);
}

/* Weights that are known before the run, weights that are not, and a part of a launch. */
static void estimates_have_the_sums_of_the_run(void **state)
{
    (void)state;
    cli_make_many(TRACE, 6);
    expect(0, NULL, WORDS("run", "many", "-o", "full"));
    expect_estimate("before", WORDS("run", "many", "--per-instruction", "--sample", "stem",
                                    "--profile", "full", "-o", "before"));
    expect_estimate("later", WORDS("run", "many", "--per-instruction", "--sample",
                                   "stem_online:epsilon=1,pilot_total=4", "-o", "later"));
    expect_estimate("inside", WORDS("run", TRACE, "--per-instruction", "--sample",
                                    "blocks:count=60", "-o", "inside"));
}

static void lines_of_a_trace_are_in_the_file(void **state)
{
    (void)state;
    static const char text[] =
        "-kernel name = lined\n-kernel id = 1\n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n"
        "-shmem = 0\n-nregs = 16\n-binary version = 70\n-cuda stream id = 0\n"
        "-shmem base_addr = 0x00007f4000000000\n-local mem base_addr = 0x00007f8000000000\n"
        "-nvbit version = 1.5.5\n-accelsim tracer version = 5\n-enable lineinfo = 1\n\n"
        "#traces format = x\n\n#BEGIN_TB\n\nthread block = 0,0,0\n\nwarp = 0\ninsts = 2\n"
        "41 0000 ffffffff 1 R1 MOV 0 0 0 \n42 0010 ffffffff 0 EXIT 0 0 0 \n\n#END_TB\n";
    cli_write("kernel-1.traceg", text, sizeof(text) - 1);
    expect(0, NULL, WORDS("run", "kernel-1.traceg", "--per-instruction", "-o", "lines"));
    char *counts = cli_read("lines/instructions.csv");
    assert_true(sum_of(counts, "line") == 41 + 42);
    assert_true(sum_of(counts, "issued") == 2);
    free(counts);
}

static void what_has_no_counts_is_refused(void **state)
{
    (void)state;
    count();
    assert_int_equal(mkdir("empty", 0777), 0);
    expect(2, "empty: has no instructions.csv; 'rubato run TRACE",
           WORDS("sass", "--counters", "empty"));
    expect(2, "r: has no counts of kernel 'nothing'",
           WORDS("sass", "--counters", "r", "-k", "nothing"));
    expect(2, "was counted in r, for the same architecture",
           WORDS("sass", "--counters", "r", CUBIN("fft")));
    expect(2, "needs a folder", WORDS("run", SORT, "--per-instruction"));
    expect(2, "not with --resume", WORDS("run", SORT, "--per-instruction", "-o", "r", "--resume"));
    cli_write("empty/instructions.csv", "kernel,name\n1,x\n", 16);
    expect(2, "not an instructions.csv of this version", WORDS("sass", "--counters", "empty"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_counts_sum_to_the_statistics),
        cmocka_unit_test(a_listing_shows_the_counts_of_a_run),
        cmocka_unit_test(the_code_of_a_program_is_listed_with_them),
        cmocka_unit_test(estimates_have_the_sums_of_the_run),
        cmocka_unit_test(lines_of_a_trace_are_in_the_file),
        cmocka_unit_test(what_has_no_counts_is_refused),
    };
    return cmocka_run_group_tests(tests, cli_begin, cli_end);
}
