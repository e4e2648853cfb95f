/* What stem_online knows of launches that it did not simulate: how long they can be, at which launch a
 * group takes another time, and what sizes explain. */
#include "tests/support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sampling/launch/online/stem_online.h"
#include "tests/support/sampling/online_replay.h"
#include "tests/support/sampling/population_lab.h"

enum { N = 800 };

typedef struct {
    estimate_t estimate;
    char note[512];
    uint64_t samples;
    bool met;
} answer_t;

static answer_t ask(const lab_population_t *lab, const char *method, uint64_t seed)
{
    launch_choice_t choice;
    rb_err_t err = {0};
    answer_t a = {0};
    const uint64_t *ids;
    assert_int_equal(launch_choice_parse(&choice, method, &err), RB_OK);
    stem_online_t *s = stem_online_create(choice.options, &lab->pop, seed, &err);
    assert_non_null(s);
    launch_choice_free(&choice);
    for (uint64_t n; (n = stem_online_round(s, &ids)) > 0; a.samples += n)
        for (uint64_t i = 0; i < n; i++)
            stem_online_result(s, i, lab->time[ids[i] - 1], 0);
    a.estimate = stem_online_estimate(s);
    a.met = stem_online_met(s);
    const char *note = stem_online_note(s);
    snprintf(a.note, sizeof(a.note), "%s", note != NULL ? note : "");
    stem_online_free(s);
    return a;
}

/* One kernel, equal counts, 1,000 cycles and 2 % of noise. */
static lab_population_t even(void)
{
    lab_population_t lab = lab_population(N, 1);
    rng_t rng = rng_make(6, N);
    for (uint64_t i = 0; i < N; i++)
        lab.time[i] = 1000 * (1 + 0.02 * rng_normal(&rng));
    return lab;
}

static double *same_for_all(double cycles)
{
    double *column = calloc(N, sizeof(*column));
    for (uint64_t i = 0; i < N; i++)
        column[i] = cycles;
    return column;
}

/* A hundredth of all launches may take what the chip allows; nothing else is assumed. */
static void the_chip_limits_launches_that_no_sample_met(void **state)
{
    (void)state;
    lab_population_t lab = even();
    double *extra = same_for_all(2000);
    lab.pop.extra = extra;
    answer_t a = ask(&lab, "stem_online", 1);
    assert_true(a.met && a.samples < 50);
    const double above = a.estimate.high / a.estimate.value - 1;
    assert_true(above > 0.02 && above < 0.03);
    assert_true(1 - a.estimate.low / a.estimate.value < 0.015);
    assert_non_null(strstr(a.note, "up to 3 times as long, as their requests allow on this chip"));
    free(extra);
    lab_population_free(&lab);
}

/* One in a hundred is 50 times as long: no interval is stated that does not hold. */
static void launches_without_a_limit_get_a_reason(void **state)
{
    (void)state;
    static const struct {
        double extra; /* 0: unknown */
        const char *why;
    } cases[] = {
        {0, "nothing tells how long launches may be"},
        {70000, "times as long, as their requests allow on this chip: one in a hundred would add"}};
    lab_population_t lab = even();
    for (uint64_t i = 50; i < N; i += 100)
        lab.time[i] *= 50;
    for (size_t k = 0; k < 2; k++) {
        double *extra = same_for_all(cases[k].extra);
        lab.pop.extra = cases[k].extra > 0 ? extra : NULL;
        replay_t r = online_replay(&lab.pop, lab.time, "stem_online", 300);
        assert_true(r.silent <= 0.01);
        assert_true(r.refused > 0.3);
        lab_population_t quiet = even();
        quiet.pop.extra = lab.pop.extra;
        answer_t a = ask(&quiet, "stem_online", 1);
        assert_true(isnan(a.estimate.low) && a.samples < 100);
        assert_non_null(strstr(a.note, cases[k].why));
        assert_non_null(strstr(a.note, "an interval needs "));
        lab_population_free(&quiet);
        free(extra);
    }
    lab_population_free(&lab);
}

/* The first launches take three times as long: samples go to where that ends, not everywhere. */
static void a_step_is_found(void **state)
{
    (void)state;
    lab_population_t lab = even();
    double *extra = same_for_all(3000), total = 0;
    lab.pop.extra = extra;
    for (uint64_t i = 0; i < N; i++)
        total += lab.time[i] *= i < 110 ? 3 : 1;
    uint64_t covered = 0, samples = 0;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        answer_t a = ask(&lab, "stem_online", seed);
        covered += a.met && a.estimate.low <= total && total <= a.estimate.high;
        samples += a.samples;
    }
    print_message("step: %u of 200 covered, %u samples\n", (unsigned)covered,
                  (unsigned)samples / 200);
    assert_true(covered >= 190 && samples / 200 < 110);
    free(extra);
    lab_population_free(&lab);
}

/* Every launch has its own size, which explains its cycles but for 1 %. */
static void sizes_are_no_error(void **state)
{
    (void)state;
    lab_population_t lab = lab_population(N, 2);
    double *extra = same_for_all(1000);
    rng_t rng = rng_make(8, N);
    lab.pop.extra = extra;
    for (uint64_t i = 0; i < N; i++) {
        lab.insts[i] = 1e5 + 1000.0 * (double)((i * 7919) % N);
        lab.time[i] = 2000 + 0.1 * lab.insts[i] * (1 + 0.01 * rng_normal(&rng));
    }
    lab.pop.counter[POP_WARP_INSTS] = lab.insts;
    replay_t with = online_replay(&lab.pop, lab.time, "stem_online", 200);
    print_message("sizes: coverage %.3f, error %.4f, %.0f samples\n", with.coverage, with.error,
                  with.samples);
    assert_true(with.coverage >= 0.93 && with.met > 0.95);
    assert_true(with.error < 0.005 && with.samples < 100);
    free(extra);
    lab_population_free(&lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_chip_limits_launches_that_no_sample_met),
        cmocka_unit_test(launches_without_a_limit_get_a_reason),
        cmocka_unit_test(a_step_is_found),
        cmocka_unit_test(sizes_are_no_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
