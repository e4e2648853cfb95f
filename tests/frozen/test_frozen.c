/*
 * The files that each release has frozen (tests/frozen/VERSION, made by freeze.sh): this version reads
 * them and finds what stood in them then, or refuses them by name with what to do. Cycles are not
 * compared: the model may change.
 */
#include "tests/support/test.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "frontend/input/rbt/rbt_checksum.h"
#include "frontend/input/rbt/rbt_format.h"
#include "tests/support/tool/cli_child.h"

#define FROZEN RUBATO_ROOT "/tests/frozen"
#define FIRST  "0.2.0" /* what is made newer */
enum { VERSIONS_MAX = 100, PATH_BYTES = 1024 };

/* Path of a file of a version; valid until the fourth next call. */
static const char *file_of(const char *version, const char *name)
{
    static char path[4][PATH_BYTES];
    static int next;
    next = (next + 1) % 4;
    snprintf(path[next], PATH_BYTES, "%s/%s/%s", FROZEN, version, name);
    return path[next];
}

static void copy(const char *from, const char *to)
{
    const cli_child_t rm = {.binary = "/bin/rm"}, cp = {.binary = "/bin/cp"};
    free(cli_run_as(&rm, 0, NULL, WORDS("-rf", to)));
    free(cli_run_as(&cp, 0, NULL, WORDS("-r", from, to)));
}

static void same_folders(const char *a, const char *b)
{
    const cli_child_t diff = {.binary = "/usr/bin/diff"};
    free(cli_run_as(&diff, 0, NULL, WORDS("-r", a, b)));
}

/* Calls check for each version; there is one at least. */
static void for_each_version(void (*check)(const char *version))
{
    DIR *dir = opendir(FROZEN);
    int n = 0;
    assert_non_null(dir);
    for (struct dirent *e; (e = readdir(dir)) != NULL;) {
        if (!strchr("0123456789", e->d_name[0]))
            continue;
        print_message("version %s\n", e->d_name);
        check(e->d_name);
        n++;
    }
    closedir(dir);
    assert_in_range(n, 1, VERSIONS_MAX);
}

/* --- what this version reads ----------------------------------------------------------------- */

/* Instructions, masks and addresses are what they were: Accel-Sim's text has them all. */
static void check_trace(const char *version)
{
    const cli_child_t shell = {.binary = "/bin/sh"};
    const char *trace = file_of(version, "trace.rbt");
    expect(0, NULL, WORDS("trace", "verify", trace));
    expect(0, NULL, WORDS("convert", "--to", "accelsim", trace, version));
    free(cli_run_as(&shell, 0, NULL,
                    WORDS("-c", "cd $2 && sha256sum --quiet -c \"$1\"", "sh",
                          file_of(version, "trace.sha256"), version)));
}

static void traces_hold_what_they_held(void **state)
{
    (void)state;
    for_each_version(check_trace);
}

/* Whether a line begins with the n characters of line. */
static bool has_value(const char *shown, const char *line, size_t n)
{
    for (const char *at = shown; (at = strstr(at, line)) != NULL; at += n)
        if (at == shown || at[-1] == '\n')
            return true;
    return false;
}

/* Defaults and values of built-in GPUs that have changed since: they only hold for a file that says so. */
static bool is_old_default(const char *line)
{
    /* Of warmup and of volta.cfg, until 0.2.0. */
    static const char *const old[] = {
        "    mode = \"keep\";", "    launches = 2;", "    tex_interval = 4;",
        "    dispatch_latency = 120;", "    completion_latency = 120;", "    data_interval = 2;",
        /* Of volta.cfg, until 0.3.0. */
        "    write = \"update\";",
        /* Of Photon's levels: they had no effect but with variants. */
        "    longer = true;", "    delta = 0.0;"};
    for (size_t i = 0; i < sizeof(old) / sizeof(old[0]); i++) {
        if (strcmp(line, old[i]) == 0)
            return true;
    }
    return false;
}

/* Values that meant "as the variant", which are shown as the variant's now; and a setting that did
 * nothing without a variant that is gone. */
static bool says_nothing(const char *line)
{
    static const char *const old[] = {"    series = \"variant\";", "    unit = \"variant\";",
                                      "    rule = \"variant\";", "    step = 0;",
                                      "    unbiased = true;"};
    for (size_t i = 0; i < sizeof(old) / sizeof(old[0]); i++) {
        if (strcmp(line, old[i]) == 0)
            return true;
    }
    return false;
}

