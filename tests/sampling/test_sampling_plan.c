/* Plans as files, and estimates of the whole from samples. */
#include "tests/support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sampling/estimate/stratified.h"
#include "sampling/math/pick.h"
#include "sampling/plan/plan_json.h"
#include "sampling/plan/plan_list.h"
#include "sampling/plan/plan_macsim.h"
#include "sim/core/alloc.h"
#include "tests/support/sampling/population_lab.h"

typedef rb_code_t (*reader_t)(plan_t *plan, FILE *in, const char *name, rb_err_t *err);

static rb_code_t read_text(reader_t reader, const char *text, plan_t *plan, rb_err_t *err)
{
    FILE *in = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
    *err = (rb_err_t){0};
    rb_code_t rc = reader(plan, in, "plan", err);
    fclose(in);
    return rc;
}

static char *json_of(const plan_t *plan)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    plan_write_json(plan, out);
    fclose(out);
    return text;
}

static lab_population_t two_kernels(void)
{
    lab_population_t lab = lab_population(1000, 2);
    rng_t rng = rng_make(4, 4);
    for (uint64_t i = 0; i < 1000; i++)
        lab.time[i] = exp(rng_normal(&rng)) * (double)(1 + i % 2);
    return lab;
}

static void a_plan_survives_its_file(void **state)
{
    (void)state;
    static const char *const methods[] = {"stem", "random:count=400,replacement=true",
                                          "dominant:share=60%"};
    lab_population_t lab = two_kernels();
    strcpy(lab.names[1], "a \"b\"\n\\\xc3\xa9");
    for (size_t m = 0; m < 3; m++) {
        plan_t plan = lab_plan(&lab.pop, methods[m], 9), again;
        char *text = json_of(&plan);
        rb_err_t err;
        if (read_text(plan_read_json, text, &again, &err) != RB_OK)
            fail_msg("%s", err.text);
        char *second = json_of(&again);
        assert_string_equal(second, text);
        assert_int_equal(again.n_samples, plan.n_samples);
        assert_memory_equal(again.samples, plan.samples, plan.n_samples * sizeof(*plan.samples));
        free(text);
        free(second);
        plan_free(&plan);
        plan_free(&again);
    }
    lab_population_free(&lab);
}

#define PLAN(more) "{\"schema\": \"rubato-plan-1\", \"launches\": 10, \"clusters\": [" more "]}"

static void faulty_plans_are_refused_with_their_line(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } rows[] = {
        {"", "plan:1: the file ends before a value"},
        {"[]", "an object is missing"},
        {"{}", "not a plan: the schema is missing"},
        {"{\"schema\": \"rubato-plan-9\"}", "this version reads rubato-plan-1"},
        {"{\"schema\": \"rubato-plan-1\"}", "the number of launches of the program is missing"},
        {PLAN(""), "it has no samples"},
        {PLAN("{\"size\": 0, \"samples\": [[1, 1]]}"), "a cluster has no size"},
        {PLAN("{\"size\": 11, \"samples\": [[1, 1]]}"),
         "more launches in total than the program's 10"},
        {PLAN("{\"size\": 1, \"samples\": [[1, 1], [2, 1]]}"), "more samples than launches"},
        {PLAN("{\"size\": 5, \"samples\": [[1, 1], [1, 1]]}"), "a launch is sampled twice"},
        {PLAN("{\"size\": 5, \"samples\": [[0, 1]]}"), "a launch from 1"},
        {PLAN("{\"size\": 5, \"samples\": [[1, -1]]}"), "a positive weight"},
        {PLAN("{\"size\": 5, \"samples\": [[1, null]]}"), "a positive weight"},
        {PLAN("{\"size\": 5, \"samples\": [[1, 1e999]]}"), "a positive weight"},
        {PLAN("{\"size\": 5, \"samples\": [[1]]}"), "not a number"},
        {PLAN("{\"size\": 5, \"samples\": [[1, 1, 0]]}"), "'0' is not a valid number of draws"},
        {PLAN("{\"size\": 5, \"samples\": [1]}"), "a sample is [launch, weight]"},
        {PLAN("{\"size\": 5, \"samples\": [[1, 1, 1, 0, 3]]}"), "not a valid number of cycles"},
        {PLAN("{\"size\": 5, \"samples\": [[1, 1, 1, 9, -3]]}"), "is not a whole number"},
        {"{\"schema\": \"rubato-plan-1\", \"base\": 7}", "the plan of the base is missing"},
        {"{\"schema\": \"rubato-plan-1\", \"base\": " PLAN("") "}", "base: not a plan: it has no"},
        {PLAN("{\"size\": 5, \"samples\": {}}"), "the list of samples is missing"},
        {PLAN("7"), "a cluster is not an object"},
        {"{\"schema\": \"rubato-plan-1\",\n\"sampling\": \"odd\"}", "plan:2: sampling 'odd'"},
        {"{\"schema\": \"rubato-plan-1\", \"clusters\": [{\"size\"", "cut short"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        plan_t plan;
        rb_err_t err;
        assert_int_equal(read_text(plan_read_json, rows[i].text, &plan, &err), RB_TRACE);
        if (strstr(err.text, rows[i].message) == NULL)
            fail_msg("'%s' is not in '%s'", rows[i].message, err.text);
        assert_null(plan.samples);
    }
}

