/* rubato evaluate of a trace: sampled runs are scored against the full run. */
#include "tests/support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/tool/evaluate/score/sampled_score.h"
#include "frontend/tool/run/results/run_result.h"
#include "tests/support/tool/cli_child.h"

static void put(const char *path, const char *text)
{
    cli_write(path, text, strlen(text));
}

/* Launch id with this many cycles, and ten warp instructions and two DRAM sectors per cycle. */
static run_launch_t launch(uint64_t id, uint64_t cycles, double weight)
{
    run_launch_t l = {.weight = weight, .name = NULL};
    l.r.info.id = id;
    l.r.end = cycles;
    l.r.warp_insts = 10 * cycles;
    l.r.dram.read_sectors = 2 * cycles;
    l.r.sm.state_selected = cycles;
    l.r.sm.state_wait = 3 * cycles;
    return l;
}

/* Totals of launches with their weights. */
static run_result_t result(run_launch_t *launches, size_t n, double seconds)
{
    run_result_t r = {
        .host_seconds = seconds, .low = NAN, .high = NAN, .launches = launches, .n = n};
    for (size_t i = 0; i < n; i++) {
        const launch_result_t *l = &launches[i].r;
        uint64_t weight = (uint64_t)launches[i].weight;
        r.totals.cycles += weight * launch_result_cycles(l);
        r.totals.warp_insts += weight * l->warp_insts;
        r.totals.run_warp_insts += l->warp_insts;
        r.totals.run_cycles += launch_result_cycles(l);
        r.totals.dram.read_sectors += weight * l->dram.read_sectors;
        r.totals.sm.state_selected += weight * l->sm.state_selected;
        r.totals.sm.state_wait += weight * l->sm.state_wait;
    }
    return r;
}

static void a_run_is_scored_by_what_it_says_and_costs(void **state)
{
    (void)state;
    gpu_spec_t *spec = calloc(1, sizeof(*spec));
    spec->gpu.clock_mhz = 1000;
    run_launch_t all[] = {launch(1, 100, 1), launch(2, 100, 1), launch(3, 300, 1)};
    /* Launch 2, which stands for the first two, found colder caches. */
    run_launch_t some[] = {launch(2, 110, 2), launch(3, 300, 1)};
    run_result_t full = result(all, 3, 8.0), sampled = result(some, 2, 2.0);
    some[0].r.warp_insts = 1000;
    sampled.totals.run_warp_insts = 1000 + 1500; /* launch 3 was simulated by half */
    sampled.low = 505;
    sampled.high = 515;
    sampled_score_t s = sampled_score(spec, &full, &sampled);
    assert_true(fabs(s.error - 0.04) < 1e-12);
    assert_true(fabs(s.picked_error) < 1e-12);
    assert_true(s.has_interval && !s.covered);
    assert_true(fabs(s.simulated - 0.5) < 1e-12);
    assert_true(fabs(s.skipped_between - 0.2) < 1e-12);
    assert_true(fabs(s.skipped_inside - 0.3) < 1e-12);
    assert_true(fabs(s.launches - 2.0 / 3) < 1e-12);
    assert_true(fabs(s.speedup_wall - 4.0) < 1e-12);
    assert_true(fabs(s.dram_error - 0.04) < 1e-12);
    assert_true(fabs(s.full_state[STATE_WAIT] - 0.75) < 1e-12);
    /* The full run has no error against itself. */
    s = sampled_score(spec, &full, &full);
    assert_true(s.error == 0.0 && isnan(s.picked_error) && fabs(s.simulated - 1) < 1e-12);
    assert_true(!s.has_interval);
    free(spec);
}

/* The number in a column of the row that begins with label. */
static double cell(const char *csv, const char *label, const char *column)
{
    int index = 0, quoted = 0;
    const char *at = strstr(csv, column), *row = strstr(csv, label);
    assert_non_null(at);
    assert_non_null(row);
    for (const char *c = csv; c < at; c++)
        index += *c == ',';
    for (row++; index > 0; row++) {
        assert_true(*row != '\0' && *row != '\n');
        quoted ^= *row == '"';
        index -= *row == ',' && !quoted;
    }
    return *row == ',' || *row == '\n' ? (double)NAN : atof(row);
}

