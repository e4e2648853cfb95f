/* rubato evaluate: cases with known scores. */
#include "tests/support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/tool/evaluate/score/evaluation.h"
#include "tests/support/tool/cli_child.h"

static void put(const char *path, const char *text)
{
    cli_write(path, text, strlen(text));
}

/* Four launches of 1, 2, 3 and 4 time units, and instructions in proportion. */
static launch_list_t four(double *insts)
{
    static const uint32_t name[4];
    static const char *const names[] = {"k"};
    static const double time[] = {1, 2, 3, 4};
    launch_list_t l = {.format = "test"};
    l.pop = (population_t){.n = 4, .name = name, .names = names, .n_names = 1, .time = time};
    l.pop.counter[POP_WARP_INSTS] = insts;
    return l;
}

static void a_plan_is_scored_by_what_it_says_and_costs(void **state)
{
    (void)state;
    double insts[] = {10, 10, 20, 60};
    launch_list_t truth = four(insts);
    plan_sample_t samples[] = {{1, 2.0, 0, 1, 0, 0}, {3, 2.0, 1, 1, 0, 0}};
    plan_cluster_t clusters[] = {{.size = 2, .draws = 1, .mean = NAN, .sd = NAN},
                                 {.size = 2, .draws = 1, .mean = NAN, .sd = NAN}};
    plan_t plan = {.samples = samples,
                   .n_samples = 2,
                   .clusters = clusters,
                   .n_clusters = 2,
                   .error_bound = 0.25,
                   .confidence = NAN};
    score_t s = evaluation_score(&plan, &truth, NULL);
    assert_true(fabs(s.error - 0.2) < 1e-12); /* 2 x 1 + 2 x 3 = 8 of 10 */
    assert_true(fabs(s.sampled_time - 0.4) < 1e-12);
    assert_true(fabs(s.sampled_insts - 0.3) < 1e-12);
    assert_true(isnan(s.sampled_wall));
    assert_true(fabs(s.estimate.value - 8) < 1e-12 && isnan(s.estimate.low)); /* not random */
    /* A random plan of two of the last three launches has an interval. */
    plan_sample_t drawn[] = {{1, 1.0, 0, 1, 0, 0}, {2, 1.5, 1, 1, 0, 0}, {4, 1.5, 1, 1, 0, 0}};
    plan_cluster_t strata[] = {{.size = 1, .draws = 1, .mean = NAN, .sd = NAN},
                               {.size = 3, .draws = 2, .mean = NAN, .sd = NAN}};
    plan_t random = {.samples = drawn,
                     .n_samples = 3,
                     .clusters = strata,
                     .n_clusters = 2,
                     .random = true,
                     .error_bound = NAN,
                     .confidence = NAN};
    score_t r = evaluation_score(&random, &truth, NULL);
    assert_true(fabs(r.estimate.value - 10) < 1e-12 && r.total == 10);
    assert_true(r.estimate.low < 10 && r.estimate.high > 10);
    truth.wall = (double[]){3, 1, 1, 5};
    assert_true(fabs(evaluation_score(&plan, &truth, NULL).sampled_wall - 0.4) < 1e-12);
    assert_true(s.samples == 2 && s.clusters == 2);
    truth = four(NULL);
    assert_true(isnan(evaluation_score(&plan, &truth, NULL).sampled_insts));
}

static void summaries_name_their_means(void **state)
{
    (void)state;
    score_t scores[20];
    for (int i = 0; i < 20; i++)
        scores[i] = (score_t){.error = 0.01 * (20 - i),
                              .sampled_time = i % 2 == 0 ? 0.1 : 0.3,
                              .sampled_insts = NAN,
                              .samples = 3,
                              .clusters = 2,
                              .bound = 0.105};
    summary_t s = evaluation_summary(scores, 20, 0.055);
    assert_true(fabs(s.error_mean - 0.105) < 1e-12);
    assert_true(fabs(s.error_p95 - 0.19) < 1e-12);
    assert_true(fabs(s.error_max - 0.20) < 1e-12);
    assert_true(fabs(s.speedup - 5.0) < 1e-12); /* harmonic mean of 10 and 10/3 */
    assert_true(isnan(s.speedup_insts));
    assert_true(fabs(s.within - 0.5) < 1e-12);
    summary_t one = evaluation_summary(scores, 1, NAN);
    assert_true(one.error_p95 == scores[0].error && one.error_max == scores[0].error);
}

