/* The output of a run about the interval of its cycles, and which samplers it uses. */
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/tool/cli_child.h"
#include "tests/support/tool/json_check.h"

enum { LAUNCHES = 12 };

#define ONLINE_NOTE   "cold starts of the simulated launches are not included"
#define SAMPLING_ONLY "sampling error only; " ONLINE_NOTE
#define UNBOUNDED     "nothing tells how long launches may be that look like the "
#define NOT_STATED    "samplers inside launches do not state their error"

/* The output of a run and its page about the interval of the cycles. */
static void expect_interval(const char *folder, bool there, const char *note)
{
    char path[64];
    snprintf(path, sizeof(path), "%s/run.json", folder);
    char *json = cli_read_json(path);
    assert_true(json_is(json, "totals.interval.cycles.low", "null") == !there);
    assert_true(json_is(json, "totals.interval.cycles.high", "null") == !there);
    assert_true(json_is(json, "totals.interval.cycles.note", "null") == (note == NULL));
    assert_true(note == NULL || strstr(json, note) != NULL);
    free(json);
    snprintf(path, sizeof(path), "%s/stats.csv", folder);
    char *csv = cli_read(path);
    assert_true((strstr(csv, "\ntotals.interval.cycles.low,") != NULL) == there);
    assert_true((strstr(csv, "\ntotals.interval.cycles.note,,") != NULL) == (note != NULL));
    assert_true(note == NULL || strstr(csv, note) != NULL);
    free(csv);
    expect(0, NULL, WORDS("stats", "diff", folder, folder));
    expect(0, NULL, WORDS("report", folder));
    snprintf(path, sizeof(path), "%s/report.html", folder);
    char *page = cli_read(path);
    assert_true((strstr(page, "\"interval\":{\"low\":") != NULL) == there);
    assert_true(note == NULL || strstr(page, note) != NULL);
    free(page);
}

static void intervals_say_what_they_leave_out(void **state)
{
    (void)state;
    static const struct {
        const char *sample, *table, *note;
        bool there, profile;
    } runs[] = {
        {"stem_online:epsilon=1,pilot_total=6,slow=1.1", ONLINE_NOTE, ONLINE_NOTE, true, false},
        {"stem_online:epsilon=1,pilot_total=4", "no interval: ", UNBOUNDED, false, false},
        {"stem_online:epsilon=1,pilot_total=4,slow=9", "no interval: ", "wider than the estimate",
         false, false},
        {"stem", SAMPLING_ONLY, SAMPLING_ONLY, true, true},
        {"stem_online", "(exact)", NULL, true, false}, /* takes all launches */
        /* photon_warp and pka_stop do not stop a launch here, so nothing is estimated inside. */
        {"stem_online:epsilon=1,pilot_total=6,slow=1.1,photon_warp", ONLINE_NOTE, ONLINE_NOTE, true,
         false},
        {"stem_online,blocks:count=1", "no interval: ", NOT_STATED, false, false},
        {"stem,pka_stop", SAMPLING_ONLY, SAMPLING_ONLY, true, true},
        {"stem,blocks:count=1", "no interval: ", NOT_STATED, false, true},
        {"blocks:count=1", "no interval: ", NOT_STATED, false, false},
        {"pka", "no interval: ", "the method's choice of launches is not random", false, true},
    };
    cli_make_many(TRACE, LAUNCHES);
    expect(0, NULL, WORDS("run", "many", "-fo", "full"));
    for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
        const char *words[] = {"run",       "many", "--sample", runs[i].sample, "-fo", "r",
                               "--profile", "full", NULL};
        if (!runs[i].profile)
            words[6] = NULL;
        char *table = cli_run_as(&rubato, 0, NULL, words);
        if (strstr(table, runs[i].table) == NULL)
            fail_msg("%s: no '%s' in %s", runs[i].sample, runs[i].table, table);
        if ((strstr(table, "confidence (") != NULL) != runs[i].there)
            fail_msg("%s: %s", runs[i].sample, table);
        free(table);
        expect_interval("r", runs[i].there, runs[i].note);
    }
}

static double end_of(const char *json, const char *stat, const char *end)
{
    char path[128];
    snprintf(path, sizeof(path), "totals.interval.%s.%s", stat, end);
    return json_number(json, path);
}

static double total_of(const char *json, const char *stat)
{
    char path[128];
    snprintf(path, sizeof(path), "totals.%s", stat);
    return json_number(json, path);
}

/* A table that the host copies just before fills the L2 with modified lines, and its first launches read it
 * from the DRAM; the others are alike. */
static void what_samples_cannot_show_has_no_interval_of_no_width(void **state)
{
    static const char *const unknown[] = {"dram.refreshes", "dram.read_latency", "l2.inst_sectors"};
    (void)state;
    expect(
        0, NULL,
        WORDS("gen", "lookups", "-p", "size=60", "-p", "bags=8", "-p", "cold=50", "-o", "lk.rbt"));
    expect(0, NULL,
           WORDS("run", "lk.rbt", "-s", "sm.count=4", "--sample", "stem_online", "-o", "lk"));
    char *json = cli_read_json("lk/run.json");
    for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++) {
        char path[96];
        snprintf(path, sizeof(path), "totals.interval.%s.low", unknown[i]);
        if (!json_is(json, path, "null"))
            fail_msg("%s has an interval", unknown[i]);
    }
    /* Weights of samples do not tell the number of launches. */
    assert_true(total_of(json, "launch_latency_cycles") == 120 * 5000.0);
    free(json);
}