static void sets_are_simulated_and_scored(void **state)
{
    (void)state;
    cli_make_many(TRACE, 4);
    const char *const *words =
        WORDS("evaluate", "many", "--gpu", "v100", "--sample", "random:count=2", "--sample",
              "pka_stop", "--variants", "sm.half", "--replays", "3", "--metrics", "-o", "scored");
    char *text = cli_run_as(&rubato, 0, "to run", words);
    assert_non_null(strstr(text, "none: 4 launches"));
    assert_non_null(strstr(text, "stem_sm_half: 4 launches"));
    assert_non_null(strstr(text, "pka_stop: launches"));
    /* Four equal launches: two stand for all, and values that do not depend on caches are equal. */
    const char *metrics = strstr(text, "random:count=2: the 13 metrics");
    assert_non_null(metrics);
    assert_non_null(strstr(metrics, "DRAM read"));
    const char *loads = strstr(metrics, "global LD");
    assert_non_null(loads);
    assert_non_null(strstr(loads, "branch efficiency"));
    assert_int_equal(strncmp(strchr(loads, '+'), "+0.00 %", 7), 0);
    free(text);
    free(cli_read_json("scored/evaluation.json"));
    char *page = cli_read("scored/evaluation.html");
    assert_non_null(strstr(page, "{\"type\":\"evaluation\""));
    assert_non_null(strstr(page, "\"sample\":\"pka_stop\",\"variant\":\"stem_sm_half\""));
    free(page);
    char *csv = cli_read("scored/evaluation.csv");
    assert_true(fabs(cell(csv, "\nrandom:count=2,none,", "simulated_share") - 0.5) < 1e-9);
    assert_true(fabs(cell(csv, "\nrandom:count=2,none,", "skipped_between_share") - 0.5) < 1e-9);
    assert_true(cell(csv, "\nrandom:count=2,none,", "picked_seeds") == 3);
    assert_true(cell(csv, "\nrandom:count=2,none,", "global_load_instructions_full") > 0);
    assert_true(fabs(cell(csv, "\nrandom:count=2,none,", "global_load_instructions_full") -
                     cell(csv, "\nrandom:count=2,none,", "global_load_instructions_sampled")) <
                1e-9);
    assert_true(cell(csv, "\npka_stop,none,", "cycles_error") == 0.0);
    assert_true(isnan(cell(csv, "\npka_stop,none,", "picked_error,")));
    /* With half the SMs the run takes longer, and it is scored against its own full run. */
    assert_true(cell(csv, "\npka_stop,stem_sm_half,", "cycles_full") >=
                cell(csv, "\npka_stop,none,", "cycles_full"));
    free(csv);
    /* Finished jobs are not repeated. */
    text = cli_run_as(&rubato, 0, "6 jobs, 0 to run", words);
    free(text);
}

/* The row of a table that begins with label, up to its end. */
static const char *row_of(const char *csv, const char *label)
{
    const char *row = strstr(csv, label);
    assert_non_null(row);
    return row;
}

