/* Sequential STEM: its stated coverage, in replays of recorded full runs. Populations that break
 * it are in bench/ (rubato_sampling coverage). */
#include "tests/support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sampling/launch/online/stem_online.h"
#include "sim/core/alloc.h"
#include "sim/core/sanitizer.h"
#include "tests/support/sampling/online_replay.h"
#include "tests/support/sampling/population_lab.h"

/* The address sanitizer looks for other errors. */
enum { N = 20000, REPLAYS = RB_ADDRESS_SANITIZER ? 160 : 800 };

/* Nominal less two standard deviations of the replays: 1.5 points of 800. */
static void expect_coverage(const char *what, replay_t r)
{
    print_message("%s: coverage %.1f %%, speed-up %.1f, %.0f samples\n", what, 100 * r.coverage,
                  r.speedup, r.samples);
    const double least = 0.95 - 2 * sqrt(0.05 * 0.95 / REPLAYS);
    assert_true(r.coverage >= least);
    assert_true(r.inside >= least);
    assert_true(r.met >= 0.95);
}

static double lognormal(rng_t *rng, double at)
{
    (void)at;
    return exp(sqrt(log(2)) * rng_normal(rng)); /* CoV 1 */
}

static double bimodal(rng_t *rng, double at)
{
    (void)at;
    return (rng_unit(rng) < 0.3 ? 5 : 1) * (1 + 0.05 * rng_normal(rng));
}

static double drifting(rng_t *rng, double at)
{
    return (1 + 2 * at) * (1 + 0.2 * rng_unit(rng));
}

static void coverage_is_what_it_says(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double (*draw)(rng_t *rng, double at);
    } kinds[] = {{"lognormal", lognormal}, {"bimodal", bimodal}, {"drifting", drifting}};
    for (uint32_t strata = 1; strata <= 10; strata += 9) {
        lab_population_t lab = lab_population(N, strata);
        for (size_t k = 0; k < 3; k++) {
            rng_t rng = rng_make(77, k);
            for (uint64_t i = 0; i < N; i++)
                lab.time[i] = 1000 * (double)(1 + lab.name[i]) * kinds[k].draw(&rng, (double)i / N);
            expect_coverage(kinds[k].name,
                            online_replay(&lab.pop, lab.time, "stem_online", REPLAYS));
        }
        lab_population_free(&lab);
    }
}

/* Launches that differ by layer, with known instruction counts. */
static void coverage_holds_on_a_training_run(void **state)
{
    (void)state;
    lab_population_t lab = lab_training(45, 5);
    lab.pop.counter[POP_WARP_INSTS] = lab.insts;
    expect_coverage("training", online_replay(&lab.pop, lab.time, "stem_online", REPLAYS));
    lab_population_free(&lab);
}

static uint64_t run(stem_online_t *s, const double *cycles)
{
    const uint64_t *ids;
    uint64_t all = 0;
    for (uint64_t n; (n = stem_online_round(s, &ids)) > 0; all += n) {
        for (uint64_t i = 0; i < n; i++) {
            assert_true(i == 0 || ids[i - 1] < ids[i]); /* in the program's order */
            stem_online_result(s, i, cycles[ids[i] - 1], 0);
        }
    }
    return all;
}

static stem_online_t *create(const population_t *pop, const char *method, uint64_t seed)
{
    launch_choice_t choice;
    rb_err_t err = {0};
    assert_int_equal(launch_choice_parse(&choice, method, &err), RB_OK);
    stem_online_t *s = stem_online_create(choice.options, pop, seed, &err);
    launch_choice_free(&choice);
    assert_non_null(s);
    return s;
}

/* After a restart it requests and reports the same as a new one. */
static void a_restart_is_a_new_beginning(void **state)
{
    (void)state;
    lab_population_t lab = lab_population(3000, 7);
    rng_t rng = rng_make(3, 3);
    for (uint64_t i = 0; i < 3000; i++)
        lab.time[i] = 100 * (1 + rng_unit(&rng)) * (1 + lab.name[i]);
    stem_online_t *again = create(&lab.pop, "stem_online:epsilon=0.02", 9);
    for (uint64_t seed = 1; seed <= 5; seed++) {
        stem_online_t *fresh = create(&lab.pop, "stem_online:epsilon=0.02", seed);
        stem_online_restart(again, seed);
        assert_int_equal(run(fresh, lab.time), run(again, lab.time));
        assert_int_equal(stem_online_rounds(fresh), stem_online_rounds(again));
        estimate_t a = stem_online_estimate(fresh), b = stem_online_estimate(again);
        assert_memory_equal(&a.low, &b.low, sizeof(a.low));
        assert_memory_equal(&a.high, &b.high, sizeof(a.high));
        plan_t p, q;
        stem_online_plan(fresh, launch_method_find("stem_online"), &p);
        stem_online_plan(again, launch_method_find("stem_online"), &q);
        assert_int_equal(p.n_samples, q.n_samples);
        for (uint64_t i = 0; i < p.n_samples; i++)
            assert_int_equal(p.samples[i].launch, q.samples[i].launch);
        plan_free(&p);
        plan_free(&q);
        stem_online_free(fresh);
    }
    stem_online_free(again);
    lab_population_free(&lab);
}