/* A part of a plan keeps that plan, with the cycles of its samples; every beginning of the text is refused. */
static void a_part_keeps_the_plan_from_which_it_was_drawn(void **state)
{
    (void)state;
    lab_population_t lab = two_kernels();
    plan_t part = lab_plan(&lab.pop, "random:count=2", 9), again;
    rb_err_t err;
    part.part = part.replacement = true;
    part.random = false;
    part.base = rb_calloc(1, sizeof(*part.base));
    *part.base = lab_plan(&lab.pop, "random:count=5", 9);
    for (uint64_t i = 0; i < part.base->n_samples; i++) {
        part.base->samples[i].cycles = 1000.25 + (double)i;
        part.base->samples[i].kernel = UINT64_MAX - i;
    }
    char *text = json_of(&part);
    assert_int_equal(read_text(plan_read_json, text, &again, &err), RB_OK);
    assert_true(again.part && again.base != NULL && again.base->random);
    assert_int_equal(again.base->n_samples, part.base->n_samples);
    assert_memory_equal(again.base->samples, part.base->samples,
                        part.base->n_samples * sizeof(plan_sample_t));
    plan_free(&again);
    for (size_t n = strlen(text) - 2; n > 0; n--) {
        text[n] = '\0';
        assert_int_equal(read_text(plan_read_json, text, &again, &err), RB_TRACE);
    }
    free(text);
    plan_free(&part);
    lab_population_free(&lab);
}

/* Every truncated plan is refused without a crash. */
static void truncated_plans_are_refused(void **state)
{
    (void)state;
    lab_population_t lab = two_kernels();
    plan_t plan = lab_plan(&lab.pop, "random:count=5", 9);
    char *text = json_of(&plan);
    for (size_t n = strlen(text) - 2; n > 0; n--) {
        plan_t cut;
        rb_err_t err;
        text[n] = '\0';
        assert_int_equal(read_text(plan_read_json, text, &cut, &err), RB_TRACE);
    }
    free(text);
    plan_free(&plan);
    lab_population_free(&lab);
}

static void unknown_members_are_ignored(void **state)
{
    (void)state;
    plan_t plan;
    rb_err_t err;
    assert_int_equal(read_text(plan_read_json,
                               "{\"schema\": \"rubato-plan-1\", \"later\": {\"x\": [1, {}]}, "
                               "\"launches\": 3, \"clusters\": [{\"new\": [], \"size\": 3, "
                               "\"samples\": [[2, 3]]}], \"more\": null}",
                               &plan, &err),
                     RB_OK);
    assert_int_equal(plan.n_samples, 1);
    assert_true(isnan(plan.clusters[0].sd));
    plan_free(&plan);
}

