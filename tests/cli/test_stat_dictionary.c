/* rubato stats explain: everything that has a name in results is in the dictionary, with help. */
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

#include "frontend/tool/run/results/stat_dictionary.h"
#include "tests/support/tool/cli_child.h"

static bool has(const dictionary_entry_t *list, size_t n, const char *path)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(list[i].path, path) == 0)
            return true;
    }
    return false;
}

static void every_statistic_has_a_help_text(void **state)
{
    size_t n;
    dictionary_entry_t *list = stat_dictionary(&n);
    (void)state;
    assert_true(n > 150);
    for (size_t i = 0; i < n; i++) {
        if (strlen(list[i].help) < 5 || strlen(list[i].help) > 90)
            fail_msg("%s: the help text is missing, too short, or too long: '%s'", list[i].path,
                     list[i].help);
        if (strchr(list[i].path, '.') != NULL && list[i].unit[0] == '\0' &&
            strcmp(dictionary_name(&list[i]), "note") != 0)
            fail_msg("%s has no unit", list[i].path);
        if (has(list, i, list[i].path))
            fail_msg("%s is there twice", list[i].path);
    }
    free(list);
}

/* Each word of a text up to its end, at any of the separators, is a path. */
static void expect_paths(const char *what, char *text, const char *separators)
{
    size_t n, seen = 0;
    dictionary_entry_t *list = stat_dictionary(&n);
    for (char *word = strtok(text, separators); word != NULL; word = strtok(NULL, separators)) {
        if (!has(list, n, word))
            fail_msg("%s: '%s' is not in the dictionary", what, word);
        seen++;
    }
    assert_true(seen >= 3);
    free(list);
}

static void expect_columns(const char *path)
{
    char *text = cli_read(path);
    text[strcspn(text, "\n")] = '\0';
    expect_paths(path, text, ",\r");
    free(text);
}

static void every_column_and_path_of_a_run_is_explained(void **state)
{
    (void)state;
    expect(0, NULL, WORDS("run", TRACE, "-o", "out", "--stats-interval", "5k"));
    expect_columns("out/launches.csv");
    expect_columns("out/intervals.csv");
    char *stats = cli_read("out/stats.csv");
    char *to = stats, *line = stats + strcspn(stats, "\n");
    while (*line == '\n' && line[1] != '\0') { /* the first field of each line but the first */
        size_t n = strcspn(line + 1, ","), rest = strcspn(line + 1, "\n");
        memmove(to, line + 1, n);
        line += 1 + rest;
        to += n;
        *to++ = ',';
    }
    *to = '\0';
    expect_paths("out/stats.csv", stats, ",");
    free(stats);
}

static void expect_explained(const char *name, const char *text)
{
    char *out = cli_run_as(&rubato, 0, NULL, WORDS("stats", "explain", name));
    if (strstr(out, text) == NULL)
        fail_msg("stats explain %s: '%s' is not in\n%s", name, text, out);
    free(out);
}

static void names_are_found_by_path_part_beginning_and_nsight_name(void **state)
{
    (void)state;
    expect_explained("sm.warp_insts", "sm.warp_insts\n    warp instructions issued\n"
                                      "    unit: warp instructions\n"
                                      "    Nsight Compute: smsp__inst_executed.sum\n");
    expect_explained("l2_read_hit_rate", "metrics.l2_read_hit_rate\n");
    expect_explained("sm.icache", "sm.icache_l1_misses\n");
    expect_explained("dram__sectors_read.sum", "dram.read_sectors\n");
    expect_explained("occupancy_limiter", "in: launches.csv\n");
    /* A complete name does not count as the prefix of others. */
    char *out = cli_run_as(&rubato, 0, NULL, WORDS("stats", "explain", "barriers"));
    assert_ptr_equal(strstr(out, "sm.barriers\n"), out);
    assert_null(strstr(out + 1, "\nsm."));
    free(out);
    char *all = cli_run_as(&rubato, 0, NULL, WORDS("stats", "explain"));
    assert_non_null(strstr(all, "\nsm.state_barrier "));
    assert_non_null(strstr(all, "\nmetrics.ipc "));
    free(all);
}

static void unknown_names_are_refused_with_what_is_near(void **state)
{
    (void)state;
    expect(2, "did you mean 'sm.warp_insts'?", WORDS("stats", "explain", "sm.wrap_insts"));
    expect(2, "did you mean 'l2_hit_rate'?", WORDS("stats", "explain", "l2_hitrate"));
    expect(2, "lists all", WORDS("stats", "explain", "zzzzzzzzzzzz"));
    expect(2, "lists all", WORDS("stats", "explain", ""));
    expect(2, "did you mean 'explain'?", WORDS("stats", "explian"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_statistic_has_a_help_text),
        cmocka_unit_test(every_column_and_path_of_a_run_is_explained),
        cmocka_unit_test(names_are_found_by_path_part_beginning_and_nsight_name),
        cmocka_unit_test(unknown_names_are_refused_with_what_is_near),
    };
    return cmocka_run_group_tests(tests, cli_begin, cli_end);
}
