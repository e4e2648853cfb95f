/* Intervals of all statistics of a run: how often they hold, and what must be exact. */
#include "tests/support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sampling/estimate/state_error.h"
#include "sampling/math/rng.h"
#include "sim/core/alloc.h"
#include "sim/core/sanitizer.h"
#include "tests/support/sim/launch_lab.h"
#include "tests/support/temp_folder.h"
#include "tests/support/trace/spec_load.h"

static gpu_spec_t spec;

static int load(void **state)
{
    rb_err_t err = {0};
    (void)state;
    if (spec_load(&spec, "v100", NULL, &err) != RB_OK)
        return -1;
    return temp_folder_begin(state);
}

/* What people read. */
static const char *const read_most[] = {"totals.cycles",
                                        "metrics.ipc",
                                        "metrics.global_load_hit_rate",
                                        "metrics.l2_hit_rate",
                                        "metrics.l2_read_hit_rate",
                                        "totals.dram_bytes",
                                        "metrics.dram_bandwidth",
                                        "metrics.achieved_occupancy",
                                        "metrics.state_long_scoreboard_share",
                                        "metrics.state_wait_share",
                                        "metrics.dram_row_hit_rate",
                                        "sm.global_load_hits",
                                        "sm.global_load_sectors",
                                        "l2.read_sectors",
                                        "dram.read_sectors"};
enum { READ = sizeof(read_most) / sizeof(read_most[0]) };

/* The address sanitizer looks for other errors. */
enum { TRIALS = RB_ADDRESS_SANITIZER ? 200 : 500 };

/* The true totals of a program. */
static run_totals_t truth(const launch_result_t *launches, uint64_t n)
{
    double sum[STAT_VALUES] = {0};
    for (uint64_t i = 0; i < n; i++)
        launch_values_add(sum, &launches[i], 1);
    return totals_of_values(sum, &spec);
}

static double value_of(const run_totals_t *t, size_t stat)
{
    const stat_view_t view = {&spec, t, t, true};
    return stat_value_f64(&view, stat);
}

/* How a program is sampled. */
typedef struct {
    const char *name;
    lab_program_t program;
    uint64_t each; /* launches of a stratum that are simulated; 0: all of them */
    double error;  /* of a group of a launch that is estimated inside; 0: launches are exact */
    bool index;
} design_t;

typedef struct {
    double covered[READ],
        squares[READ];  /* share of the intervals; sum of squared relative errors */
    double width[READ]; /* mean relative half width */
    double value[READ]; /* the true one */
} score_t;

/* Simulates the launches that a design wants with a seed. */
static void simulate(lab_run_t *run, const design_t *d, const launch_result_t *launches,
                     const launch_counts_t *known, uint64_t seed)
{
    launch_estimate_t list[LAB_GROUPS];
    plan_t plan = {0};
    if (d->each > 0)
        plan = lab_stratified(&d->program, d->each, seed);
    lab_run_begin(run, &spec, d->each > 0 ? &plan : NULL, d->index ? known : NULL, NULL);
    const uint64_t n = d->each > 0 ? run->sampling.n_chosen : d->program.n;
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t id = d->each > 0 ? run->sampling.chosen[i].id : i + 1;
        launch_result_t r = launches[id - 1];
        if (d->error > 0)
            r = lab_estimated(&r, d->error, seed, 1000 + id, list);
        lab_run_add(run, &r);
    }
    lab_run_end(run);
}

static void add_score(score_t *s, const lab_run_t *run, const run_totals_t *exact, double weight)
{
    for (size_t i = 0; i < READ; i++) {
        const size_t stat = stat_find(read_most[i]);
        const double is = value_of(exact, stat), got = value_of(&run->report.totals, stat);
        const stat_interval_t of = report_interval(&run->report, stat);
        const double rounding = 1e-6 * is; /* totals are whole numbers */
        s->covered[i] += of.low - rounding <= is && is <= of.high + rounding ? weight : 0;
        s->width[i] += weight * (of.high - of.low) / 2 / is;
        s->value[i] = is;
        s->squares[i] += weight * (got / is - 1) * (got / is - 1);
    }
}

static score_t score(const design_t *d, uint64_t trials)
{
    score_t s = {0};
    launch_result_t *launches = lab_launches(&d->program, &spec, 1);
    const run_totals_t exact = truth(launches, d->program.n);
    const launch_counts_t known = lab_counts(launches, d->program.n);
    for (uint64_t t = 1; t <= trials; t++) {
        lab_run_t run;
        simulate(&run, d, launches, &known, t);
        add_score(&s, &run, &exact, 1 / (double)trials);
        lab_run_free(&run);
    }
    free(launches);
    return s;
}

