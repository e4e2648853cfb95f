/* Scores of a set of samplers over its runs: errors, intervals, coverage, launch by launch. */
#include "tests/support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/tool/evaluate/score/set_score.h"
#include "tests/support/tool/cli_child.h"

static gpu_spec_t spec;

/* A launch of 1000 blocks with these cycles; half of its L2 reads hit. */
static run_launch_t launch(uint64_t id, uint64_t cycles)
{
    run_launch_t l = {.weight = 1, .name = (char *)"kernel"};
    l.r.info.id = id;
    l.r.start = 10000 * id; /* launches do not overlap */
    l.r.end = l.r.start + cycles;
    l.r.blocks = 1000;
    l.r.warp_insts = l.r.sm.warp_insts = 4000;
    l.r.l2.read_sectors = 200;
    l.r.l2.read_hits = 100;
    l.r.dram.read_sectors = 50;
    l.r.sm.state_selected = 100;
    l.r.sm.state_wait = 300;
    l.r.occupancy.blocks_per_sm = 1;
    return l;
}

static run_result_t run(run_launch_t *launches, size_t n, bool estimated)
{
    run_result_t r = {.estimated = estimated,
                      .host_seconds = 2,
                      .host_cpu_seconds = estimated ? 1 : 8,
                      .launches = launches,
                      .n = n};
    for (size_t i = 0; i < n; i++) {
        launches[i].r.sampling.estimated = estimated;
        totals_add(&r.totals, &launches[i].r);
        launches[i].r.sampling.simulated_warp_insts = 1000;
    }
    return r;
}

static printed_intervals_t read_text(const char *text)
{
    printed_intervals_t r;
    rb_err_t err = {0};
    cli_write("run.json", text, strlen(text));
    assert_int_equal(printed_intervals_read(&r, "run.json", &err), RB_OK);
    return r;
}

static void intervals_of_any_name_are_read(void **state)
{
    (void)state;
    printed_intervals_t r = read_text(
        "{\"totals\": {\"cycles\": 5, \"interval\": {\"cycles\": {\"low\": 1, \"high\": 2, "
        "\"note\": "
        "null}, \"metrics\": {\"ipc\": {\"low\": 0.5, \"high\": 0.75}}, \"sm\": {\"warp_insts\": "
        "{\"low\": null, \"high\": null, \"reason\": \"few units\"}}, \"future\": {\"high\": 3}}},"
        "\"launches\": [{\"interval\": {\"cycles\": {\"low\": 7, \"high\": 9}}, \"id\": 4}, "
        "{\"id\": 5, \"interval\": null}]}");
    assert_int_equal(r.n, 5);
    const printed_interval_t *i = printed_intervals_find(&r, 0, "cycles");
    assert_true(i != NULL && i->low == 1 && i->high == 2 && i->note == NULL);
    i = printed_intervals_find(&r, 0, "ipc");
    assert_true(i != NULL && i->low == 0.5 && i->high == 0.75);
    i = printed_intervals_find(&r, 0, "sm.warp_insts");
    assert_true(i != NULL && isnan(i->low) && isnan(i->high));
    assert_string_equal(i->note, "few units");
    i = printed_intervals_find(&r, 4, "cycles");
    assert_true(i != NULL && i->low == 7 && i->high == 9);
    assert_null(printed_intervals_find(&r, 5, "cycles"));
    assert_null(printed_intervals_find(&r, 0, "l2_hit_rate"));
    printed_intervals_free(&r);
    rb_err_t err = {0};
    cli_write("run.json", "{\"totals\": [", 12);
    assert_int_equal(printed_intervals_read(&r, "run.json", &err), RB_TRACE);
    assert_non_null(strstr(err.text, "run.json:1"));
    printed_intervals_free(&r);
    assert_int_equal(printed_intervals_read(&r, "no_such.json", &err), RB_IO);
    printed_intervals_free(&r);
}

