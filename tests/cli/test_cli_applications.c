/* rubato validate --applications: whole programs against a published table. */
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>

#include "tests/support/tool/cli_child.h"

/* Two rows of the list; the traces are from other programs. */
static const char table[] = "app,hw_cycles_qv100,accelsim_cycles\n"
                            "BlackScholes/NO_ARGS,8000,10000\n"
                            "nn-rodinia-3.1/__data_filelist_4__r_5__lat_30__lng_90,9000,4500\n";

static void make_folders(void)
{
    expect(0, NULL, WORDS("convert", TRACE, "BlackScholes.rbt"));
    expect(0, NULL, WORDS("convert", TRACE, "nn.rbt"));
    cli_write("qv100-applications.csv", table, sizeof(table) - 1);
}

/* Field n of the line of CSV text with this beginning. */
static double csv_field(const char *text, const char *line, unsigned n)
{
    const char *at = strstr(text, line);
    assert_non_null(at);
    for (; n > 0; n--) {
        at = strchr(at, ',');
        assert_non_null(at);
        at++;
    }
    return atof(at);
}

/* Number of the column with this name. */
static unsigned csv_column(const char *text, const char *name)
{
    const char *at = strstr(text, name);
    unsigned n = 0;
    assert_non_null(at);
    for (const char *c = text; c < at; c++)
        n += *c == ',';
    return n;
}

static double total(const char *stats, const char *path)
{
    char line[128];
    snprintf(line, sizeof(line), "\n%s,", path);
    return csv_field(stats, line, 1);
}

static void cycles_and_accesses_are_those_of_a_run(void **state)
{
    static const char *const same[][2] = {{"l1_loads", "sm.global_load_sectors"},
                                          {"l1_hits", "sm.global_load_hits"},
                                          {"l1_stores", "sm.global_store_sectors"},
                                          {"l2_reads", "l2.read_sectors"},
                                          {"l2_read_hits", "l2.read_hits"},
                                          {"l2_writes", "l2.write_sectors"},
                                          {"dram_reads", "dram.read_sectors"},
                                          {"dram_writes", "dram.write_sectors"},
                                          {"rubato", "totals.cycles"}};
    (void)state;
    make_folders();
    expect(0, NULL, WORDS("run", "BlackScholes.rbt", "--gpu", "qv100", "-o", "run"));
    char *out = cli_run_as(
        &rubato, 0, NULL,
        WORDS("validate", "--applications", ".", "--published", ".", "-o", "validation"));
    assert_non_null(strstr(out, "Accesses, in sectors of 32 bytes"));
    assert_non_null(strstr(out, "no trace"));
    char *csv = cli_read("validation/applications.csv"), *stats = cli_read("run/stats.csv");
    assert_non_null(csv);
    assert_non_null(stats);
    for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++) {
        double got = csv_field(csv, "\nBlackScholes/", csv_column(csv, same[i][0]));
        double want = total(stats, same[i][1]);
        if (got < want || got > want)
            fail_msg("%s: %g, the run has %g", same[i][0], got, want);
    }
    free(csv);
    free(stats);
    free(out);
}

static void what_is_missing_is_named(void **state)
{
    (void)state;
    expect(2, "--published", WORDS("validate", "--applications", "."));
    expect(1, "qv100-applications.csv",
           WORDS("validate", "--applications", ".", "--published", "."));
    cli_write("qv100-applications.csv", table, sizeof(table) - 1);
    expect(2, "BlackScholes.rbt", WORDS("validate", "--applications", ".", "--published", "."));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_missing_is_named),
        cmocka_unit_test(cycles_and_accesses_are_those_of_a_run),
    };
    return cmocka_run_group_tests(tests, cli_begin, cli_end);
}