/* Every value of a resolved configuration, as it was then, is the value now, unless a default has
 * changed. */
static void check_configuration(const char *version)
{
    char *then = cli_read(file_of(version, "results/config.cfg"));
    assert_non_null(then);
    const char *files[] = {"small.cfg", "results/config.cfg"};
    for (size_t i = 0; i < 2; i++) {
        char *shown =
            cli_run_as(&rubato, 0, NULL, WORDS("config", "show", file_of(version, files[i])));
        int values = 0;
        char line[512];
        for (const char *at = then; *at != '\0'; at += strcspn(at, "\n"), at += *at == '\n') {
            const size_t n = strcspn(at, ";#\n");
            if (at[n] != ';' || *at == '}' || n + 2 > sizeof(line))
                continue;
            snprintf(line, sizeof(line), "%.*s;", (int)n, at);
            if (!has_value(shown, line, n) && !says_nothing(line) &&
                !(i == 0 && is_old_default(line)))
                fail_msg("%s of %s: no longer '%s'", files[i], version, line);
            values++;
        }
        assert_in_range(values, 100, 10000);
        free(shown);
    }
    free(then);
}

static void configurations_resolve_to_the_same_values(void **state)
{
    (void)state;
    for_each_version(check_configuration);
}

/* The first column of a CSV file, its lines joined by '\n'. Owned by the caller. */
static char *first_column(const char *path)
{
    char *text = cli_read(path), *to = text;
    assert_non_null(text);
    for (const char *at = text, *next; *at != '\0'; at = next) {
        const size_t n = strcspn(at, ",\n");
        next = at + strcspn(at, "\n");
        next += *next == '\n';
        memmove(to, at, n);
        to += n;
        *to++ = '\n';
    }
    *to = '\0';
    return text;
}

static void check_plan(const char *version)
{
    expect(0, NULL,
           WORDS("run", file_of(version, "trace.rbt"), "-g", file_of(version, "small.cfg"),
                 "--plan", file_of(version, "plan.json"), "--force", "-o", "planned"));
    char *now = first_column("planned/launches.csv");
    char *then = cli_read(file_of(version, "plan.launches"));
    assert_string_equal(now, then);
    free(now);
    free(then);
}

static void plans_choose_the_launches_that_they_chose(void **state)
{
    (void)state;
    for_each_version(check_plan);
}

/* Rows "path,value,unit" of stats.csv, since 0.3.0 with an interval behind them, come back as "path,unit,value". */
static void check_results(const char *version)
{
    const char *results = file_of(version, "results");
    char *page = cli_run_as(&rubato, 0, NULL, WORDS("report", results, "-o", "page.html"));
    free(page);
    assert_true(cli_exists("page.html"));
    expect(0, NULL, WORDS("stats", "diff", results, results));
    char *joined = cli_run_as(&rubato, 0, NULL, WORDS("stats", "join", results));
    char *then = cli_read(file_of(version, "results/stats.csv"));
    int rows = 0;
    for (char *at = strchr(then, '\n') + 1; *at != '\0'; rows++) {
        char row[512], *end = strchr(at, '\n');
        *end = '\0';
        char *value = strchr(at, ',') + 1, *unit = strchr(value, ',') + 1;
        snprintf(row, sizeof(row), "\n%.*s,%.*s,%.*s\n", (int)(value - at - 1), at,
                 (int)strcspn(unit, ","), unit, (int)(unit - value - 1), value);
        if (strstr(joined, row) == NULL)
            fail_msg("results of %s: no longer '%s'", version, row + 1);
        at = end + 1;
    }
    assert_in_range(rows, 50, 100000);
    free(joined);
    free(then);
    cli_write("card.csv", "Kernel,Elapsed_Cycles\nstencil5,6000\n", 36);
    expect(0, NULL, WORDS("compare", "--hardware", "card.csv", results));
}

static void results_are_read_by_what_reads_results(void **state)
{
    (void)state;
    for_each_version(check_results);
}

/* --- what this version refuses --------------------------------------------------------------- */

static void resume(const char *version, int status, const char *message)
{
    expect(status, message,
           WORDS("run", file_of(version, "trace.rbt"), "-g", file_of(version, "small.cfg"), "-o",
                 "cut", "--resume"));
}