static void one_launch_and_equal_launches_are_exact(void **state)
{
    (void)state;
    lab_population_t lab = lab_population(5000, 1);
    for (uint64_t i = 0; i < 5000; i++)
        lab.time[i] = 7;
    stem_online_t *s = create(&lab.pop, "stem_online:slow=1", 1);
    uint64_t n = run(s, lab.time);
    assert_true(n >= 2 && n <= 600);
    estimate_t e = stem_online_estimate(s);
    assert_true(fabs(e.value - 35000) < 1e-6 && e.high - e.low < 1e-6);
    stem_online_free(s);
    /* Launches without work. */
    for (uint64_t i = 0; i < 5000; i++)
        lab.time[i] = 0;
    s = create(&lab.pop, "stem_online:slow=4", 1);
    assert_true(run(s, lab.time) <= 600 && stem_online_met(s));
    e = stem_online_estimate(s);
    assert_true(fabs(e.value) < 1e-12 && e.high - e.low < 1e-12);
    stem_online_free(s);
    lab.pop.n = 1;
    s = create(&lab.pop, "stem_online", 1);
    assert_int_equal(run(s, lab.time), 1);
    assert_string_equal(stem_online_estimate(s).method, "exact");
    stem_online_free(s);
    lab_population_free(&lab);
}

/* A program of one kernel whose launches look alike. */
static lab_population_t alike(uint64_t n, double (*draw)(rng_t *rng, double at), uint64_t seed)
{
    lab_population_t lab = lab_population(n, 1);
    rng_t rng = rng_make(seed, n);
    for (uint64_t i = 0; i < n; i++)
        lab.time[i] = 1000 * draw(&rng, (double)i / (double)n);
    return lab;
}

static double quiet(rng_t *rng, double at)
{
    (void)at;
    return 1 + 0.02 * rng_unit(rng);
}

/* One launch in a hundred of a thousand. */
static double rare(rng_t *rng, double at)
{
    return (lround(1000 * at) % 100 == 37 ? 5 : 1) * (1 + 0.02 * rng_unit(rng));
}

/* Three times as long in the end. */
static double growth(rng_t *rng, double at)
{
    return (1 + 2 * at) * (1 + 0.1 * rng_unit(rng));
}

static double slow_start(rng_t *rng, double at)
{
    return (at <= 0 ? 400 : at < 0.005 ? 5 : 1) * (1 + 0.02 * rng_unit(rng));
}

static double pareto(rng_t *rng, double at)
{
    (void)at;
    return pow(1 - rng_unit(rng), -1 / 1.3);
}

/* As run(), with launches that take longer where the 32 launches before them were simulated, too. */
static uint64_t run_with_bias(stem_online_t *s, const double *cycles, double factor)
{
    enum { HALF = 32 };
    const uint64_t *ids;
    uint64_t in_sequence = 0;
    for (uint64_t n; (n = stem_online_round(s, &ids)) > 0;) {
        for (uint64_t i = 0; i < n; i++) {
            const bool after = i >= HALF && ids[i] - ids[i - HALF] == HALF;
            stem_online_result(s, i, (after ? factor : 1) * cycles[ids[i] - 1], 0);
            in_sequence += after;
        }
    }
    return in_sequence;
}

/* If launches take longer where none before them was skipped, the whole program may take so much longer
 * than samples say: the upper end of the interval has it, and the second half of the stretch tells. */
static void the_interval_allows_for_what_skipping_launches_hides(void **state)
{
    static const double factors[] = {1.08, 0.92};
    lab_population_t lab = alike(20000, quiet, 1);
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        stem_online_t *s = create(&lab.pop, "stem_online:slow=1", 1);
        assert_int_equal(run_with_bias(s, lab.time, factors[i]), 32);
        const estimate_t e = stem_online_estimate(s);
        const double asymmetry = ((e.high - e.value) - (e.value - e.low)) / e.value;
        if (fabs(asymmetry - (factors[i] - 1)) > 0.004)
            fail_msg("%g longer above than below, not %g", asymmetry, factors[i] - 1);
        stem_online_free(s);
    }
    lab_population_free(&lab);
}