static const scored_total_t *total(const set_score_t *s, const char *name)
{
    for (size_t i = 0; i < s->n_totals; i++) {
        if (strcmp(s->totals[i].what.name, name) == 0)
            return &s->totals[i];
    }
    return NULL;
}

static void add(set_score_t *s, const run_result_t *sampled, const char *json)
{
    printed_intervals_t intervals = read_text(json);
    sampled_score_t score = sampled_score(&spec, s->full, sampled);
    set_score_add(s, sampled, &intervals, &score);
    printed_intervals_free(&intervals);
}

static void runs_of_a_set_are_summed_up(void **state)
{
    (void)state;
    run_launch_t all[] = {launch(1, 1000), launch(2, 3000)};
    run_launch_t low[] = {launch(1, 900), launch(2, 2900)};   /* 5 % too fast */
    run_launch_t high[] = {launch(1, 1000), launch(2, 3400)}; /* 10 % too slow */
    low[0].r.l2.read_hits = 120;                              /* 55 % of the reads hit */
    run_result_t full = run(all, 2, false), a = run(low, 2, true), b = run(high, 2, true);
    set_score_t s;
    set_score_begin(&s, &spec, &full);
    add(&s, &a,
        "{\"totals\": {\"interval\": {\"cycles\": {\"low\": 3500, \"high\": 4100}, "
        "\"l2_read_hit_rate\": "
        "{\"low\": 0.54, \"high\": 0.56}, \"nothing_like_this\": {\"low\": 1, \"high\": 2}}},"
        "\"launches\": [{\"id\": 1, \"interval\": {\"cycles\": {\"low\": 890, \"high\": 910}}}]}");
    add(&s, &b,
        "{\"totals\": {\"interval\": {\"cycles\": {\"low\": null, \"high\": null, \"note\": "
        "\"tails\"}}}}");
    set_score_fail(&s, "first");
    set_score_fail(&s, "second");
    assert_true(s.runs == 2 && s.failed == 2);
    assert_string_equal(s.failure, "first");

    const coverage_t *cycles = &s.totals[0].coverage;
    coverage_summary_t c = coverage_summary(cycles);
    assert_string_equal(s.totals[0].what.name, "cycles");
    assert_true(c.runs == 2 && c.intervals == 1 && c.covered == 1 && c.none == 1 && c.silent == 0);
    assert_true(fabs(c.bias - 0.025) < 1e-12 && fabs(c.error_mean - 0.075) < 1e-12);
    assert_true(fabs(c.error_max - 0.1) < 1e-12 && fabs(c.half_width - 0.075) < 1e-12);
    assert_true(fabs(coverage_within(cycles, 0.05) - 0.5) < 1e-12);
    assert_true(isnan(coverage_within(cycles, NAN)));
    assert_true(cycles->n_reasons == 1 && cycles->reasons[0].runs == 1);
    assert_string_equal(cycles->reasons[0].text, "tails");

    /* A rate: 0.55 of 0.5, so a difference of five points outside an interval of one. */
    const scored_total_t *rate = total(&s, "l2_read_hit_rate");
    assert_non_null(rate);
    c = coverage_summary(&rate->coverage);
    assert_true(rate->what.share && fabs(rate->full - 0.5) < 1e-12);
    assert_true(c.intervals == 1 && c.covered == 0 && c.silent == 1 && c.none == 1);
    assert_true(fabs(c.error_max - 0.05) < 1e-12 && fabs(c.half_width - 0.01) < 1e-12);
    assert_null(total(&s, "nothing_like_this"));

    /* What people read is there whether it has an interval or not. */
    const scored_total_t *wait = total(&s, "state_wait_share"), *bytes = total(&s, "dram_bytes");
    assert_true(wait != NULL && fabs(wait->full - 0.75) < 1e-12 && wait->coverage.none == 2);
    assert_true(bytes != NULL && fabs(bytes->full - 2 * 50 * 32) < 1e-12);

    assert_int_equal(s.n_launches, 2);
    c = coverage_summary(&s.launches[0].coverage[0]);
    assert_true(s.launches[0].id == 1 && c.intervals == 1 && c.covered == 0 && c.none == 1);
    assert_true(c.silent == 1 && fabs(c.bias + 0.05) < 1e-12);
    /* A launch that states an interval of its cycles states that what has none is exact: its IPC is
     * wrong. Its DRAM bytes are not. */
    c = coverage_summary(&s.launches[0].coverage[1]);
    assert_string_equal(s.read[1].name, "ipc");
    assert_true(c.intervals == 1 && c.covered == 0 && c.silent == 1 && c.none == 1);
    c = coverage_summary(&s.launches[0].coverage[4]);
    assert_string_equal(s.read[4].name, "dram_bytes");
    assert_true(c.intervals == 0 && c.exact == 1 && c.none == 1);
    assert_true(fabs(s.launches[1].simulated / (double)s.launches[1].runs - 0.25) < 1e-12);

    const sampled_score_t mean = set_score_mean(&s);
    assert_true(fabs(mean.error - 0.025) < 1e-12 && fabs(mean.speedup_cpu - 8) < 1e-12);
    set_score_free(&s);
}

