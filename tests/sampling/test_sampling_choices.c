/* Choices of each method from small programs with known answers. */
#include "tests/support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sampling/estimate/stratified.h"
#include "tests/support/sampling/population_lab.h"

static void random_draws_what_it_is_told(void **state)
{
    (void)state;
    lab_population_t lab = lab_population(1000, 1);
    for (uint64_t i = 0; i < 1000; i++)
        lab.time[i] = 1 + (double)(i % 7);
    plan_t p = lab_plan(&lab.pop, "random:count=50", 1);
    assert_int_equal(p.n_samples, 50);
    assert_true(lab_close(p.samples[0].weight, 20));
    plan_free(&p);
    p = lab_plan(&lab.pop, "random:fraction=2.5%", 1);
    assert_int_equal(p.n_samples, 25);
    plan_free(&p);
    p = lab_plan(&lab.pop, "random:count=5000", 1); /* all of them */
    assert_int_equal(p.n_samples, 1000);
    assert_true(lab_close(p.predicted_total, p.profile_total));
    assert_true(p.error_bound < 1e-12);
    plan_free(&p);
    plan_t like = lab_plan(&lab.pop, "stem:root=off,epsilon=0.02", 1);
    p = lab_plan(&lab.pop, "random:like=stem:root=off;epsilon=0.02", 1);
    assert_true(fabs((double)p.n_samples / (double)like.n_samples - 1) < 0.15);
    plan_free(&p);
    plan_free(&like);
    assert_non_null(strstr(lab_plan_error(&lab.pop, "random:like=random"), "another method"));
    lab_population_free(&lab);
}

/* One of 12 launches takes 12, the others 1. A single sample meets it with probability 1 / 12, which is
 * more than 5 %, and then the total is 144 instead of 23. The normal distribution gives 72 too many. */
static void the_bound_of_lopsided_times_is_drawn_not_normal(void **state)
{
    (void)state;
    lab_population_t lab = lab_population(12, 1);
    for (uint64_t i = 0; i < 12; i++)
        lab.time[i] = i == 7 ? 12 : 1;
    for (uint64_t seed = 1; seed < 20; seed++) {
        plan_t p = lab_plan(&lab.pop, "random:count=1", seed);
        assert_true(lab_close(p.error_bound, (144 - 23) / 23.0));
        estimate_t e = estimate_total(&p, (double[]){lab.time[p.samples[0].launch - 1]}, 0.95);
        estimate_raise(&e, &p);
        assert_true(e.high - e.value >= e.value * p.error_bound * (1 - 1e-12));
        plan_free(&p);
    }
    lab_population_free(&lab);
}

/* An interval that samples make narrower than the plan's bound is raised to it; a wider one stays, and
 * so does that of a total that is exact. */
static void intervals_are_not_narrower_than_the_bound(void **state)
{
    (void)state;
    const plan_t plan = {.error_bound = 0.05}, none = {.error_bound = NAN};
    estimate_t e = {.value = 200, .low = 199, .high = 230, .method = "stratified t"};
    estimate_raise(&e, &none);
    assert_true(lab_close(e.low, 199) && lab_close(e.high, 230));
    estimate_raise(&e, &plan);
    assert_true(lab_close(e.low, 190) && lab_close(e.high, 230));
    e = (estimate_t){.value = 200, .low = 200, .high = 200, .method = "exact"};
    estimate_raise(&e, &plan);
    assert_true(lab_close(e.low, 200) && lab_close(e.high, 200));
}

static void dominant_keeps_the_longest_kernels(void **state)
{
    (void)state;
    lab_population_t lab = lab_population(100, 4); /* 25 of each */
    static const double times[] = {1, 60, 30, 9};
    for (uint64_t i = 0; i < 100; i++)
        lab.time[i] = times[i % 4];
    plan_t p = lab_plan(&lab.pop, "dominant:share=90%", 1);
    assert_int_equal(p.n_samples, 50);
    assert_int_equal(p.samples[0].launch % 4, 2); /* k1 */
    assert_true(lab_close(p.samples[0].weight, 1 / 0.9));
    assert_true(lab_close(p.predicted_total, p.profile_total));
    plan_free(&p);
    lab_population_free(&lab);
}

static void allegro_divides_two_peaks_and_samples_thirty_of_each(void **state)
{
    (void)state;
    lab_population_t lab = lab_population(2000, 1);
    for (uint64_t i = 0; i < 2000; i++)
        lab.time[i] = (i % 2 ? 100 : 1000) + (double)(i % 10);
    plan_t p = lab_plan(&lab.pop, "allegro", 1);
    assert_int_equal(p.n_clusters, 2);
    assert_int_equal(p.n_samples, 60);
    assert_true(lab_close(p.clusters[0].mean, 105) && lab_close(p.clusters[1].mean, 1004));
    plan_free(&p);
    lab_population_free(&lab);
}