static bool of_memory(const char *path)
{
    return strstr(path, "l2") != NULL || strstr(path, "dram") != NULL;
}

/* What the state of the chip at a launch's start, which is the same here, adds to the half width of the
 * i-th statistic: 1 % of the cycles, and 1 % of the warps' time may be spent in another state. */
static double state_width(const score_t *s, size_t i)
{
    if (strstr(read_most[i], "cycles") != NULL || strstr(read_most[i], "ipc") != NULL)
        return 0.01;
    return strstr(read_most[i], "state_") != NULL ? 0.01 / s->value[i] : 0;
}

static void intervals_hold_as_often_as_they_say(void **state)
{
    static const design_t designs[] = {
        {"strata", {400, 4, 0.3, 0.08, 0}, 12, 0, false},
        {"strata, index", {400, 4, 0.3, 0.08, 0}, 12, 0, true},
        {"strata, little in common with the index", {400, 4, 0.02, 0.1, 0}, 12, 0, true},
        {"small strata", {120, 12, 0.2, 0.08, 0}, 5, 0, true},
        {"two stages", {400, 4, 0.3, 0.08, 0}, 12, 0.2, true},
        {"two stages, most of it inside", {400, 4, 0.05, 0.02, 0}, 12, 0.4, false},
        {"inside only", {40, 4, 0.3, 0.08, 0}, 0, 0.2, false},
    };
    const double enough = 0.95 - 3 * sqrt(0.05 * 0.95 / TRIALS);
    (void)state;
    for (size_t d = 0; d < sizeof(designs) / sizeof(designs[0]); d++) {
        const score_t s = score(&designs[d], TRIALS);
        double least = 1;
        for (size_t i = 0; i < READ; i++) {
            least = fmin(least, s.covered[i]);
            if (s.covered[i] < enough)
                fail_msg("%s: the interval of %s holds %.1f %% of the time", designs[d].name,
                         read_most[i], 100 * s.covered[i]);
            /* Wide ones would be easy: they are as wide as the errors make them. Only those of the L2
             * and the DRAM also have the error of the L2 at a launch's start, which these do not. */
            if (s.width[i] > 2.5 * sqrt(s.squares[i]) + state_width(&s, i) &&
                !of_memory(read_most[i]))
                fail_msg("%s: the interval of %s is %.1f standard errors wide", designs[d].name,
                         read_most[i], s.width[i] / sqrt(s.squares[i]));
        }
        print_message("%s: the least coverage is %.1f %%\n", designs[d].name, 100 * least);
    }
}

/* Root mean square error of a statistic with an index over that without. */
static double gain(const score_t *with, const score_t *without, const char *path)
{
    for (size_t i = 0; i < READ; i++)
        if (strcmp(read_most[i], path) == 0)
            return sqrt(with->squares[i] / without->squares[i]);
    fail_msg("%s is not measured", path);
    return 0;
}

static void an_index_helps_and_never_harms(void **state)
{
    enum { FEW = 150 };
    static const lab_program_t programs[] = {{400, 4, 0.3, 0.08, 0},
                                             {400, 4, 0.02, 0.1, 0},
                                             {400, 4, 0.0, 0.15, 0},
                                             {120, 12, 0.1, 0.1, 0}};
    (void)state;
    for (size_t p = 0; p < sizeof(programs) / sizeof(programs[0]); p++) {
        const score_t with = score(&(design_t){"", programs[p], 8, 0, true}, FEW);
        const score_t without = score(&(design_t){"", programs[p], 8, 0, false}, FEW);
        for (size_t i = 0; i < READ; i++)
            if (with.squares[i] > 1.1 * without.squares[i])
                fail_msg("program %zu: with an index %s is %.2f times as far off", p, read_most[i],
                         sqrt(with.squares[i] / without.squares[i]));
        if (p > 0)
            continue;
        assert_true(gain(&with, &without, "totals.cycles") < 0.1);
        assert_true(gain(&with, &without, "totals.dram_bytes") < 0.6);
        assert_true(gain(&with, &without, "sm.global_load_sectors") < 0.05);
    }
}

static void what_is_completely_simulated_is_exact(void **state)
{
    const design_t d = {"", {40, 4, 0.3, 0.08, 0}, 10, 0, true};
    launch_result_t *launches = lab_launches(&d.program, &spec, 1);
    const launch_counts_t known = lab_counts(launches, d.program.n);
    const run_totals_t exact = truth(launches, d.program.n);
    lab_run_t run;
    (void)state;
    simulate(&run, &d, launches, &known, 1);
    for (size_t i = 0; i < stat_count(); i++) {
        const stat_interval_t of = report_interval(&run.report, i);
        const double is = value_of(&exact, i);
        if (!intervals_has(&run.report.intervals, i) || !isfinite(is))
            continue;
        assert_string_equal(of.method, "exact");
        assert_true(of.low == of.high);
        if (fabs(of.low - is) > 1e-9 * is)
            fail_msg("%s is %.17g, not %.17g", stat_entry(i).name, of.low, is);
    }
    lab_run_free(&run);
    free(launches);
}

