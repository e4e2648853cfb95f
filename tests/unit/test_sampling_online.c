/* Sequential STEM: its stated coverage, in replays of recorded full runs. Populations that break
 * it are in bench/ (rubato_sampling coverage). */
#include "tests/support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sampling/launch/stem_online.h"
#include "tests/support/online_replay.h"
#include "tests/support/population_lab.h"

enum { N = 20000, REPLAYS = 2000 };

/* Nominal less 1.5 points. */
static void expect_coverage(const char *what, replay_t r)
{
    print_message("%s: coverage %.1f %%, speed-up %.1f, %.0f samples\n", what, 100 * r.coverage,
                  r.speedup, r.samples);
    const double least = 0.95 - 0.015;
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
            stem_online_result(s, i, cycles[ids[i] - 1]);
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
        stem_online_plan(fresh, &p);
        stem_online_plan(again, &q);
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

static void strata_are_the_index_joined_where_small(void **state)
{
    (void)state;
    lab_population_t lab = lab_population(102, 1);
    lab.pop.counter[POP_WARP_INSTS] = lab.insts;
    lab.names[0][0] = 'k';
    for (uint64_t i = 0; i < 102; i++) {
        lab.time[i] = 5;
        lab.insts[i] = i < 60 ? 100 : i < 90 ? 200 : 300 + (double)i; /* the last all differ */
    }
    stem_online_t *s = create(&lab.pop, "stem_online", 1);
    /* Strata of 60 and 30, and the twelve single launches as ten and two. */
    assert_int_equal(stem_online_strata(s), 4);
    stem_online_free(s);
    s = create(&lab.pop, "stem_online:small=1", 1);
    assert_int_equal(stem_online_strata(s), 14);
    assert_true(run(s, lab.time) >= 12 + 4); /* singles whole, two of each other */
    assert_true(stem_online_met(s));
    stem_online_free(s);
    lab_population_free(&lab);
}

static void one_launch_and_equal_launches_are_exact(void **state)
{
    (void)state;
    lab_population_t lab = lab_population(5000, 1);
    for (uint64_t i = 0; i < 5000; i++)
        lab.time[i] = 7;
    stem_online_t *s = create(&lab.pop, "stem_online", 1);
    uint64_t n = run(s, lab.time);
    assert_true(n >= 2 && n <= 250);
    estimate_t e = stem_online_estimate(s);
    assert_true(fabs(e.value - 35000) < 1e-6 && e.high - e.low < 1e-6);
    stem_online_free(s);
    /* Launches without work. */
    for (uint64_t i = 0; i < 5000; i++)
        lab.time[i] = 0;
    s = create(&lab.pop, "stem_online", 1);
    assert_true(run(s, lab.time) <= 250 && stem_online_met(s));
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
        stem_online_plan(s, &plan);
        assert_int_equal(plan.n_samples, n);
        assert_true(fabs(lab_weighted(&plan, lab.time) / stem_online_estimate(s).value - 1) < 1e-9);
        plan_free(&plan);
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
        cmocka_unit_test(strata_are_the_index_joined_where_small),
        cmocka_unit_test(one_launch_and_equal_launches_are_exact),
        cmocka_unit_test(rounds_are_no_more_than_allowed_and_the_plan_has_the_weights),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