static void keys_group_by_name_prefix_or_shape(void **state)
{
    (void)state;
    lab_population_t lab = lab_population(100, 2);
    uint32_t grid[100][3], block[100][3];
    for (uint64_t i = 0; i < 100; i++) {
        lab.time[i] = 1;
        for (int k = 0; k < 3; k++)
            grid[i][k] = block[i][k] = 1;
        grid[i][1] = i < 50 ? 1 : 2;
    }
    strcpy(lab.names[0], "f(int)");
    strcpy(lab.names[1], "f(float)");
    lab.pop.grid = (const uint32_t(*)[3])grid;
    lab.pop.block = (const uint32_t(*)[3])block;
    static const struct {
        const char *method;
        uint32_t clusters;
    } rows[] = {{"stem:key=name", 2}, {"stem:key=prefix", 1}, {"stem:key=shape", 4}};
    for (size_t i = 0; i < 3; i++) {
        plan_t p = lab_plan(&lab.pop, rows[i].method, 1);
        assert_int_equal(p.n_clusters, rows[i].clusters);
        plan_free(&p);
    }
    lab_population_free(&lab);
}

static void sieve_has_its_three_tiers(void **state)
{
    (void)state;
    lab_population_t lab = lab_population(600, 3);
    lab_know_counters(&lab);
    for (uint64_t i = 0; i < 600; i++) {
        uint64_t round = i / 3;
        double counts[] = {1000,                                        /* tier 1: constant */
                           round % 4 == 0 ? 90 : 100,                   /* tier 2: little spread */
                           round % 2 ? 1e6 + (double)(round % 8) : 50}; /* tier 3: two parts */
        lab.insts[i] = counts[i % 3];
        lab.time[i] = lab.insts[i] * 2;
    }
    plan_t p = lab_plan(&lab.pop, "sieve", 1);
    assert_int_equal(p.n_clusters, 4);
    assert_int_equal(p.samples[0].launch, 1);
    assert_int_equal(p.samples[1].launch, 5); /* first of k1 with 100 instructions */
    assert_true(lab_close(p.samples[1].weight, (50 * 90 + 150 * 100) / 100.0));
    assert_int_equal(p.samples[2].launch, 3);                      /* first of k2 with 50 */
    assert_int_equal(lab.insts[p.samples[3].launch - 1], 1000005); /* upper median of 1 3 5 7 */
    /* Cycles in proportion to instructions: exact. */
    assert_true(lab_close(p.predicted_total, p.profile_total));
    plan_free(&p);
    /* The artifact makes a cluster of every launch on a plateau. */
    p = lab_plan(&lab.pop, "sieve:variant=artifact", 1);
    assert_true(p.n_clusters > 150);
    plan_free(&p);
    lab_population_free(&lab);
}

static void sieve_original_has_two_strata_where_the_artifact_has_two_hundred(void **state)
{
    (void)state;
    lab_population_t lab = lab_population(200, 1);
    lab_know_counters(&lab);
    for (uint64_t i = 0; i < 200; i++)
        lab.time[i] = lab.insts[i] = i % 2 ? 10 : 1000;
    plan_t p = lab_plan(&lab.pop, "sieve", 1);
    assert_int_equal(p.n_clusters, 2);
    plan_free(&p);
    p = lab_plan(&lab.pop, "sieve:variant=artifact", 1);
    assert_int_equal(p.n_clusters, 200);
    plan_free(&p);
    lab_population_free(&lab);
}

static void tbpoint_merges_within_the_threshold(void **state)
{
    (void)state;
    lab_population_t lab = lab_population(90, 1);
    lab_know_counters(&lab);
    for (uint64_t i = 0; i < 90; i++) {
        double base = i % 3 == 0 ? 100 : i % 3 == 1 ? 101 : 300;
        lab.insts[i] = lab.threads[i] = lab.requests[i] = base;
        lab.time[i] = 3 * base;
    }
    plan_t p = lab_plan(&lab.pop, "tbpoint", 1);
    assert_int_equal(p.n_clusters, 2);
    assert_true(lab_close(p.predicted_total, p.profile_total)); /* by instructions */
    plan_free(&p);
    p = lab_plan(&lab.pop, "tbpoint:threshold=0", 1);
    assert_int_equal(p.n_clusters, 3);
    plan_free(&p);
    p = lab_plan(&lab.pop, "tbpoint:threshold=100", 1);
    assert_int_equal(p.n_clusters, 1);
    plan_free(&p);
    lab_population_free(&lab);
}

