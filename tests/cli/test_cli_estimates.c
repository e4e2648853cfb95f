/*
 * Estimates stay within what is possible, and values in an index are not estimated: every bundled
 * trace with many samplers, on a chip so small that they skip much.
 */
#include "tests/support/test.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/tool/library/metrics.h"
#include "sim/core/sanitizer.h"
#include "tests/support/tool/cli_child.h"
#include "tests/support/tool/json_check.h"

#define SMS  2
#define CHIP "-s", "sm.count=2"

static const char *const samplers[] = {"photon_bb",
                                       "photon_warp",
                                       "tbpoint_region",
                                       "pka_stop:variant=photon",
                                       "blocks:count=1",
                                       "blocks:count=3,which=random",
                                       "units:which=random",
                                       "sieve",
                                       "random:fraction=30%",
                                       "stem_online:epsilon=1,pilot_total=3",
                                       "stem_online:epsilon=1,pilot_total=3,blocks:count=1"};
enum { SAMPLERS = sizeof(samplers) / sizeof(samplers[0]) };

/* Members of the totals of run.json; members separated by blanks are those of which only the sum
 * is known. */
static const char *const known[] = {
    "warp_instructions",
    "thread_instructions",
    "sm.blocks",
    "sm.warp_insts",
    "sm.thread_insts",
    "sm.mix_fp32",
    "sm.mix_int",
    "sm.mix_load",
    "sm.mix_store",
    "sm.mix_control",
    "sm.l1_tags",
    "sm.global_load_sectors sm.global_store_sectors l2.atomic_sectors l2.red_sectors",
    "sm.local_load_sectors sm.local_store_sectors",
    "sm.atomic_requests sm.reduction_requests sm.shared_atomic_requests"};
enum { KNOWN = sizeof(known) / sizeof(known[0]) };

static double sum_of(const char *json, const char *names)
{
    char text[256], path[300], *at = text;
    double sum = 0;
    snprintf(text, sizeof(text), "%s", names);
    for (const char *name; (name = strsep(&at, " ")) != NULL;) {
        snprintf(path, sizeof(path), "totals.%s", name);
        double v = json_number(json, path);
        assert_true(v >= 0);
        sum += v;
    }
    return sum;
}

/* No share is above 1; a share with nothing to measure is null. */
static void expect_shares(const char *json, const char *of)
{
    for (unsigned i = 0; i < METRIC_COUNT; i++) {
        char path[96];
        snprintf(path, sizeof(path), "%s.metrics.%s", of, metric_defs[i].name);
        if (strcmp(metric_defs[i].unit, "1") == 0 && json_number(json, path) > 1)
            fail_msg("%s is %g", path, json_number(json, path));
    }
}

/* The counters themselves: activity needs time, and hits need lookups. */
static void expect_counters(const char *json)
{
    static const char *const pairs[][2] = {
        {"sm.global_load_hits", "sm.global_load_sectors"},
        {"sm.branches_uniform", "sm.branches"},
        {"sm.branches", "sm.warp_insts"},
        {"sm.icache_l0_misses", "sm.icache_l0_lookups"},
        {"sm.const_misses", "sm.const_lookups"},
        {"l2.read_hits", "l2.read_sectors"},
        {"l2.write_hits", "l2.write_sectors"},
        {"l2.red_hits", "l2.red_sectors"},
    };
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
        assert_true(sum_of(json, pairs[i][0]) <= sum_of(json, pairs[i][1]));
    double cycles = json_number(json, "totals.cycles_without_launch_latency");
    /* Totals of a plan are rounded one by one. */
    assert_true(sum_of(json, "sm.active_cycles") <= SMS * (cycles + 1));
    assert_true(sum_of(json, "sm.l1_data_busy") <= SMS * (cycles + 1));
}

static void expect_possible(const char *json)
{
    expect_shares(json, "totals");
    expect_counters(json);
    for (int i = 0; i < 3; i++) {
        char launch[32];
        snprintf(launch, sizeof(launch), "launches.%d", i);
        expect_shares(json, launch);
    }
}

static void try_sampler(const char *trace, const char *sampler, const double *want)
{
    cli_result_t r = cli_run(&rubato, WORDS("run", trace, CHIP, "--sample", sampler, "--json"));
    if (r.status != 0) /* the sampler reports that it cannot work with this trace */
        assert_int_equal(r.status, 2);
    if (r.status == 0) {
        expect_possible(r.out);
        for (size_t k = 0; want != NULL && k < KNOWN; k++) {
            double got = sum_of(r.out, known[k]);
            if (got != want[k])
                fail_msg("%s, %s: %s is %.0f, the index knows %.0f", trace, sampler, known[k], got,
                         want[k]);
        }
    }
    cli_free(&r);
}

static size_t list_traces(const char *pattern, glob_t *g)
{
    assert_int_equal(glob(pattern, 0, NULL, g), 0);
    return g->gl_pathc;
}

/* Traces differ in their numbers, not in the code that reads them. Of both architectures some are taken. */
enum { EACH = RB_ADDRESS_SANITIZER ? 5 : 3 };

static void what_the_index_knows_is_not_estimated(void **state)
{
    (void)state;
    glob_t traces;
    assert_true(list_traces(RUBATO_ROOT "/traces/*.rbt", &traces) >= 10);
    for (size_t i = 0; i < traces.gl_pathc; i += EACH) {
        const char *trace = traces.gl_pathv[i];
        double want[KNOWN];
        char *full = cli_run_as(&rubato, 0, NULL, WORDS("run", trace, CHIP, "--json"));
        for (size_t k = 0; k < KNOWN; k++)
            want[k] = sum_of(full, known[k]);
        free(full);
        for (size_t s = 0; s < SAMPLERS; s++)
            try_sampler(trace, samplers[s], want);
    }
    globfree(&traces);
}

/* Without an index all is extrapolated. */
static void estimates_without_an_index_are_possible(void **state)
{
    (void)state;
    glob_t traces;
    assert_true(list_traces(RUBATO_ROOT "/traces/*-sm7[05]/", &traces) >= 4);
    for (size_t i = 0; i < traces.gl_pathc; i += EACH) {
        for (size_t s = 0; s < SAMPLERS; s++)
            try_sampler(traces.gl_pathv[i], samplers[s], NULL);
    }
    globfree(&traces);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_the_index_knows_is_not_estimated),
        cmocka_unit_test(estimates_without_an_index_are_possible),
    };
    return cmocka_run_group_tests(tests, cli_begin, cli_end);
}