/* No sample of a hundred launches shows that none in a hundred is slow: the upper end of the interval
 * allows for them, as the note says. */
static void the_interval_allows_for_slow_launches_that_no_sample_met(void **state)
{
    (void)state;
    lab_population_t lab = alike(1000, quiet, 1);
    stem_online_t *s = create(&lab.pop, "stem_online:slow=4,rare=0.015", 1);
    run(s, lab.time);
    estimate_t e = stem_online_estimate(s);
    assert_true(stem_online_met(s));
    assert_true(e.high - e.value > 0.04 * e.value && e.value - e.low < 0.02 * e.value);
    assert_non_null(strstr(stem_online_note(s), "up to 4 times as long, 1.5 % of all"));
    stem_online_free(s);
    /* Enough samples would have met one of them with the confidence asked for. */
    s = create(&lab.pop, "stem_online:slow=4,rare=0.015,epsilon=0.01", 1);
    assert_true(run(s, lab.time) > 250 && stem_online_met(s));
    e = stem_online_estimate(s);
    assert_true(e.high - e.value < 0.02 * e.value);
    stem_online_free(s);
    lab_population_free(&lab);
    lab = alike(1000, rare, 2);
    replay_t r = online_replay(&lab.pop, lab.time, "stem_online:slow=4,rare=0.015", 500);
    print_message("rare: coverage %.3f, silent %.3f\n", r.coverage, r.silent);
    assert_true(r.coverage >= 0.93 && r.silent <= 0.01);
    assert_true(online_replay(&lab.pop, lab.time, "stem_online:slow=1", 500).coverage < 0.8);
    lab_population_free(&lab);
}

/* The launches in the end are not slow ones that hide among others. Rounds take what the bound needs, as
 * slow launches that were not met stay what they are assumed to be. */
static void drift_meets_the_bound_with_few_samples(void **state)
{
    (void)state;
    lab_population_t lab = alike(600, growth, 5);
    replay_t r = online_replay(&lab.pop, lab.time, "stem_online:slow=4", 300);
    print_message("growth: met %.3f, coverage %.3f, %.0f samples\n", r.met, r.coverage, r.samples);
    assert_true(r.met >= 0.95 && r.coverage >= 0.93 && r.samples < 60);
    lab_population_free(&lab);
}

static void slow_first_launches_are_simulated(void **state)
{
    (void)state;
    lab_population_t lab = alike(4000, slow_start, 1);
    replay_t r = online_replay(&lab.pop, lab.time, "stem_online:slow=4", 300);
    print_message("firsts: coverage %.3f, silent %.3f, error %.3f\n", r.coverage, r.silent,
                  r.error);
    assert_true(r.coverage >= 0.93 && r.silent <= 0.01 && r.error < 0.02);
    assert_true(online_replay(&lab.pop, lab.time, "stem_online:slow=4,firsts=off", 300).error >
                0.05);
    lab_population_free(&lab);
}

/* Where the longest launches decide, there is no interval but the reason. */
static void a_tail_without_a_variance_has_no_interval(void **state)
{
    (void)state;
    lab_population_t lab = alike(N, pareto, 3);
    replay_t r = online_replay(&lab.pop, lab.time, "stem_online", 200);
    assert_true(r.refused > 0.9 && r.silent <= 0.01);
    stem_online_t *s = create(&lab.pop, "stem_online", 1);
    run(s, lab.time);
    estimate_t e = stem_online_estimate(s);
    assert_true(isnan(e.low) && isnan(e.high) && e.value > 0);
    assert_string_equal(e.method, "none");
    const char *why = stem_online_note(s);
    assert_non_null(strstr(why, "tail index 1."));
    assert_non_null(strstr(why, "samples of k0; an interval needs all its "));
    stem_online_free(s);
    lab_population_free(&lab);
}