/* Hits are lookups too. */
static void assert_hits_within_lookups(const run_report_t *r)
{
    static const char *const pairs[][2] = {{"sm.global_load_hits", "sm.global_load_sectors"},
                                           {"l2.read_hits", "l2.read_sectors"},
                                           {"l2.write_hits", "l2.write_sectors"}};
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        const stat_interval_t hits = report_interval(r, stat_find(pairs[i][0])),
                              lookups = report_interval(r, stat_find(pairs[i][1]));
        if (isfinite(hits.low) && isfinite(lookups.low) &&
            !(hits.high <= lookups.high && hits.low <= lookups.low))
            fail_msg("%s: %g to %g, of %g to %g", pairs[i][0], hits.low, hits.high, lookups.low,
                     lookups.high);
    }
}

/* All launches, but the second half before the first one: the chip was not as in a run in order. */
static void launches_behind_later_ones_are_not_exact(void **state)
{
    static const lab_program_t program = {.n = 40, .strata = 2, .of_insts = 0.1, .of_rest = 0.1};
    launch_result_t *launches = lab_launches(&program, &spec, 1);
    plan_t plan = lab_stratified(&program, program.n, 1);
    lab_run_t run;
    (void)state;
    double late = 0;
    lab_run_begin(&run, &spec, &plan, NULL, NULL);
    for (uint64_t i = 0; i < program.n; i++)
        lab_run_add(&run, &launches[(i + program.n / 2) % program.n]);
    lab_run_end(&run);
    for (uint64_t i = 0; i < program.n / 2; i++)
        late += (double)launch_result_cycles(&launches[i]);
    const double cycles = (double)run.report.totals.cycles;
    const stat_interval_t of = report_interval(&run.report, 0);
    assert_string_equal(of.method, "all launches, in rounds");
    assert_true(fabs(of.high - cycles - 0.01 * late) < 1 &&
                fabs(cycles - of.low - 0.01 * late) < 1);
    lab_run_free(&run);
    free(launches);
}

/* Launches that are slow without hits, so that shares are near their limits. */
static void intervals_are_possible(void **state)
{
    static const design_t designs[] = {{"", {400, 4, 0.3, 0.3, 0.1}, 3, 0, true},
                                       {"", {400, 4, 0.3, 0.3, 0.1}, 3, 0.9, false},
                                       {"", {12, 2, 0.3, 0.3, 0.1}, 0, 0.9, false},
                                       {"", {12, 2, 0.3, 0.3, 0.1}, 5, 0, false}};
    (void)state;
    for (size_t d = 0; d < sizeof(designs) / sizeof(designs[0]); d++) {
        launch_result_t *launches = lab_launches(&designs[d].program, &spec, 3);
        const launch_counts_t known = lab_counts(launches, designs[d].program.n);
        for (uint64_t seed = 1; seed <= 20; seed++) {
            lab_run_t run;
            simulate(&run, &designs[d], launches, &known, seed);
            const intervals_t *s = &run.report.intervals;
            for (size_t i = 0; i < stat_count(); i++) {
                const stat_interval_t of = report_interval(&run.report, i);
                if (!isfinite(of.low))
                    continue;
                const double value = value_of(&run.report.totals, i);
                assert_true(of.low <= value && value <= of.high);
                assert_true(i == 0 || of.low >= 0);
                assert_true(of.high <= s->stats.form[i].most);
                /* what caches hold or miss may be less in a run of all launches */
                const linear_form_t *sum = &s->stats.form[i].num;
                if (s->stats.form[i].den.n == 0 && !state_error_is_cold(sum->term, sum->n))
                    assert_true(of.low >= form_value(sum, s->simulated) - 1 || of.low == value);
            }
            assert_hits_within_lookups(&run.report);
            /* Scaled or not, the warp states add up to the slots. */
            const run_totals_t *t = &run.report.totals;
            uint64_t states = t->sm.state_no_warp + metric_resident(&t->sm);
            if (designs[d].error == 0 &&
                fabs((double)states / (double)t->warp_slot_cycles - 1) > 1e-6)
                fail_msg("program %zu, seed %llu: %llu states in %llu slots", d,
                         (unsigned long long)seed, (unsigned long long)states,
                         (unsigned long long)t->warp_slot_cycles);
            lab_run_free(&run);
        }
        free(launches);
    }
}

