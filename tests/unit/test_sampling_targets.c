/*
 * What the samplers must reach: published populations, and what their derivation promises.
 */
#include "tests/support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "frontend/profile/profile.h"
#include "tests/support/population_lab.h"

#define REFERENCE RUBATO_ROOT "/../shared/reference/profiles/"

enum { SEEDS = 200 };

typedef struct {
    double mean_error, speedup; /* speed-up: all time over mean sampled time */
    double inside;              /* share of the seeds with an error of at most 5 % */
    uint32_t clusters;
} score_t;

static score_t score(const population_t *pop, const char *method)
{
    score_t s = {0};
    double cost = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        plan_t p = lab_plan(pop, method, seed);
        double error = fabs(p.predicted_total / p.profile_total - 1);
        s.mean_error += error / SEEDS;
        s.inside += error <= 0.05 ? 1.0 / SEEDS : 0;
        cost += 1 / p.predicted_speedup / SEEDS;
        s.clusters = p.n_clusters;
        plan_free(&p);
    }
    s.speedup = 1 / cost;
    print_message("%s: %u clusters, speed-up %.1f, mean error %.2f %%, inside 5 %%: %.1f %%\n",
                  method, s.clusters, s.speedup, 100 * s.mean_error, 100 * s.inside);
    return s;
}

static profile_t *read_reference(const char *name, population_t *pop)
{
    char path[512];
    rb_err_t err = {0};
    profile_t *p = NULL;
    snprintf(path, sizeof(path), REFERENCE "%s", name);
    if (access(path, R_OK) != 0) {
        print_message("skipped: the reference profile %s is not here\n", path);
        skip();
    }
    if (profile_read(&p, path, &err) != RB_OK)
        fail_msg("%s", err.text);
    *pop = (population_t){.n = p->n,
                          .name = p->name,
                          .names = (const char *const *)p->names,
                          .n_names = p->n_names,
                          .time = p->time};
    return p;
}

static void stem_reaches_its_published_speed_and_error(void **state)
{
    (void)state;
    population_t pop;
    profile_t *profile = read_reference("stem-ae/runtime-example.csv", &pop);
    score_t s = score(&pop, "stem");
    assert_true(s.speedup >= 2000 && s.mean_error <= 0.005 && s.inside >= 0.95);
    s = score(&pop, "stem:variant=artifact");
    assert_int_equal(s.clusters, 12);
    assert_true(s.speedup > 3500 && s.speedup < 4000 && s.mean_error < 0.006);
    s = score(&pop, "stem:root=off,variant=artifact");
    assert_true(s.speedup > 85 && s.speedup < 97 && s.mean_error < 0.013);
    /* One budget for all kernels instead of one for each: the same bound with fewer samples. */
    s = score(&pop, "stem:root=off");
    assert_true(s.speedup > 2 * 91.5 && s.inside >= 0.93);
    s = score(&pop, "allegro");
    assert_int_equal(s.clusters, 9);
    assert_true(s.speedup > 170 && s.mean_error < 0.004);
    s = score(&pop, "allegro:variant=paper");
    assert_true(s.speedup > 170 && s.speedup < 200 && s.mean_error < 0.004);
    profile_free(profile);
}

static void stem_keeps_its_bound_on_measured_programs(void **state)
{
    (void)state;
    static const char *const names[] = {
        "resnet50-v100/run1.kernels.csv.gz", "resnet50-v100/run2.kernels.csv.gz",
        "v100-hta/df_index_resolver.kernels.csv.gz", "v100-hta/ns_resolution.kernels.csv.gz",
        "gpt2-accelsim/per-kernel.tsv"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        population_t pop;
        profile_t *profile = read_reference(names[i], &pop);
        score_t s = score(&pop, "stem");
        assert_true(s.inside >= 0.95);
        /* Without the divisions that the joint bound does not need: the bound is used up, so that
         * 95 % hold it but for three standard deviations of 200 draws. */
        score_t merged = score(&pop, "stem:merge=on");
        assert_true(merged.speedup > s.speedup && merged.clusters < s.clusters);
        assert_true(merged.inside >= 0.95 - 3 * sqrt(0.05 * 0.95 / SEEDS));
        /* Asked for a little more, it keeps 95 % of these seeds with most of the speed-up. */
        score_t safe = score(&pop, "stem:merge=on,confidence=0.97");
        assert_true(safe.inside >= 0.95 && safe.speedup > 0.9 * merged.speedup);
        profile_free(profile);
    }
}

/*
 * Twenty kernels with lognormal durations (CoV 0.64): the printed Eq. 6 asks for too few samples,
 * the derived one for enough. The share of errors above 5 % is compared with 5 % by the binomial
 * law: 1,000 trials, four standard deviations.
 */
static void printed_equation_breaks_the_bound_that_the_derived_one_keeps(void **state)
{
    (void)state;
    enum { N = 10000, TRIALS = 1000 };
    lab_population_t lab = lab_population(N, 20);
    rng_t rng = rng_make(1, 0);
    double outside[2] = {0};
    static const char *const methods[] = {"stem:root=off", "stem:root=off,variant=paper"};
    for (uint64_t i = 0; i < N; i++)
        lab.time[i] = exp(0.1 * (double)(i % 20) + 0.585 * rng_normal(&rng));
    for (int m = 0; m < 2; m++) {
        for (uint64_t seed = 0; seed < TRIALS; seed++) {
            plan_t p = lab_plan(&lab.pop, methods[m], seed);
            outside[m] += fabs(p.predicted_total / p.profile_total - 1) > 0.05;
            plan_free(&p);
        }
        print_message("%s: %.1f %% of the errors above 5 %%\n", methods[m],
                      100 * outside[m] / TRIALS);
    }
    double tolerance = 4 * sqrt(0.05 * 0.95 * TRIALS);
    assert_true(outside[0] <= 0.05 * TRIALS + tolerance);
    assert_true(outside[0] >= 0.05 * TRIALS - 2 * tolerance); /* not wasteful either */
    assert_true(outside[1] > 0.15 * TRIALS);
    lab_population_free(&lab);
}

/* The predicted error bound is the error that is met with the stated confidence. */
static void predicted_bounds_hold(void **state)
{
    (void)state;
    enum { N = 5000, TRIALS = 1000 };
    static const char *const methods[] = {"random:count=200", "random:count=200,replacement=true",
                                          "random:count=2500", "allegro", "stem:epsilon=0.02"};
    lab_population_t lab = lab_population(N, 4);
    rng_t rng = rng_make(2, 0);
    for (uint64_t i = 0; i < N; i++)
        lab.time[i] = exp(0.5 * rng_normal(&rng)) * (double)(1 + i % 4);
    for (size_t m = 0; m < sizeof(methods) / sizeof(methods[0]); m++) {
        double outside = 0;
        for (uint64_t seed = 0; seed < TRIALS; seed++) {
            plan_t p = lab_plan(&lab.pop, methods[m], seed);
            outside += fabs(p.predicted_total / p.profile_total - 1) > p.error_bound;
            plan_free(&p);
        }
        if (fabs(outside - 0.05 * TRIALS) > 4 * sqrt(0.05 * 0.95 * TRIALS))
            fail_msg("%s: %.0f of %d outside", methods[m], outside, TRIALS);
    }
    lab_population_free(&lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stem_reaches_its_published_speed_and_error),
        cmocka_unit_test(stem_keeps_its_bound_on_measured_programs),
        cmocka_unit_test(printed_equation_breaks_the_bound_that_the_derived_one_keeps),
        cmocka_unit_test(predicted_bounds_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