/* Equal instructions in a quarter of the blocks take four times as long: as published, one launch
 * stands for both kinds. */
static void blocks_are_features_where_asked_for(void **state)
{
    (void)state;
    static const char *const published[] = {"sieve", "tbpoint"}, *const all[] = {
                                                                     "sieve:features=all",
                                                                     "tbpoint:features=all"};
    lab_population_t lab = lab_population(400, 2);
    uint32_t grid[400][3], block[400][3];
    lab_know_counters(&lab);
    lab.pop.grid = (const uint32_t(*)[3])grid;
    lab.pop.block = (const uint32_t(*)[3])block;
    for (uint64_t i = 0; i < 400; i++) {
        bool narrow = i % 10 == 9;
        grid[i][0] = narrow ? 12 : 48;
        block[i][0] = narrow ? 1024 : 256; /* as many threads */
        grid[i][1] = grid[i][2] = block[i][1] = block[i][2] = 1;
        lab.insts[i] = lab.threads[i] = lab.requests[i] = 10000 * (double)(1 + lab.name[i]);
        lab.time[i] = lab.insts[i] * (narrow ? 4 : 1);
    }
    for (size_t i = 0; i < 2; i++) {
        plan_t p = lab_plan(&lab.pop, published[i], 1);
        assert_int_equal(p.n_clusters, 2);
        assert_true(fabs(p.predicted_total / p.profile_total - 1) > 0.15);
        plan_free(&p);
        p = lab_plan(&lab.pop, all[i], 1);
        assert_int_equal(p.n_clusters, 3); /* one launch in ten, always of the second kernel */
        assert_true(lab_close(p.predicted_total, p.profile_total));
        lab_check_plan(&lab.pop, &p);
        plan_free(&p);
    }
    lab_population_free(&lab);
}

static void pka_takes_the_smallest_k_below_its_error(void **state)
{
    (void)state;
    lab_population_t lab = lab_population(300, 3);
    lab_know_counters(&lab);
    for (uint64_t i = 0; i < 300; i++) {
        double base = pow(10, (double)(i % 3));
        lab.insts[i] = 1000 * base;
        lab.threads[i] = 32000 * base;
        lab.time[i] = 10 * base * (1 + 0.001 * (double)(i % 5));
    }
    plan_t p = lab_plan(&lab.pop, "pka", 1);
    assert_int_equal(p.n_clusters, 3);
    assert_true(fabs(p.predicted_total / p.profile_total - 1) < 0.05);
    for (int i = 0; i < 3; i++) {
        assert_true(p.samples[i].launch <= 3); /* first of each cluster */
        assert_true(lab_close(p.samples[i].weight, 100));
    }
    plan_free(&p);
    p = lab_plan(&lab.pop, "pka:error=1", 1); /* the error of one cluster is below 100 % */
    assert_int_equal(p.n_clusters, 1);
    plan_free(&p);
    p = lab_plan(&lab.pop, "pka:representative=random", 1);
    assert_int_equal(p.n_clusters, 3);
    plan_free(&p);
    lab_population_free(&lab);
}

static void photon_matches_vectors_warps_and_scales_by_instructions(void **state)
{
    (void)state;
    enum { N = 40 };
    lab_population_t lab = lab_population(N, 1);
    /* Vector 1 is vector 0 with twice the work (same direction); vector 2 has another block. */
    static const uint64_t begin[] = {0, 2, 4, 5};
    static const uint32_t block[] = {0, 1, 0, 1, 2};
    static const double count[] = {10, 30, 20, 60, 40};
    uint32_t of[N];
    uint64_t warps[N];
    lab_know_counters(&lab);
    for (uint64_t i = 0; i < N; i++) {
        of[i] = (uint32_t)(i % 3);
        warps[i] = i < 30 ? 5000 : 100;
        lab.insts[i] = of[i] == 1 ? 80 : 40;
        lab.time[i] = 3 * lab.insts[i];
    }
    lab.pop.bbv_of = of;
    lab.pop.n_bbvs = 3;
    lab.pop.bbv_begin = begin;
    lab.pop.bbv_block = block;
    lab.pop.bbv_count = count;
    lab.pop.bbv_warps = warps;
    lab.pop.n_blocks = 3;
    plan_t p = lab_plan(&lab.pop, "photon_kernel", 1);
    lab_check_plan(&lab.pop, &p);
    /* Launches 1 and 3 for 5000 warps; with 100 warps both kinds again (below few_warps). */
    assert_int_equal(p.n_clusters, 4);
    assert_int_equal(p.samples[0].launch, 1);
    assert_true(lab_close(p.samples[0].weight, 10 + 2 * 10));
    assert_true(lab_close(p.predicted_total, p.profile_total));
    plan_free(&p);
    lab.pop.chip_warps = 50; /* a small chip */
    p = lab_plan(&lab.pop, "photon_kernel", 1);
    assert_int_equal(p.n_clusters, 2);
    plan_free(&p);
    /* The artifact compares raw counts: twice the work counts as a different launch, and weights
     * are counts. */
    p = lab_plan(&lab.pop, "photon_kernel:variant=artifact", 1);
    assert_int_equal(p.n_clusters, 3);
    assert_true(lab_close(p.samples[0].weight, (double)p.clusters[0].size));
    plan_free(&p);
    lab_population_free(&lab);
}