/* Errors inside launches count towards the bound, but are the caller's to add to the interval. */
static void errors_inside_launches_are_part_of_the_bound(void **state)
{
    (void)state;
    static const double variances[] = {0, 300.0 * 300.0, 3000.0 * 3000.0, NAN};
    lab_population_t lab = alike(N, quiet, 4);
    uint64_t samples[4] = {0};
    for (size_t i = 0; i < 4; i++) {
        const uint64_t *ids;
        stem_online_t *s = create(&lab.pop, "stem_online:slow=1,epsilon=0.01", 1);
        for (uint64_t n; (n = stem_online_round(s, &ids)) > 0; samples[i] += n) {
            rng_t rng = rng_make(i, n);
            double sd = variances[i] > 0 ? sqrt(variances[i]) : 0;
            for (uint64_t k = 0; k < n; k++)
                stem_online_result(s, k, fmax(0, lab.time[ids[k] - 1] + sd * rng_normal(&rng)),
                                   variances[i]);
        }
        assert_true(stem_online_met(s) == (i != 2));
        stem_online_free(s);
    }
    assert_true(samples[1] > 2 * samples[0]);
    assert_int_equal(samples[3], samples[0]); /* unknown: the caller prints no interval */
    lab_population_free(&lab);
}

/* Launches of eight kernels in turn. Where the launch before was not simulated, each takes 5 % longer:
 * that is not in the spread of the samples, but the launches that were simulated in sequence show it. */
static void skipped_launches_that_slow_down_others_are_noticed(void **state)
{
    (void)state;
    enum { MANY = 4000 };
    lab_population_t lab = lab_population(MANY, 8);
    uint64_t covered = 0;
    for (uint64_t i = 0; i < MANY; i++)
        lab.time[i] = 1000 * (1 + 0.01 * sin((double)(i * i)));
    double total = 0;
    for (uint64_t i = 0; i < MANY; i++)
        total += lab.time[i];
    for (uint64_t seed = 1; seed <= 100; seed++) {
        const uint64_t *ids;
        stem_online_t *s = create(&lab.pop, "stem_online:slow=1", seed);
        for (uint64_t n; (n = stem_online_round(s, &ids)) > 0;) {
            for (uint64_t k = 0; k < n; k++) {
                bool cold = k == 0 || ids[k - 1] + 1 != ids[k];
                stem_online_result(s, k, lab.time[ids[k] - 1] * (cold ? 1.05 : 1), 0);
            }
        }
        estimate_t e = stem_online_estimate(s);
        assert_true(e.value > 1.03 * total);
        covered += e.low <= total && total <= e.high;
        assert_non_null(strstr(stem_online_note(s), "launches in sequence took -"));
        stem_online_free(s);
    }
    assert_true(covered >= 95);
    lab_population_free(&lab);
}

static void rounds_are_no_more_than_allowed_and_the_plan_has_the_weights(void **state)
{
    (void)state;
    lab_population_t lab = lab_population(N, 3);
    rng_t rng = rng_make(1, 1);
    for (uint64_t i = 0; i < N; i++)
        lab.time[i] =
            pow(1 - rng_unit(&rng), -1 / 1.2); /* no variance: the bound is out of reach */
    for (unsigned rounds = 1; rounds <= 5; rounds++) {
        char method[64];
        snprintf(method, sizeof(method), "stem_online:epsilon=0.001,rounds=%u", rounds);
        stem_online_t *s = create(&lab.pop, method, rounds);
        uint64_t n = run(s, lab.time);
        assert_true(stem_online_rounds(s) <= rounds);
        plan_t plan;
        stem_online_plan(s, launch_method_find("stem_online"), &plan);
        assert_true(plan.n_samples <= n && plan.n_samples + 64 >= n); /* the stretch */
        assert_true(fabs(lab_weighted(&plan, lab.time) / stem_online_estimate(s).value - 1) < 1e-9);
        plan_free(&plan);
        stem_online_free(s);
    }
    lab_population_free(&lab);
}

/* Few launches are all in the first round; later ones are taken if the next round would cost nearly as much. */
static void what_sampling_cannot_save_is_simulated_in_full(void **state)
{
    (void)state;
    enum { FEW = 31, SOME = 60 };
    lab_population_t few = lab_population(FEW, 1);
    stem_online_t *s = create(&few.pop, "stem_online", 1);
    for (uint64_t i = 0; i < FEW; i++)
        few.time[i] = 1000;
    assert_int_equal(run(s, few.time), FEW);
    assert_int_equal(stem_online_rounds(s), 1);
    assert_string_equal(stem_online_estimate(s).method, "exact");
    stem_online_free(s);
    lab_population_free(&few);
    lab_population_t some = lab_population(SOME, 1);
    rng_t rng = rng_make(1, 1);
    for (uint64_t i = 0; i < SOME; i++)
        some.time[i] = lognormal(&rng, 0);
    s = create(&some.pop, "stem_online", 1);
    assert_int_equal(run(s, some.time), SOME);
    assert_int_equal(stem_online_rounds(s), 2); /* not 5 of them, each of which walks again */
    assert_true(stem_online_too_dear(s) > 0.75);
    stem_online_free(s);
    lab_population_free(&some);
}