/* A run is continued by the build that began it only. */
static void check_interrupted(const char *version)
{
    copy(file_of(version, "interrupted"), "cut");
    resume(version, 2, "cut: cannot resume: it has a run with another version of rubato");
    resume(version, 2, "--force starts over");
    same_folders(file_of(version, "interrupted"), "cut");
    expect(0, NULL,
           WORDS("run", file_of(version, "trace.rbt"), "-g", file_of(version, "small.cfg"), "-o",
                 "cut", "--force"));
}

static void interrupted_runs_of_another_build_are_refused(void **state)
{
    (void)state;
    for_each_version(check_interrupted);
}

/* Changes the first from in a file to to, of the same length. */
static void change(const char *path, const char *from, const char *to)
{
    char *text = cli_read(path);
    assert_non_null(text);
    char *at = strstr(text, from);
    assert_non_null(at);
    memcpy(at, to, strlen(to));
    cli_write(path, text, strlen(text));
    free(text);
}

static void newer_texts_are_refused(void **state)
{
    (void)state;
    const char *version = FIRST;
    copy(file_of(version, "plan.json"), "plan.json");
    change("plan.json", "rubato-plan-1", "rubato-plan-2");
    expect(2, "plan.json:2: schema 'rubato-plan-2': this version reads rubato-plan-1; make",
           WORDS("run", file_of(version, "trace.rbt"), "--plan", "plan.json"));
    copy(file_of(version, "results"), "newer");
    change("newer/run.json", "\"schema\": 1", "\"schema\": 2");
    expect(2, "newer/run.json: not a run.json that this version can read",
           WORDS("report", "newer", "-o", "newer.html"));
    assert_false(cli_exists("newer.html"));
    copy(file_of(version, "small.cfg"), "newer.cfg");
    change("newer.cfg", "count", "craft");
    expect(2, "newer.cfg:3: unknown setting 'sm.craft'", WORDS("config", "check", "newer.cfg"));
}

/* The digit of the format in the first eight bytes of a journal. */
static void change_magic(const char *path)
{
    FILE *file = fopen(path, "r+");
    assert_non_null(file);
    assert_int_equal(fseek(file, 6, SEEK_SET), 0);
    assert_int_equal(fputc('2', file), '2');
    assert_int_equal(fclose(file), 0);
}

static void newer_journals_are_refused(void **state)
{
    (void)state;
    copy(file_of(FIRST, "interrupted"), "cut");
    change_magic("cut/journal");
    copy("cut", "before");
    resume(FIRST, 2, "cut/journal: not a journal that this version of rubato reads");
    resume(FIRST, 2, "--force starts over");
    same_folders("before", "cut");
}

static void newer_traces_are_refused(void **state)
{
    (void)state;
    enum { VERSION_AT = 8 + RBT_MAGIC_BYTES, SUM_AT = RBT_HEADER_BYTES - 8 };
    unsigned char head[RBT_HEADER_BYTES];
    copy(file_of(FIRST, "trace.rbt"), "newer.rbt");
    FILE *file = fopen("newer.rbt", "r+");
    assert_non_null(file);
    assert_int_equal(fread(head, sizeof(head), 1, file), 1);
    head[VERSION_AT]++;
    const uint64_t sum = rbt_checksum(head + 8, SUM_AT - 8);
    memcpy(head + SUM_AT, &sum, sizeof(sum));
    rewind(file);
    assert_int_equal(fwrite(head, sizeof(head), 1, file), 1);
    assert_int_equal(fclose(file), 0);
    expect(2, "newer.rbt: version 3 of the format is unknown: this rubato reads version 2; convert",
           WORDS("info", "newer.rbt"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(traces_hold_what_they_held),
        cmocka_unit_test(configurations_resolve_to_the_same_values),
        cmocka_unit_test(plans_choose_the_launches_that_they_chose),
        cmocka_unit_test(results_are_read_by_what_reads_results),
        cmocka_unit_test(interrupted_runs_of_another_build_are_refused),
        cmocka_unit_test(newer_texts_are_refused),
        cmocka_unit_test(newer_journals_are_refused),
        cmocka_unit_test(newer_traces_are_refused),
    };

    return cmocka_run_group_tests(tests, cli_begin, cli_end);
}