/* Errors of 1 to 20 %, intervals of +-8.5 %, every fifth plan without one. */
static void summaries_say_how_often_intervals_hold(void **state)
{
    (void)state;
    score_t scores[20];
    for (int i = 0; i < 20; i++) {
        const double value = 1.0 + 0.01 * (20 - i), half = i % 5 == 0 ? (double)NAN : 0.085;
        scores[i] = (score_t){.error = value - 1.0, .total = 1.0};
        scores[i].estimate =
            (estimate_t){.value = value, .low = value - half, .high = value + half};
    }
    summary_t s = evaluation_summary(scores, 20, 0.055);
    assert_true(s.interval.intervals == 16 && s.interval.none == 4 && s.interval.exact == 0);
    assert_true(s.interval.covered == 7 && fabs(s.interval.coverage - 7.0 / 16) < 1e-12);
    assert_true(s.interval.silent == 2); /* 18 and 19 % */
    assert_true(fabs(s.interval.half_width - 0.085) < 1e-12);
    assert_true(fabs(s.asked - 0.055) < 1e-12 && fabs(s.within_asked - 0.25) < 1e-12);
}

static void write_table(const char *name, int scale)
{
    char text[4096];
    size_t n = (size_t)snprintf(text, sizeof(text), "name,dur_ns,warp_instructions\n");
    for (int i = 0; i < 60; i++)
        n += (size_t)snprintf(text + n, sizeof(text) - n, "k%d,%d,%d\n", i % 3,
                              scale * (100 * (i % 3 + 1) + i % 7), 10 * (i % 3 + 1));
    cli_write(name, text, n);
}

static void every_sampler_is_scored_or_says_why_not(void **state)
{
    (void)state;
    write_table("profile.csv", 1);
    char *text = cli_run_as(
        &rubato, 0, NULL, WORDS("evaluate", "profile.csv", "--seeds", "5", "--csv", "scores.csv"));
    static const char *const rows[] = {"random", "allegro", "stem", "stem_online", "harmonic"};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_non_null(strstr(text, rows[i]));
    assert_non_null(strstr(text, "needs data that this profile does not have"));
    free(text);
    char *csv = cli_read("scores.csv");
    assert_non_null(strstr(csv, "sampler,method,seeds,"));
    assert_non_null(strstr(csv, "\nstem,\"stem:"));
    free(csv);
    /* A bound that takes every launch has no error. */
    text = cli_run_as(
        &rubato, 0, NULL,
        WORDS("evaluate", "profile.csv", "--sample", "stem:root=false", "--epsilon", "0.0001,50%"));
    assert_non_null(strstr(text, "epsilon=0.0001%"));
    assert_non_null(strstr(text, "epsilon=50%"));
    assert_non_null(strstr(text, " 60 "));
    free(text);
}

/* Launches of equal length leave no error, whatever the rounding of the sums. */
static void constant_times_are_within_their_bound(void **state)
{
    (void)state;
    FILE *out = fopen("constant.csv", "w");
    assert_non_null(out);
    fputs("name,dur_ns\n", out);
    for (int i = 0; i < 20000; i++)
        fprintf(out, "k%d,%s\n", i % 7, i % 7 == 0 ? "1234.1" : "0.3");
    fclose(out);
    static const char *const samplers[] = {"stem", "stem:root=off", "stem_online:slow=1",
                                           "allegro"};
    for (size_t i = 0; i < sizeof(samplers) / sizeof(samplers[0]); i++) {
        free(cli_run_as(&rubato, 0, NULL,
                        WORDS("evaluate", "constant.csv", "--sample", samplers[i], "--seeds", "3",
                              "--csv", "constant_scores.csv")));
        char *csv = cli_read("constant_scores.csv");
        const char *numbers = strchr(strchr(csv, '"') + 1, '"') + 1;
        double v[4];
        assert_int_equal(sscanf(numbers, ",%*[^,],%*[^,],%*[^,],%*[^,],,,%lf,%*[^,],%lf,%lf,%lf",
                                &v[0], &v[1], &v[2], &v[3]),
                         4); /* mean and largest error, bound, share within it */
        assert_true(v[1] < 1e-14 && v[2] < 1e-14);
        assert_true(v[3] == 1);
        free(csv);
    }
}