static void every_statistic_has_an_interval(void **state)
{
    static const char *const uncertain[] = {"metrics.ipc",
                                            "metrics.achieved_occupancy",
                                            "metrics.global_load_hit_rate",
                                            "metrics.dram_bandwidth",
                                            "metrics.state_long_scoreboard_share",
                                            "dram_bytes",
                                            "sm.active_cycles",
                                            "dram.read_sectors",
                                            "seconds"};
    static const char *const exact[] = {"warp_instructions", "sm.warp_insts", "sm.mix_load",
                                        "metrics.warp_execution_efficiency"};
    (void)state;
    expect(0, NULL, WORDS("gen", "stencil", "-p", "size=130", "-p", "steps=30", "-o", "st.rbt"));
    char *table = cli_run_as(&rubato, 0, NULL,
                             WORDS("run", "st.rbt", "-s", "sm.count=4", "--warmup", "flush",
                                   "--sample", "random:fraction=30%", "-o", "st"));
    char *json = cli_read_json("st/run.json"), *csv = cli_read("st/stats.csv");
    for (size_t i = 0; i < sizeof(uncertain) / sizeof(uncertain[0]); i++) {
        const double value = total_of(json, uncertain[i]);
        const double low = end_of(json, uncertain[i], "low"),
                     high = end_of(json, uncertain[i], "high");
        if (!(low < value && value < high) || end_of(json, uncertain[i], "confidence") != 0.95)
            fail_msg("%s: %g is not between %g and %g", uncertain[i], value, low, high);
    }
    for (size_t i = 0; i < sizeof(exact) / sizeof(exact[0]); i++) {
        assert_true(end_of(json, exact[i], "low") == total_of(json, exact[i]));
        assert_true(end_of(json, exact[i], "high") == total_of(json, exact[i]));
    }
    /* stats.csv has the same ones. */
    char row[128];
    snprintf(row, sizeof(row), ",%.17g,%.17g\n", end_of(json, "metrics.ipc", "low"),
             end_of(json, "metrics.ipc", "high"));
    assert_non_null(strstr(csv, row));
    assert_non_null(strstr(csv, "path,value,unit,low,high\n"));
    /* What no simulated launch shows has none, and why is said. */
    assert_true(json_is(json, "totals.interval.sm.state_imc_miss.low", "null"));
    assert_non_null(strstr(json, "no simulated launch shows any"));
    for (const char *const *line =
             (const char *const[]){" cycles, ", "warp instructions per", NULL};
         *line != NULL; line++) {
        char *at = strstr(table, *line);
        assert_non_null(at);
        while (*at != '\n')
            at--;
        assert_non_null(strstr(at, "+- "));
    }
    free(table);
    free(json);
    free(csv);
}

static void lists_of_samplers_are_joined(void **state)
{
    (void)state;
    cli_make_many(TRACE, LAUNCHES);
    char *two = cli_run_as(&rubato, 0, NULL,
                           WORDS("run", "many", "--sample", "stem_online:epsilon=1,pilot_total=4",
                                 "--sample", "photon_bb,photon_warp:delta=0.1", "--json"));
    char *one = cli_run_as(
        &rubato, 0, NULL,
        WORDS("run", "many", "--sample",
              "stem_online:epsilon=1,pilot_total=4,photon_bb,photon_warp:delta=0.1", "--json"));
    assert_true(json_number(two, "sampling.samples") < LAUNCHES);
    assert_non_null(strstr(two, "\"photon_bb:"));
    assert_non_null(strstr(two, "\"photon_warp:"));
    static const char *const same[] = {"identity", "totals.cycles", "simulated.launches"};
    for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++) {
        size_t a, b;
        const char *of_one = json_find(one, same[i], &a), *of_two = json_find(two, same[i], &b);
        assert_true(of_one != NULL && of_two != NULL && a == b);
        assert_memory_equal(of_one, of_two, a);
    }
    free(one);
    free(two);
    expect(2, "stem,photon_kernel: several samplers choose launches",
           WORDS("run", "many", "--sample", "stem", "--sample", "photon"));
    expect(2, "starts with an option",
           WORDS("run", "many", "--sample", "stem:key=shape", "--sample", "epsilon=0.1"));
    expect(2, "stem,random: a plan needs exactly one",
           WORDS("plan", "many", "--sample", "stem", "--sample", "random"));
}

/* A second plan or profile used to replace the first one silently. */
static void one_plan_and_one_profile_are_taken(void **state)
{
    (void)state;
    expect(2, "--plan is given twice, 'a.json' and 'b.json'",
           WORDS("run", "many", "--plan", "a.json", "--plan", "b.json"));
    expect(2, "--profile is given twice",
           WORDS("run", "many", "--sample", "stem", "--profile", "a", "--profile", "b"));
    expect(2, "--plan is given twice",
           WORDS("sweep", "many", "--plan", "a.json", "--plan", "b.json"));
    expect(2, "--plan is given twice",
           WORDS("trace", "slice", "many", "--plan", "a.json", "--plan", "b.json", "-o", "x.rbt"));
    expect(125, "--plan is given twice",
           WORDS("record", "--plan", "a.json", "--plan", "b.json", "-o", "x.rbt", "--", "./app"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intervals_say_what_they_leave_out),
        cmocka_unit_test(what_samples_cannot_show_has_no_interval_of_no_width),
        cmocka_unit_test(every_statistic_has_an_interval),
        cmocka_unit_test(lists_of_samplers_are_joined),
        cmocka_unit_test(one_plan_and_one_profile_are_taken),
    };
    return cmocka_run_group_tests(tests, cli_begin, cli_end);
}