static void macsim_lists_are_read_and_written(void **state)
{
    (void)state;
    plan_t plan;
    rb_err_t err;
    static const char text[] = "Kernel sampling information from x\nMaximum cluster size: 50\n"
                               "10 3 7 2 7\n5 1 11\n\nignored\n";
    assert_int_equal(read_text(plan_read_macsim, text, &plan, &err), RB_OK);
    assert_int_equal(plan.n_launches, 15);
    assert_int_equal(plan.n_samples, 3);
    assert_int_equal(plan.samples[0].launch, 3); /* ids in the file count from 0 */
    assert_int_equal(plan.samples[1].draws, 2);
    assert_true(fabs(plan.samples[1].weight - 20.0 / 3) < 1e-12);
    assert_true(plan.replacement);
    char *out_text = NULL;
    size_t size;
    FILE *out = open_memstream(&out_text, &size);
    assert_int_equal(plan_write_macsim(&plan, out, &err), RB_OK);
    fclose(out);
    assert_non_null(strstr(out_text, "\n10 3 2 7 7\n5 1 11\n"));
    free(out_text);
    plan_free(&plan);
    static const char *const bad[] = {"a\nb\n10\n",
                                      "a\nb\n10 2 1\n",
                                      "a\nb\n10 1 x\n",
                                      "a\nb\n0 1 1\n",
                                      "a\nb\n",
                                      "",
                                      "a\nb\n1 1 18446744073709551615\n",
                                      "a\nb\n3 1 4\n3 1 4\n",
                                      "a\nb\n10 1 99999999999999999999\n"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_int_equal(read_text(plan_read_macsim, bad[i], &plan, &err), RB_TRACE);
}

static void lists_of_pairs_are_read_and_written(void **state)
{
    (void)state;
    plan_t plan;
    rb_err_t err;
    /* Ids in the file count from 0, unless a comment says otherwise. */
    assert_int_equal(read_text(plan_read_list, "[(3, 2.5), (0, 4.0)]\n12 1\n", &plan, &err), RB_OK);
    assert_int_equal(plan.n_samples, 3);
    assert_int_equal(plan.samples[0].launch, 1);
    assert_int_equal(plan.samples[1].launch, 4);
    assert_true(fabs(plan.samples[1].weight - 2.5) < 1e-12);
    char *out_text = NULL;
    size_t size;
    FILE *out = open_memstream(&out_text, &size);
    plan_write_list(&plan, out);
    fclose(out);
    assert_non_null(strstr(out_text, "from 0\n0 4\n3 2.5\n12 1\n"));
    plan_free(&plan);
    assert_int_equal(read_text(plan_read_list, out_text, &plan, &err), RB_OK);
    assert_int_equal(plan.samples[2].launch, 13);
    free(out_text);
    plan_free(&plan);
    assert_int_equal(
        read_text(plan_read_list, "# launches count from 1\n3, 2.5 # the third\n", &plan, &err),
        RB_OK);
    assert_int_equal(plan.samples[0].launch, 3);
    plan_free(&plan);
    /* As NumPy prints numbers; an entry that occurs twice counts twice. */
    assert_int_equal(read_text(plan_read_list,
                               "[(np.int64(13), 18), (numpy.int64(2), np.float64(1.5)), (13, 2)]",
                               &plan, &err),
                     RB_OK);
    assert_int_equal(plan.n_samples, 2);
    assert_int_equal(plan.samples[1].launch, 14);
    assert_true(fabs(plan.samples[1].weight - 20) < 1e-12);
    assert_int_equal(plan.n_launches, 22);
    plan_free(&plan);
    static const char *const bad[] = {
        "",        "1\n",    "1 0\n",    "# from 1\n0 1\n", "x 1\n",
        "1 nan\n", "-1 2\n", "1 1e13\n", "np.int64(x) 1\n", "18446744073709551615 1\n"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_int_equal(read_text(plan_read_list, bad[i], &plan, &err), RB_TRACE);
}

/* Each weight is possible, but sums of millions of them would not fit in 64 bits. */
static void weights_that_add_up_to_more_than_any_program_has_are_refused(void **state)
{
    (void)state;
    plan_t plan;
    rb_err_t err;
    assert_int_equal(read_text(plan_read_list, "4 1e12\n2 7\n", &plan, &err), RB_OK);
    assert_int_equal(plan.n_launches, 1000000000007);
    plan_free(&plan);
    assert_int_equal(read_text(plan_read_list, "4 1e12\n2 7\n4 1\n", &plan, &err), RB_TRACE);
    assert_non_null(strstr(err.text, ": the weights of launch 5 add up to 1000000000001,"));
}

/* Errors inside launches weigh as much as the launches that one stands for; of a single sample, whose own
 * error the spread of the profile stands for, they are those of all of them at once. */
static void errors_inside_launches_weigh_as_their_samples(void **state)
{
    plan_cluster_t clusters[] = {
        {.size = 5, .draws = 1}, {.size = 4, .draws = 2}, {.size = 1, .draws = 1}};
    plan_sample_t samples[] = {{.launch = 1, .cluster = 0, .weight = 5, .draws = 1},
                               {.launch = 6, .cluster = 1, .weight = 2, .draws = 1},
                               {.launch = 7, .cluster = 1, .weight = 2, .draws = 1},
                               {.launch = 10, .cluster = 2, .weight = 1, .draws = 1}};
    const plan_t plan = {.clusters = clusters, .n_clusters = 3, .samples = samples, .n_samples = 4};
    static const double want[] = {25, 2, 2, 1};

    (void)state;
    for (uint64_t i = 0; i < plan.n_samples; i++)
        assert_true(fabs(estimate_within_weight(&plan, i) - want[i]) < 1e-12);
}

/* Cochran's example in small: two strata with known means, variances and degrees of freedom. */
static void intervals_are_those_of_stratified_sampling(void **state)
{
    (void)state;
    plan_cluster_t clusters[] = {{.size = 10, .draws = 2, .mean = NAN, .sd = NAN},
                                 {.size = 20, .draws = 3, .mean = NAN, .sd = NAN}};
    plan_sample_t samples[] = {{1, 5, 0, 1, 0, 0},
                               {2, 5, 0, 1, 0, 0},
                               {11, 20.0 / 3, 1, 1, 0, 0},
                               {12, 20.0 / 3, 1, 1, 0, 0},
                               {13, 20.0 / 3, 1, 1, 0, 0}};
    plan_t plan = {.clusters = clusters,
                   .n_clusters = 2,
                   .samples = samples,
                   .n_samples = 5,
                   .n_launches = 30,
                   .random = true};
    double value[] = {4, 6, 1, 2, 3};
    estimate_t e = estimate_total(&plan, value, 0.95);
    double v1 = 100 * 0.8 * 2 / 2, v2 = 400 * 0.85 * 1 / 3;
    double df = (v1 + v2) * (v1 + v2) / (v1 * v1 / 1 + v2 * v2 / 2);
    assert_true(fabs(e.value - 90) < 1e-12);
    assert_true(fabs(e.df - df) < 1e-12);
    assert_string_equal(e.method, "stratified t");
    assert_true(e.high - e.value > 2 * sqrt(v1 + v2) && e.high - e.value < 7 * sqrt(v1 + v2));
    assert_true(fabs((e.high + e.low) / 2 - e.value) < 1e-9);
    plan.random = false;
    e = estimate_total(&plan, value, 0.95);
    assert_true(isnan(e.low));
    assert_string_equal(e.method, "none");
}

static void single_samples_borrow_the_spread_of_the_profile(void **state)
{
    (void)state;
    plan_cluster_t clusters[] = {{.size = 100, .draws = 1, .mean = 50, .sd = 5}};
    plan_sample_t samples[] = {{1, 100, 0, 1, 0, 0}};
    plan_t plan = {.clusters = clusters,
                   .n_clusters = 1,
                   .samples = samples,
                   .n_samples = 1,
                   .n_launches = 100,
                   .random = true};
    double value[] = {80};
    estimate_t e = estimate_total(&plan, value, 0.95);
    double se = 100 * 8 * sqrt(0.99 * 100 / 99);
    assert_true(fabs(e.high - e.value - 1.959963984540054 * se) < 1e-6);
    assert_non_null(strstr(e.method, "from the profile"));
    clusters[0].sd = NAN;
    assert_true(isnan(estimate_total(&plan, value, 0.95).low));
    clusters[0].size = 1;
    samples[0].weight = 1;
    e = estimate_total(&plan, value, 0.95);
    assert_string_equal(e.method, "exact");
    assert_true(!(e.high > e.low));
}

/* The interval covers the truth as often as stated. */
static void intervals_cover_what_they_say(void **state)
{
    (void)state;
    enum { TRIALS = 2000 };
    lab_population_t lab = two_kernels();
    double *a = calloc(1000, sizeof(*a)), total = 0;
    rng_t rng = rng_make(5, 5);
    for (int i = 0; i < 1000; i++) {
        lab.time[i] = (double)(1 + i % 2) * (5 + rng_normal(&rng) / 2);
        total += lab.time[i];
    }
    int covered = 0;
    for (uint64_t seed = 0; seed < TRIALS; seed++) {
        plan_t p = lab_plan(&lab.pop, "stem:root=off,epsilon=0.01", seed);
        for (uint64_t i = 0; i < p.n_samples; i++)
            a[i] = lab.time[p.samples[i].launch - 1];
        estimate_t e = estimate_total(&p, a, 0.95);
        covered += e.low <= total && total <= e.high;
        plan_free(&p);
    }
    double tolerance = 4 * sqrt(0.05 * 0.95 * TRIALS);
    assert_true(fabs(covered - 0.95 * TRIALS) <= tolerance);
    free(a);
    lab_population_free(&lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plan_survives_its_file),
        cmocka_unit_test(faulty_plans_are_refused_with_their_line),
        cmocka_unit_test(a_part_keeps_the_plan_from_which_it_was_drawn),
        cmocka_unit_test(truncated_plans_are_refused),
        cmocka_unit_test(unknown_members_are_ignored),
        cmocka_unit_test(macsim_lists_are_read_and_written),
        cmocka_unit_test(lists_of_pairs_are_read_and_written),
        cmocka_unit_test(weights_that_add_up_to_more_than_any_program_has_are_refused),
        cmocka_unit_test(errors_inside_launches_weigh_as_their_samples),
        cmocka_unit_test(intervals_are_those_of_stratified_sampling),
        cmocka_unit_test(single_samples_borrow_the_spread_of_the_profile),
        cmocka_unit_test(intervals_cover_what_they_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