static void a_run_tells_what_its_launches_cost(void **state)
{
    (void)state;
    cli_make_many(TRACE, 4);
    expect(0, NULL, WORDS("run", "many", "-o", "full"));
    char *csv, *text = cli_run_as(
                   &rubato, 0, NULL,
                   WORDS("evaluate", "full", "--sample", "random:count=1", "--csv", "walls.csv"));
    free(text);
    csv = cli_read("walls.csv");
    const char *row = strstr(csv, "\nrandom:count=1,");
    assert_non_null(strstr(csv, "speedup_host_time_harmonic_mean"));
    assert_non_null(row);
    double seeds, clusters, samples, time, insts, host = 0;
    const char *numbers = strchr(strchr(row + 1, '"') + 1, '"') + 1;
    assert_int_equal(sscanf(numbers, ",%lf,%lf,%lf,%lf,%lf,%lf", &seeds, &clusters, &samples, &time,
                            &insts, &host),
                     6);
    assert_true(seeds == 10 && samples == 1 && insts == 4 && host > 1);
    free(csv);
    /* Results of older versions do not have it. */
    put("full/run.json", "{\"launches\": [{\"id\": 1}]}");
    text = cli_run_as(&rubato, 0, NULL, WORDS("evaluate", "full", "--sample", "random:count=1"));
    assert_non_null(strstr(text, " -  "));
    free(text);
}

static void plans_are_scored_on_other_times(void **state)
{
    (void)state;
    write_table("profile.csv", 1);
    write_table("slower.csv", 3);
    put("short.csv", "name,dur_ns\nk0,5\n");
    char *text = cli_run_as(&rubato, 0, NULL,
                            WORDS("evaluate", "profile.csv", "--against", "slower.csv", "--sample",
                                  "stem", "--seeds", "2"));
    assert_non_null(strstr(text, "scored on slower.csv"));
    free(text);
    expect(0, NULL, WORDS("plan", "profile.csv", "-o", "plan.json"));
    text =
        cli_run_as(&rubato, 0, NULL,
                   WORDS("evaluate", "slower.csv", "--plan", "plan.json", "--sample", "allegro"));
    assert_non_null(strstr(text, "\nplan.json "));
    assert_non_null(strstr(text, "\nallegro "));
    free(text);
    text = cli_run_as(&rubato, 0, NULL, WORDS("evaluate", "slower.csv", "--plan", "plan.json"));
    assert_non_null(strstr(text, "\nplan.json "));
    assert_null(strstr(text, "\nallegro "));
    free(text);
    expect(2, "60 launches in one", WORDS("evaluate", "profile.csv", "--against", "short.csv"));
    expect(2, "plan.json: the plan simulates launch",
           WORDS("evaluate", "short.csv", "--plan", "plan.json"));
    expect(2, "--epsilon", WORDS("evaluate", "profile.csv", "--epsilon", "1,,2"));
    expect(2, "epsilon", WORDS("evaluate", "profile.csv", "--sample", "stem", "--epsilon", "x"));
    expect(2, "sieve needs", WORDS("evaluate", "short.csv", "--sample", "sieve"));
    expect(1, "no_such.json", WORDS("evaluate", "short.csv", "--plan", "no_such.json"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plan_is_scored_by_what_it_says_and_costs),
        cmocka_unit_test(summaries_name_their_means),
        cmocka_unit_test(summaries_say_how_often_intervals_hold),
        cmocka_unit_test(every_sampler_is_scored_or_says_why_not),
        cmocka_unit_test(constant_times_are_within_their_bound),
        cmocka_unit_test(a_run_tells_what_its_launches_cost),
        cmocka_unit_test(plans_are_scored_on_other_times),
    };
    return cmocka_run_group_tests(tests, cli_begin, cli_end);
}
