/* Properties of every method, also with hostile programs. */
#include "tests/support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/sampling/population_lab.h"

/* All methods that can work with the data of the lab. */
static const char *const methods[] = {"random:count=5",
                                      "random:fraction=10%",
                                      "random:replacement=true,count=7",
                                      "allegro",
                                      "allegro:variant=paper",
                                      "allegro:variant=artifact,m_th=1",
                                      "allegro:m_th=1,floor=1",
                                      "stem",
                                      "stem:variant=paper",
                                      "stem:variant=artifact",
                                      "stem:root=off",
                                      "stem:epsilon=1e-6",
                                      "stem:merge=on",
                                      "stem:merge=on,epsilon=0.9",
                                      "pka",
                                      "pka:variant=stem",
                                      "sieve",
                                      "sieve:variant=artifact",
                                      "sieve:density=off",
                                      "sieve:theta=0",
                                      "tbpoint",
                                      "tbpoint:scope=application",
                                      "tbpoint:linkage=ward",
                                      "dominant:share=50%",
                                      "dominant:share=1"};
enum { METHODS = sizeof(methods) / sizeof(methods[0]) };

static void every_method_ends_on_every_population(void **state)
{
    (void)state;
    static const uint64_t lengths[] = {1, 2, 3, 29, 30, 31, 500};
    for (size_t l = 0; l < sizeof(lengths) / sizeof(lengths[0]); l++) {
        for (int kind = 0; kind < 7; kind++) {
            uint64_t n = lengths[l];
            lab_population_t lab = lab_population(n, n < 4 ? 1 : 3);
            rng_t rng = rng_make(n, (uint64_t)kind);
            lab_know_counters(&lab);
            for (uint64_t i = 0; i < n; i++) {
                double values[] = {1,
                                   (double)(i % 2) + 1,
                                   exp(3 * rng_normal(&rng)),
                                   pow(2, (double)(i % 900)),
                                   i == 0 ? 1 : 0,
                                   1e15 + (double)(i % 3),
                                   1e-300 * (double)(i + 1)};
                lab.time[i] = values[kind];
                lab.insts[i] = kind == 4 ? 0 : floor(values[kind]);
                lab.threads[i] = lab.insts[i] * 32;
            }
            for (size_t m = 0; m < METHODS; m++) {
                if (strcmp(methods[m], "allegro:variant=paper") == 0 && kind == 3)
                    continue; /* asks for 10^17 draws and is refused: tested below */
                if (strcmp(methods[m], "stem:variant=artifact") == 0 && kind != 2 && kind != 3)
                    continue; /* may draw nothing, and is refused: test_sampling_stem.c */
                plan_t p = lab_plan(&lab.pop, methods[m], 1);
                lab_check_plan(&lab.pop, &p);
                assert_true(lab_close(lab_weighted(&p, lab.time), p.predicted_total));
                plan_free(&p);
            }
            lab_population_free(&lab);
        }
    }
}

static void plans_depend_on_the_seed_alone(void **state)
{
    (void)state;
    lab_population_t lab = lab_population(3000, 7);
    rng_t rng = rng_make(1, 1);
    lab_know_counters(&lab);
    for (uint64_t i = 0; i < 3000; i++) {
        lab.time[i] = exp(rng_normal(&rng));
        lab.insts[i] = floor(100 * lab.time[i]);
    }
    for (size_t m = 0; m < METHODS; m++) {
        plan_t a = lab_plan(&lab.pop, methods[m], 42), b = lab_plan(&lab.pop, methods[m], 42);
        assert_int_equal(a.n_samples, b.n_samples);
        assert_memory_equal(a.samples, b.samples, a.n_samples * sizeof(*a.samples));
        plan_free(&a);
        plan_free(&b);
    }
    plan_t a = lab_plan(&lab.pop, "stem", 1), b = lab_plan(&lab.pop, "stem", 2);
    assert_memory_not_equal(a.samples, b.samples, a.n_samples * sizeof(*a.samples));
    plan_free(&a);
    plan_free(&b);
    lab_population_free(&lab);
}