static void photon_tells_mixes_of_warp_types_apart(void **state)
{
    (void)state;
    enum { N = 30 };
    lab_population_t lab = lab_population(N, 1);
    static const uint64_t begin[] = {0, 1, 2}, mix_begin[] = {0, 2, 4, 5};
    static const uint32_t block[] = {0, 1}, mix_bbv[] = {0, 1, 0, 1, 0};
    static const double count[] = {10, 10}, mix_warps[] = {90, 10, 89, 11, 100};
    uint32_t of[N];
    uint64_t warps[N];
    for (uint64_t i = 0; i < N; i++) {
        of[i] = (uint32_t)(i % 3);
        warps[i] = 100;
        lab.time[i] = 1;
    }
    lab.pop.bbv_begin = begin;
    lab.pop.bbv_block = block;
    lab.pop.bbv_count = count;
    lab.pop.n_bbvs = 2;
    lab.pop.mix_of = of;
    lab.pop.n_mixes = 3;
    lab.pop.mix_begin = mix_begin;
    lab.pop.mix_bbv = mix_bbv;
    lab.pop.mix_warps = mix_warps;
    lab.pop.bbv_warps = warps;
    lab.pop.n_blocks = 2;
    plan_t p = lab_plan(&lab.pop, "photon_kernel", 1);
    /* 90/10 and 89/11 are sqrt(2) percent apart; all of one type is 14 percent from them. */
    assert_int_equal(p.n_clusters, 2);
    assert_int_equal(p.clusters[0].size, 20);
    plan_free(&p);
    p = lab_plan(&lab.pop, "photon_kernel:variant=artifact", 1);
    assert_int_equal(p.n_clusters, 2);
    plan_free(&p);
    lab_population_free(&lab);
}

/* Two kernels of thousands of types of warps: one computes, the other gathers. Nothing but the number of
 * types makes their weighted vectors near. */
static void kernels_of_many_warp_types_are_kept_apart(void **state)
{
    (void)state;
    enum { TYPES = 4000, N = 8 };
    lab_population_t lab = lab_population(N, 2);
    static uint64_t begin[2 * TYPES + 1], warps[N];
    static uint32_t block[4 * TYPES], mix_bbv[2 * TYPES], of[N];
    static double count[4 * TYPES], mix_warps[2 * TYPES];
    static const uint64_t mix_begin[] = {0, TYPES, 2 * TYPES};
    for (uint32_t i = 0; i < 2 * TYPES; i++) {
        begin[i + 1] = 2 * (i + 1);
        for (uint32_t k = 0; k < 2; k++) {
            block[2 * i + k] = 2 * (i / TYPES) + k;
            count[2 * i + k] = k == 0 ? 1 : 1 + i % TYPES;
        }
        mix_bbv[i] = i;
        mix_warps[i] = 1;
    }
    for (uint64_t i = 0; i < N; i++) {
        of[i] = (uint32_t)(i % 2);
        warps[i] = TYPES;
        lab.time[i] = i % 2 == 0 ? 100 : 4000;
    }
    lab.pop.bbv_begin = begin;
    lab.pop.bbv_block = block;
    lab.pop.bbv_count = count;
    lab.pop.n_bbvs = 2 * TYPES;
    lab.pop.mix_of = of;
    lab.pop.n_mixes = 2;
    lab.pop.mix_begin = mix_begin;
    lab.pop.mix_bbv = mix_bbv;
    lab.pop.mix_warps = mix_warps;
    lab.pop.bbv_warps = warps;
    lab.pop.n_blocks = 4;
    plan_t p = lab_plan(&lab.pop, "photon_kernel", 1);
    assert_int_equal(p.n_clusters, 2);
    assert_int_equal(p.n_warnings, 0);
    plan_free(&p);
    p = lab_plan(&lab.pop, "photon_kernel:variant=paper", 1);
    assert_int_equal(p.n_clusters, 1); /* as published */
    assert_int_equal(p.n_warnings, 1);
    assert_non_null(strstr(p.warnings[0], "4 of 8 launches"));
    plan_free(&p);
    /* Of one name, as templates have whose parameters are cut, but of other code. */
    memset(lab.name, 0, N * sizeof(*lab.name));
    p = lab_plan(&lab.pop, "photon_kernel", 1);
    assert_int_equal(p.n_clusters, 2);
    plan_free(&p);
    lab_population_free(&lab);
}