static void sets_are_simulated_with_many_seeds(void **state)
{
    (void)state;
    expect(0, NULL, WORDS("gen", "gaussian", "--size", "24", "-f", "-o", "g.rbt"));
    const char *const *words =
        WORDS("evaluate", "g.rbt", "--gpu", "v100", "-s", "sm.count=4", "--sample",
              "random:count=8", "--sample", "tbpoint", "--sample", "stem_online:epsilon=0.2",
              "--seeds", "4", "--replays", "50", "-o", "seeds");
    /* One full run, one of tbpoint, whose plan is the same with every seed, and four of the others. */
    char *text = cli_run_as(&rubato, 0, "10 jobs, 9 to run", words);
    assert_non_null(strstr(text, "over the seeds"));
    assert_non_null(strstr(text, "tbpoint: no interval in 1 of 1 run: the method's choice"));
    assert_non_null(strstr(text, "random:count=8: statistics over 4 runs"));
    assert_non_null(strstr(text, "state_long_scoreboard_share"));
    free(text);
    free(cli_read_json("seeds/evaluation.json"));
    char *runs = cli_read("seeds/evaluation.csv"), *sets = cli_read("seeds/evaluation_sets.csv");
    /* The means over the runs are those of the rows of the runs. */
    double sum = 0, low, high, covered = 0, full = cell(runs, "\ntbpoint,", "cycles_full");
    char row[64];
    for (int seed = 1; seed <= 4; seed++) {
        snprintf(row, sizeof(row), "\nrandom:count=8,,,%d,", seed);
        sum += fabs(cell(runs, row, "cycles_error"));
        low = cell(runs, row, "cycles_low");
        high = cell(runs, row, "cycles_high");
        assert_true(cell(runs, row, "covered") == (low <= full && full <= high));
        assert_true(cell(runs, row, "speedup_cpu") > 0);
        covered += low <= full && full <= high;
    }
    assert_true(cell(sets, "\nrandom:count=8,", "runs") == 4);
    assert_true(fabs(cell(sets, "\nrandom:count=8,", "error_mean") - sum / 4) < 1e-12);
    assert_true(fabs(cell(sets, "\nrandom:count=8,", "coverage") - covered / 4) < 1e-12);
    assert_true(cell(sets, "\nrandom:count=8,", "half_width_mean") > 0);
    assert_true(cell(sets, "\nrandom:count=8,", "replays") == 50);
    assert_true(cell(sets, "\nrandom:count=8,", "replay_coverage") > 0.5);
    assert_true(cell(sets, "\nstem_online:epsilon=0.2,", "bound") == 0.2);
    assert_true(cell(sets, "\nstem_online:epsilon=0.2,", "share_within_bound") <= 1);
    assert_true(cell(sets, "\ntbpoint,", "runs") == 1 &&
                cell(sets, "\ntbpoint,", "no_interval") == 1);
    assert_non_null(strstr(row_of(sets, "\ntbpoint,"), "1 x the method's choice"));
    free(runs);
    free(sets);
    /* Seeds that are done are not simulated again. */
    words = WORDS("evaluate", "g.rbt", "--gpu", "v100", "-s", "sm.count=4", "--sample",
                  "random:count=8", "--seeds", "6", "-o", "seeds");
    free(cli_run_as(&rubato, 0, "7 jobs, 2 to run", words));
}

static void samplers_inside_are_scored_launch_by_launch(void **state)
{
    (void)state;
    expect(0, NULL,
           WORDS("gen", "stencil", "--size", "130", "-p", "steps=2", "-f", "-o", "st.rbt"));
    char *text = cli_run_as(&rubato, 0, "5 jobs",
                            WORDS("evaluate", "st.rbt", "--gpu", "v100", "-s", "sm.count=2",
                                  "--sample", "blocks:count=20", "--sample", "photon_warp",
                                  "--seeds", "3", "-o", "inside"));
    assert_non_null(strstr(text, "blocks:count=20: cycles of launches over 3 runs"));
    assert_non_null(strstr(text, "photon_warp: launches"));
    free(text);
    char *statistics = cli_read("inside/evaluation_statistics.csv"), row[64];
    char *launches = cli_read("inside/evaluation_launches.csv");
    for (int launch = 1; launch <= 2; launch++) {
        double sum = 0;
        for (int seed = 1; seed <= 3; seed++) {
            snprintf(row, sizeof(row), "\nblocks:count=20,,,%d,%d,", seed, launch);
            sum += fabs(cell(launches, row, "cycles_error"));
            assert_true(isnan(cell(launches, row, "covered")));
        }
        snprintf(row, sizeof(row), "\nblocks:count=20,,,%d,", launch);
        assert_true(cell(statistics, row, "runs") == 3);
        assert_true(cell(statistics, row, "no_interval") == 3);
        assert_true(fabs(cell(statistics, row, "error_mean") - sum / 3) < 1e-12);
    }
    free(statistics);
    free(launches);
}