/* Launches that differ in their data, not in their instructions: predictions explain their cycles, which makes the
 * interval narrow and keeps what it says. */
static void predictions_explain_what_counts_do_not(void **state)
{
    enum { LAUNCHES = 2000 };
    lab_population_t lab = lab_population(LAUNCHES, 1);
    double *predicted = rb_calloc(LAUNCHES, sizeof(*predicted));
    rng_t rng = rng_make(5, 5);
    (void)state;
    lab.pop.counter[POP_WARP_INSTS] = lab.insts;
    for (uint64_t i = 0; i < LAUNCHES; i++) {
        lab.insts[i] = floor(10000 * (1 + 0.4 * rng_unit(&rng)));
        predicted[i] = 5000 * (1 + 0.4 * rng_unit(&rng));
        lab.time[i] = 2000 + predicted[i] * (1 + 0.01 * rng_normal(&rng));
    }
    const replay_t without = online_replay(&lab.pop, lab.time, "stem_online:slow=1", 200);
    lab.pop.predicted = predicted;
    const replay_t with = online_replay(&lab.pop, lab.time, "stem_online:slow=1", 200);
    print_message(
        "predictions: error %.2f %% instead of %.2f %%, half-width %.2f %% instead of %.2f %%, "
        "%.0f samples instead of %.0f, coverage %.1f %%\n",
        100 * with.error, 100 * without.error, 100 * with.half, 100 * without.half, with.samples,
        without.samples, 100 * with.coverage);
    assert_true(with.error < without.error / 2);
    assert_true(with.half < 0.85 * without.half && with.samples < 1.05 * without.samples);
    assert_true(with.coverage >= 0.935);
    free(predicted);
    lab_population_free(&lab);
}

/* Of three long launches the first is slow because it is cold. Two of them, which are a group, are on a line that
 * the others, which all take the same, cannot contradict. */
static void two_samples_do_not_decide_a_slope(void **state)
{
    enum { LAUNCHES = 33, LONG = 3, SEEDS = 100 };
    static const double cycles[LONG] = {15557, 11534, 11471}, insts[LONG] = {84480, 84576, 92640};
    lab_population_t lab = lab_population(LAUNCHES, 1);
    rng_t rng = rng_make(2, 2);
    double total = 0;
    (void)state;
    lab.pop.counter[POP_WARP_INSTS] = lab.insts;
    for (uint64_t i = 0; i < LAUNCHES; i++) {
        lab.insts[i] = i < LONG ? insts[i] : floor(7000 + 1200 * rng_unit(&rng));
        lab.time[i] = i < LONG ? cycles[i] : 6570 + floor(8 * rng_unit(&rng));
        total += lab.time[i];
    }
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        stem_online_t *s = create(&lab.pop, "stem_online:slow=2", seed);
        run(s, lab.time);
        const estimate_t e = stem_online_estimate(s);
        if (total < e.low || total > e.high)
            fail_msg("%.0f is not among %.0f to %.0f (seed %llu)", total, e.low, e.high,
                     (unsigned long long)seed);
        stem_online_free(s);
    }
    lab_population_free(&lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coverage_is_what_it_says),
        cmocka_unit_test(coverage_holds_on_a_training_run),
        cmocka_unit_test(a_restart_is_a_new_beginning),
        cmocka_unit_test(the_interval_allows_for_what_skipping_launches_hides),
        cmocka_unit_test(one_launch_and_equal_launches_are_exact),
        cmocka_unit_test(the_interval_allows_for_slow_launches_that_no_sample_met),
        cmocka_unit_test(drift_meets_the_bound_with_few_samples),
        cmocka_unit_test(slow_first_launches_are_simulated),
        cmocka_unit_test(a_tail_without_a_variance_has_no_interval),
        cmocka_unit_test(errors_inside_launches_are_part_of_the_bound),
        cmocka_unit_test(skipped_launches_that_slow_down_others_are_noticed),
        cmocka_unit_test(what_sampling_cannot_save_is_simulated_in_full),
        cmocka_unit_test(rounds_are_no_more_than_allowed_and_the_plan_has_the_weights),
        cmocka_unit_test(predictions_explain_what_counts_do_not),
        cmocka_unit_test(two_samples_do_not_decide_a_slope),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