/* Launches of 40 warps that differ from the first in 15 and 16 warps, and one of 31 warps. */
static void the_simulator_of_photon_compares_warps_one_by_one(void **state)
{
    (void)state;
    enum { N = 7 };
    lab_population_t lab = lab_population(N, 1);
    static const uint64_t begin[] = {0, 1, 2}, mix_begin[] = {0, 1},
                          sequence_begin[] = {0, 1, 3, 5, 6};
    static const uint32_t block[] = {0, 1}, mix_bbv[] = {0}, mix_of[N] = {0},
                          sequence_bbv[] = {0, 0, 1, 0, 1, 0};
    static const double count[] = {10, 10}, mix_warps[] = {40},
                        sequence_run[] = {40, 25, 15, 24, 16, 31};
    static const uint32_t of[N] = {0, 0, 1, 2, 2, 3, 3};
    static const uint64_t warps[N] = {40, 80, 40, 40, 40, 31, 31};
    lab.pop.bbv_begin = begin;
    lab.pop.bbv_block = block;
    lab.pop.bbv_count = count;
    lab.pop.n_bbvs = 2;
    lab.pop.mix_of = mix_of;
    lab.pop.n_mixes = 1;
    lab.pop.mix_begin = mix_begin;
    lab.pop.mix_bbv = mix_bbv;
    lab.pop.mix_warps = mix_warps;
    lab.pop.bbv_warps = warps;
    lab.pop.n_blocks = 2;
    lab.pop.head_of = lab.pop.spread_of = of;
    lab.pop.sequence_begin = sequence_begin;
    lab.pop.sequence_bbv = sequence_bbv;
    lab.pop.sequence_run = sequence_run;
    for (uint64_t i = 0; i < N; i++)
        lab.time[i] = 1;
    plan_t p = lab_plan(&lab.pop, "photon_kernel:variant=code", 1);
    /* The first stands for the second, with twice the warps, and the third; the fourth differs too
     * much; launches of 31 warps are not compared. */
    assert_int_equal(p.n_clusters, 4);
    assert_int_equal(p.clusters[0].size, 3);
    assert_true(lab_close(p.samples[0].weight, 1 + 2 + 1));
    assert_int_equal(p.clusters[1].size, 2);
    plan_free(&p);
    p = lab_plan(&lab.pop, "photon_kernel:variant=code,differ=17", 1);
    assert_int_equal(p.n_clusters, 3);
    plan_free(&p);
    lab_population_free(&lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_of_many_warp_types_are_kept_apart),
        cmocka_unit_test(the_simulator_of_photon_compares_warps_one_by_one),
        cmocka_unit_test(random_draws_what_it_is_told),
        cmocka_unit_test(the_bound_of_lopsided_times_is_drawn_not_normal),
        cmocka_unit_test(intervals_are_not_narrower_than_the_bound),
        cmocka_unit_test(dominant_keeps_the_longest_kernels),
        cmocka_unit_test(allegro_divides_two_peaks_and_samples_thirty_of_each),
        cmocka_unit_test(keys_group_by_name_prefix_or_shape),
        cmocka_unit_test(sieve_has_its_three_tiers),
        cmocka_unit_test(sieve_original_has_two_strata_where_the_artifact_has_two_hundred),
        cmocka_unit_test(tbpoint_merges_within_the_threshold),
        cmocka_unit_test(blocks_are_features_where_asked_for),
        cmocka_unit_test(pka_takes_the_smallest_k_below_its_error),
        cmocka_unit_test(photon_matches_vectors_warps_and_scales_by_instructions),
        cmocka_unit_test(photon_tells_mixes_of_warp_types_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