static void what_cannot_be_simulated_is_a_row(void **state)
{
    (void)state;
    cli_make_many(TRACE, 4);
    char *text = cli_run_as(&rubato, 1, "failed",
                            WORDS("evaluate", "many", "--sample", "photon_kernel", "--sample",
                                  "blocks", "-o", "lacking"));
    assert_non_null(strstr(text, "basic-block vectors"));
    assert_non_null(strstr(text, "blocks: launches"));
    free(text);
    text = cli_run_as(&rubato, 1, "failed",
                      WORDS("evaluate", "many", "--sample", "photon_kernel", "--sample",
                            "random:count=2", "--seeds", "2", "-o", "lacking"));
    assert_non_null(strstr(text, "photon_kernel: 1 run failed: "));
    free(text);
    char *sets = cli_read("lacking/evaluation_sets.csv");
    assert_true(cell(sets, "\nphoton_kernel,", "failed") == 1);
    assert_non_null(strstr(row_of(sets, "\nphoton_kernel,"), "basic-block vectors"));
    assert_true(cell(sets, "\nrandom:count=2,", "runs") == 2);
    free(sets);
    free(cli_read_json("lacking/evaluation.json"));
    /* Warm-ups: the first is that of the full run that all are scored against. */
    text = cli_run_as(&rubato, 0, NULL,
                      WORDS("evaluate", "many", "--sample", "stem", "--warmup", "keep,flush", "-o",
                            "warmed", "--csv", "here.csv"));
    assert_non_null(strstr(text, "all launches, flush"));
    assert_non_null(strstr(text, "stem, flush"));
    free(text);
    assert_true(cli_exists("here.csv") && !cli_exists("warmed/evaluation.csv"));
    /* Launch 2 finds the data of launch 1 in the L2, unless the L2 was emptied. */
    char *launches = cli_read("warmed/evaluation_launches.csv");
    static const char row[] = "\n,,flush,,2,";
    assert_true(cell(launches, row, "l2_hit_rate_full") >
                cell(launches, row, "l2_hit_rate_sampled"));
    assert_true(cell(launches, "\n,,keep,,2,", "l2_hit_rate_sampled") > 0.5);
    free(launches);
}

static void plans_are_scored_as_files_beside_samplers(void **state)
{
    (void)state;
    cli_make_many(TRACE, 4);
    /* Launch 1 for two, launch 3 for two; the fourth is not simulated. */
    put("by_hand.json", "{\"schema\": \"rubato-plan-1\", \"launches\": 4, \"clusters\": ["
                        "{\"name\": \"launch\", \"size\": 2, \"samples\": [[1, 2]]},"
                        "{\"name\": \"launch\", \"size\": 2, \"samples\": [[3, 2]]}]}");
    char *text =
        cli_run_as(&rubato, 0, "6 jobs, 5 to run",
                   WORDS("evaluate", "many", "--gpu", "v100", "--plan", "by_hand.json", "--sample",
                         "random:count=2", "--variants", "sm.half", "-o", "planned"));
    assert_non_null(strstr(text, "\nby_hand.json "));
    assert_non_null(strstr(text, "\nrandom:count=2 "));
    free(text);
    char *csv = cli_read("planned/evaluation.csv"), *full = NULL;
    assert_true(fabs(cell(csv, "\nby_hand.json,none,", "simulated_share") - 0.5) < 1e-9);
    assert_true(cell(csv, "\nby_hand.json,none,", "picked_seeds") == 0);
    /* The picked values are those that the same plan gives with the launches of the full run. */
    full = cli_run_as(&rubato, 0, NULL,
                      WORDS("run", "many", "--gpu", "v100", "-o", "all_four", "--force"));
    free(full);
    free(
        cli_run_as(&rubato, 0, NULL,
                   WORDS("evaluate", "all_four", "--plan", "by_hand.json", "--csv", "picked.csv")));
    full = cli_read("picked.csv");
    assert_true(fabs(fabs(cell(csv, "\nby_hand.json,none,", "picked_error,")) -
                     cell(full, "\nby_hand.json,", "error_mean")) < 1e-9);
    free(full);
    free(csv);
    /* A changed plan is another job; one that does not fit is refused before anything runs. */
    put("by_hand.json", "{\"schema\": \"rubato-plan-1\", \"launches\": 4, \"clusters\": ["
                        "{\"name\": \"launch\", \"size\": 4, \"samples\": [[2, 4]]}]}");
    text = cli_run_as(
        &rubato, 0, "2 jobs, 1 to run",
        WORDS("evaluate", "many", "--gpu", "v100", "--plan", "by_hand.json", "-o", "planned"));
    free(text);
    put("other.json", "{\"schema\": \"rubato-plan-1\", \"launches\": 9, \"clusters\": ["
                      "{\"name\": \"launch\", \"size\": 9, \"samples\": [[7, 9]]}]}");
    expect(2, "the plan simulates launch 7, which the trace does not have",
           WORDS("evaluate", "many", "--plan", "other.json", "-o", "refused"));
    put("other.json", "{\"schema\": \"rubato-plan-1\", \"launches\": 4, \"clusters\": ["
                      "{\"name\": \"elsewhere\", \"size\": 4, \"samples\": [[2, 4]]}]}");
    expect(2, "of kernel 'elsewhere' in the plan",
           WORDS("evaluate", "many", "--plan", "other.json", "-o", "refused"));
    expect(2, "given twice",
           WORDS("evaluate", "many", "--plan", "by_hand.json", "--plan", "by_hand.json", "-o",
                 "refused"));
    expect(1, "nothing.json", WORDS("evaluate", "many", "--plan", "nothing.json", "-o", "refused"));
    expect(2, "--change-bound is for a trace with --variants",
           WORDS("evaluate", "many", "--change-bound", "1%", "-o", "refused"));
    expect(2, "unknown delta 'cache.x3'",
           WORDS("evaluate", "many", "--variants", "cache.x3", "-o", "refused"));
    assert_false(cli_exists("refused"));
}