static void faulty_populations_are_refused(void **state)
{
    (void)state;
    lab_population_t lab = lab_population(5, 2);
    population_t pop = lab.pop;
    for (int i = 0; i < 5; i++)
        lab.time[i] = 1;
    pop.n = 0;
    assert_non_null(strstr(lab_plan_error(&pop, "random"), "no launches"));
    pop = lab.pop;
    static const struct {
        double time;
        const char *text;
    } bad[] = {{NAN, "launch 3 (k0): its duration is not a number"},
               {-1, "launch 3 (k0): its duration is negative"},
               {INFINITY, "launch 3 (k0): its duration is infinite"}};
    for (size_t i = 0; i < 3; i++) {
        lab.time[2] = bad[i].time;
        for (size_t m = 0; m < METHODS; m++)
            if (strncmp(methods[m], "pka", 3) != 0 && strncmp(methods[m], "sieve", 5) != 0 &&
                strncmp(methods[m], "tbpoint", 7) != 0)
                assert_string_equal(lab_plan_error(&pop, methods[m]), bad[i].text);
    }
    memset(lab.time, 0, 5 * sizeof(*lab.time));
    assert_non_null(strstr(lab_plan_error(&pop, "stem"), "durations of all 5 launches are zero"));
    lab.time[0] = 1;
    plan_t p = lab_plan(&pop, "stem", 1);
    bool said = false;
    for (size_t i = 0; i < p.n_warnings; i++)
        said = said || strstr(p.warnings[i], "4 launches have a duration of zero") != NULL;
    assert_true(said);
    plan_free(&p);
    pop.time = NULL;
    assert_non_null(strstr(lab_plan_error(&pop, "stem"), "durations"));
    assert_non_null(strstr(lab_plan_error(&pop, "sieve"), "warp instructions"));
    assert_non_null(strstr(lab_plan_error(&pop, "photon_kernel"), "basic-block vectors"));
    assert_non_null(strstr(lab_plan_error(&pop, "stem_online"), "cannot plan beforehand"));
    lab_population_free(&lab);
}

static void endless_draws_are_refused(void **state)
{
    (void)state;
    lab_population_t lab = lab_population(4, 1);
    for (int i = 0; i < 4; i++)
        lab.time[i] = pow(10, i);
    assert_non_null(strstr(lab_plan_error(&lab.pop, "stem:variant=paper,root=off,epsilon=1e-6"),
                           "choose a larger epsilon"));
    lab_population_free(&lab);
}

static void a_million_names_are_a_million_clusters(void **state)
{
    (void)state;
    enum { N = 1000000 };
    lab_population_t lab = lab_population(N, N);
    for (uint64_t i = 0; i < N; i++)
        lab.time[i] = (double)(i % 100 + 1);
    plan_t p = lab_plan(&lab.pop, "stem", 1);
    assert_int_equal(p.n_clusters, N);
    assert_int_equal(p.n_samples, N);
    assert_true(lab_close(p.predicted_total, p.profile_total));
    plan_free(&p);
    lab_population_free(&lab);
}

static void what_would_take_for_ever_is_refused_with_its_time_and_memory(void **state)
{
    (void)state;
    enum { N = 100000 };
    lab_population_t lab = lab_population(N, 1);
    lab_know_counters(&lab);
    for (uint64_t i = 0; i < N; i++)
        lab.time[i] = lab.insts[i] = (double)i + 1;
    const char *text = lab_plan_error(&lab.pop, "tbpoint");
    assert_non_null(strstr(text, "37.3 GiB for 100000 distinct launches"));
    assert_non_null(strstr(lab_plan_error(&lab.pop, "pka:max_seconds=0.001"), "max_seconds"));
    /* Equal launches are merged first, so a million launches of a few kinds are little work. */
    for (uint64_t i = 0; i < N; i++)
        lab.time[i] = lab.insts[i] = (double)(i % 10) + 1;
    plan_t p = lab_plan(&lab.pop, "tbpoint", 1);
    assert_int_equal(p.n_clusters, 10);
    plan_free(&p);
    lab_population_free(&lab);
}

static void small_and_correlated_clusters_are_warned_of(void **state)
{
    (void)state;
    lab_population_t lab = lab_population(420, 1);
    for (uint64_t i = 0; i < 420; i++)
        lab.time[i] = 1000 + (double)i; /* drifts */
    plan_t p = lab_plan(&lab.pop, "random:count=10", 1);
    assert_int_equal(p.n_warnings, 1);
    assert_non_null(strstr(p.warnings[0], "autocorrelated in 1 of 1 clusters (0.99"));
    plan_free(&p);
    lab.pop.n = 20;
    p = lab_plan(&lab.pop, "random:count=10", 1);
    assert_non_null(strstr(p.warnings[0], "fewer than 30 launches"));
    plan_free(&p);
    lab_population_free(&lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method_ends_on_every_population),
        cmocka_unit_test(plans_depend_on_the_seed_alone),
        cmocka_unit_test(faulty_populations_are_refused),
        cmocka_unit_test(endless_draws_are_refused),
        cmocka_unit_test(a_million_names_are_a_million_clusters),
        cmocka_unit_test(what_would_take_for_ever_is_refused_with_its_time_and_memory),
        cmocka_unit_test(small_and_correlated_clusters_are_warned_of),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