/* A sampler that simulates everything has nothing to state; an exact interval is no coverage. */
static void what_is_exact_is_counted_apart(void **state)
{
    (void)state;
    run_launch_t all[] = {launch(1, 1000)}, same[] = {launch(1, 1000)}, off[] = {launch(1, 1001)};
    run_result_t full = run(all, 1, false), whole = run(same, 1, false), wrong = run(off, 1, false);
    set_score_t s;
    static const char no_interval[] = "{\"totals\": {\"interval\": null}}";
    static const char exact[] =
        "{\"totals\": {\"interval\": {\"cycles\": {\"low\": 1000, \"high\": 1000}}}}";
    static const char not_exact[] =
        "{\"totals\": {\"interval\": {\"cycles\": {\"low\": 1001, \"high\": 1001}}}}";
    set_score_begin(&s, &spec, &full);
    add(&s, &whole, no_interval);
    add(&s, &whole, exact);
    coverage_summary_t c = coverage_summary(&s.totals[0].coverage);
    assert_true(c.exact == 2 && c.intervals == 0 && c.none == 0 && isnan(c.coverage));
    add(&s, &wrong, not_exact);
    c = coverage_summary(&s.totals[0].coverage);
    assert_true(c.exact == 2 && c.intervals == 1 && c.covered == 0 && c.silent == 1);
    set_score_free(&s);
}

static void statistics_are_found_by_their_names(void **state)
{
    (void)state;
    statistic_t a, b;
    assert_true(statistic_find(&a, "ipc") && statistic_find(&b, "metrics.ipc"));
    assert_true(a.index == b.index && !a.share);
    assert_string_equal(b.name, "ipc");
    assert_true(statistic_find(&a, "sm.warp_insts") && !a.share);
    assert_string_equal(a.name, "sm.warp_insts");
    assert_true(statistic_find(&a, "state_long_scoreboard_share") && a.share);
    assert_true(statistic_find(&a, "achieved_occupancy") && a.share);
    assert_false(statistic_find(&a, "state_no_warp_share"));
    assert_false(statistic_find(&a, "sm"));
    assert_false(statistic_find(&a, ""));
}

static int set_up(void **state)
{
    spec.gpu.clock_mhz = 1000;
    spec.sm.sm.count = 2;
    spec.sm.sm.max_warps = 64;
    return cli_begin(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intervals_of_any_name_are_read),
        cmocka_unit_test(runs_of_a_set_are_summed_up),
        cmocka_unit_test(what_is_exact_is_counted_apart),
        cmocka_unit_test(statistics_are_found_by_their_names),
    };
    return cmocka_run_group_tests(tests, set_up, cli_end);
}