/* Four equal launches, of which two show all: their change is the true one, and nothing else is said of it. */
static void changes_between_variants_are_scored(void **state)
{
    (void)state;
    cli_make_many(TRACE, 4);
    for (int follows = 0; follows < 2; follows++) {
        char *text =
            cli_run_as(&rubato, 0, NULL,
                       WORDS("evaluate", "many", "--gpu", "v100", "--sample", "random:count=3",
                             "--variants", "sm.half", "--replays", "1", "--seeds", "2", "-o",
                             "changed", "--change-bound", follows ? "1%" : "0"));
        const char *row = strstr(text, "\nchanges of the cycles");
        assert_non_null(row);
        row = strstr(row, "\nrandom:count=3");
        assert_non_null(row);
        assert_non_null(strstr(row, "stem_sm_half"));
        free(text);
        char *csv = cli_read("changed/changes.csv");
        assert_non_null(strstr(csv, "random:count=3,stem_sm_half,,totals.cycles,relative,"));
        assert_null(strstr(csv, "simulated."));
        free(csv);
    }
    const char *jobs = "changed/jobs.tsv";
    char *text = cli_read(jobs);
    assert_non_null(strstr(text, "--change-from"));
    free(text);
}

static void what_samplers_looked_at_is_in_the_page(void **state)
{
    (void)state;
    expect(0, NULL,
           WORDS("gen", "blackscholes", "--size", "16384", "-p", "launches=2", "-o", "bs.rbt"));
    expect(0, "3 jobs, 2 to run",
           WORDS("evaluate", "bs.rbt", "-s", "sm.count=2", "--sample", "photon_warp", "--sample",
                 "tbpoint_region", "--detectors", "-o", "looked"));
    char *page = cli_read("looked/evaluation.html");
    const char *first = strstr(page, "{\"type\":\"detectors\"");
    assert_non_null(first);
    assert_non_null(strstr(first + 1, "{\"type\":\"detectors\""));
    assert_non_null(strstr(first, "\"title\":\"bs.rbt v100 sample=tbpoint_region\""));
    free(page);
    /* Without detectors these are other jobs, which can be resumed. */
    expect(0, "3 jobs, 2 to run",
           WORDS("evaluate", "bs.rbt", "-s", "sm.count=2", "--sample", "photon_warp", "--sample",
                 "tbpoint_region", "-o", "looked"));
    expect(2, "--detectors are for a trace",
           WORDS("evaluate", "looked/evaluation.csv", "--detectors"));
}