static void an_error_that_is_not_stated_leaves_only_what_is_exact(void **state)
{
    const design_t d = {"", {40, 4, 0.3, 0.08, 0}, 5, 0, true};
    launch_result_t *launches = lab_launches(&d.program, &spec, 1);
    const launch_counts_t known = lab_counts(launches, d.program.n);
    lab_run_t run;
    (void)state;
    for (size_t i = 0; i < d.program.n; i++)
        launches[i].sampling.estimated = true;
    simulate(&run, &d, launches, &known, 1);
    const stat_interval_t ipc = report_interval(&run.report, stat_find("metrics.ipc")),
                          insts = report_interval(&run.report, stat_find("sm.warp_insts"));
    assert_true(isnan(run.report.cycles_interval.low));
    assert_true(isnan(ipc.low));
    assert_string_equal(ipc.reason, run.report.interval_note);
    assert_non_null(strstr(ipc.reason, "do not state their error"));
    assert_string_equal(insts.method, "exact");
    lab_run_free(&run);
    free(launches);
}

/* stats.csv of a run, and the intervals of its launches. The caller frees the text. */
static char *results_of(const lab_run_t *run)
{
    rb_err_t err = {0};
    char *text = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&text, &n);
    report_stats_csv(&run->report, out);
    assert_int_equal(report_launches_csv(&run->report, out, &err), RB_OK);
    fclose(out);
    return text;
}

/* The same run, whose first launches were simulated before it was interrupted. */
static char *resumed_results(const design_t *d, const launch_result_t *launches,
                             const launch_counts_t *known, const char *path)
{
    rb_err_t err = {0};
    lab_run_t run;
    plan_t plan = lab_stratified(&d->program, d->each, 7);
    lab_run_begin(&run, &spec, &plan, known, temp_path("other"));
    journal_close(run.journal);
    assert_int_equal(journal_open(&run.journal, path, &err), RB_OK);
    run.report.journal = run.journal;
    record_walk_t walk = record_walk(run.journal, RECORD_LAUNCH, &err);
    while (record_walk_next(&walk)) {
        totals_add(&run.report.simulated, &walk.record.launch);
        run_sampling_add(&run.sampling, &walk.record.launch, &walk.record.error);
        run.end = walk.record.launch.end;
    }
    assert_int_equal(walk.code, RB_OK);
    launch_estimate_t list[LAB_GROUPS];
    for (uint64_t i = run.report.simulated.launches; i < run.sampling.n_chosen; i++) {
        const uint64_t id = run.sampling.chosen[i].id;
        const launch_result_t r = lab_estimated(&launches[id - 1], d->error, 7, 1000 + id, list);
        lab_run_add(&run, &r);
    }
    lab_run_end(&run);
    char *text = results_of(&run);
    lab_run_free(&run);
    return text;
}

static void a_resumed_run_has_the_same_intervals(void **state)
{
    const design_t d = {"", {40, 4, 0.3, 0.08, 0}, 5, 0.2, true};
    launch_result_t *launches = lab_launches(&d.program, &spec, 1);
    const launch_counts_t known = lab_counts(launches, d.program.n);
    char path[256];
    lab_run_t run;
    (void)state;
    snprintf(path, sizeof(path), "%s", temp_path("journal"));
    simulate(&run, &d, launches, &known, 7);
    char *whole = results_of(&run);
    /* The half that was done. */
    rb_err_t err = {0};
    journal_t *half;
    assert_int_equal(journal_create(&half, path, &err), RB_OK);
    record_walk_t walk = record_walk(run.journal, RECORD_LAUNCH, &err);
    for (int i = 0; i < 9 && record_walk_next(&walk); i++)
        assert_int_equal(record_launch(half, &walk.record.launch, &walk.record.error, 1, &err),
                         RB_OK);
    journal_close(half);
    char *resumed = resumed_results(&d, launches, &known, path);
    assert_string_equal(resumed, whole);
    assert_non_null(strstr(whole, "metrics.ipc,"));
    free(resumed);
    free(whole);
    lab_run_free(&run);
    free(launches);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intervals_hold_as_often_as_they_say),
        cmocka_unit_test(an_index_helps_and_never_harms),
        cmocka_unit_test(what_is_completely_simulated_is_exact),
        cmocka_unit_test(launches_behind_later_ones_are_not_exact),
        cmocka_unit_test(intervals_are_possible),
        cmocka_unit_test(an_error_that_is_not_stated_leaves_only_what_is_exact),
        cmocka_unit_test(a_resumed_run_has_the_same_intervals),
    };
    return cmocka_run_group_tests(tests, load, temp_folder_end);
}