static void mistakes_are_named(void **state)
{
    (void)state;
    cli_make_many(TRACE, 4);
    expect(0, NULL, WORDS("run", "many", "-o", "full"));
    expect(2, "are for a trace", WORDS("evaluate", "full", "--gpu", "v100"));
    expect(2, "are for a trace", WORDS("evaluate", "full", "--metrics"));
    expect(2, "--replays is for a trace", WORDS("evaluate", "full", "--replays", "3"));
    cli_write("empty", "\n\n", 2);
    expect(2, "empty: no header of a profile",
           WORDS("evaluate", "many", "--plan-from", "empty", "--sample", "stem", "-o", "unrun"));
    assert_false(cli_exists("unrun"));
    expect(2, "--csv FILE", WORDS("evaluate", "full", "-o", "scores.csv"));
    expect(2, "is a trace", WORDS("evaluate", "many", "--epsilon", "5%"));
    expect(2, "unknown delta 'cache.x3'", WORDS("evaluate", "many", "--variants", "cache.x3"));
    expect(2, "--warmup", WORDS("evaluate", "many", "--warmup", "keep,,flush"));
    expect(2, "did you mean 'stem'", WORDS("evaluate", "many", "--sample", "stme"));
    expect(2, "twice",
           WORDS("evaluate", "many", "--sample", "stem", "--sample", "stem", "-o", "same"));
}

static void results_are_read_back_or_refused(void **state)
{
    static const struct {
        const char *text, *message;
    } bad[] = {
        {"", "bad.json:1"},
        {"{\"schema\": 2}", "schema"},
        {"{\"schema\": 1, \"complete\": false, \"launches\": []}", "stopped"},
        {"{\"schema\": 1, \"complete\": true, \"launches\": [1]}", "expected"},
        {"[1]", "expected"},
        {"{\"schema\": 1, \"launches\": [{\"id\": 1}", "cut short"},
    };
    run_result_t r;
    rb_err_t err = {0};
    (void)state;
    cli_make_many(TRACE, 2);
    expect(0, NULL, WORDS("run", "many", "-o", "whole", "--sample", "blocks"));
    assert_int_equal(run_result_read(&r, "whole", &err), RB_OK);
    assert_true(r.n == 2 && r.estimated == (r.totals.run_blocks < 2 * r.launches[0].r.blocks));
    assert_true(r.totals.cycles >=
                launch_result_cycles(&r.launches[0].r) + launch_result_cycles(&r.launches[1].r));
    assert_int_equal(r.totals.sm.warp_insts,
                     r.launches[0].r.sm.warp_insts + r.launches[1].r.sm.warp_insts);
    assert_true(r.totals.sm.warp_insts > 0 && r.totals.dram.read_sectors > 0);
    assert_int_equal(r.totals.warp_slot_cycles,
                     r.launches[0].r.warp_slot_cycles + r.launches[1].r.warp_slot_cycles);
    assert_string_equal(r.launches[1].r.sampling.sampler, "blocks");
    assert_true(run_result_find(&r, 2) == &r.launches[1] && run_result_find(&r, 3) == NULL);
    run_result_free(&r);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        put("bad.json", bad[i].text);
        err = (rb_err_t){0};
        assert_int_equal(run_result_read(&r, "bad.json", &err), RB_TRACE);
        assert_non_null(strstr(err.text, bad[i].message));
        run_result_free(&r);
    }
    assert_int_equal(run_result_read(&r, "nothing.json", &err), RB_IO);
    run_result_free(&r);
    /* Impossible numbers do no harm. */
    put("odd.json",
        "{\"schema\": 1, \"complete\": true, \"totals\": {\"cycles\": -1}, \"launches\": ["
        "{\"id\": 2, \"cycles\": 1e300, \"blocks\": 0.5}, {\"occupancy\": "
        "{\"blocks_per_sm\": 5e9}}]}");
    assert_int_equal(run_result_read(&r, "odd.json", &err), RB_OK);
    assert_true(r.n == 2 && r.launches[1].r.info.id == 2 && r.totals.cycles == 0);
    run_result_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_is_scored_by_what_it_says_and_costs),
        cmocka_unit_test(sets_are_simulated_and_scored),
        cmocka_unit_test(sets_are_simulated_with_many_seeds),
        cmocka_unit_test(samplers_inside_are_scored_launch_by_launch),
        cmocka_unit_test(what_cannot_be_simulated_is_a_row),
        cmocka_unit_test(plans_are_scored_as_files_beside_samplers),
        cmocka_unit_test(changes_between_variants_are_scored),
        cmocka_unit_test(what_samplers_looked_at_is_in_the_page),
        cmocka_unit_test(mistakes_are_named),
        cmocka_unit_test(results_are_read_back_or_refused),
    };
    return cmocka_run_group_tests(tests, cli_begin, cli_end);
}
