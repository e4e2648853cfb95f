/* Samples that happen to be alike: what the index says of the others, and what few of them show. */
#include "tests/support/test.h"

#include <math.h>
#include <string.h>

#include "sampling/estimate/index_ratio.h"
#include "sampling/estimate/profile_ratio.h"
#include "sampling/estimate/sample_shows.h"
#include "sampling/plan/plan_untold.h"
#include "tests/support/sampling/population_lab.h"
#include "tests/support/sim/lab.h"

enum { N = 490, LARGE = 21 };

/* A cluster of launches that take equally long, of which a few do three times as much. */
static double untold(uint64_t first, uint64_t second, double large)
{
    lab_population_t lab = lab_population(N, 1);
    uint32_t rows[N];
    const uint64_t sample[] = {first, second};
    lab.pop.counter[POP_WARP_INSTS] = lab.insts;
    for (uint32_t i = 0; i < N; i++) {
        rows[i] = i;
        lab.insts[i] = i < LARGE ? large : 100;
    }
    const double error = plan_untold(&lab.pop, rows, N, sample, 2);
    lab_population_free(&lab);
    return error;
}

static void samples_that_are_alike_do_not_show_larger_launches(void **state)
{
    const double mean = 100 + 200.0 * LARGE / N;
    (void)state;
    assert_true(untold(100, 200, 300) >= 1 - 100 / mean); /* the error that they make */
    assert_true(untold(100, 200, 300) < 0.15);
    /* Relative to what the samples have: the others may be most of the sum. */
    assert_true(untold(100, 200, 100 * N) >= (double)LARGE - 1);
    assert_true(untold(0, 1, 300) > 1);      /* two of the large ones */
    assert_true(untold(0, 100, 300) == 0);   /* one of each: the spread of the samples says it */
    assert_true(untold(100, 200, 100) == 0); /* all launches are alike */
}

/* Launches of which two samples, which are alike, stand for 490; the index knows what all have. */
typedef struct {
    plan_t plan;
    plan_cluster_t cluster;
    plan_sample_t sample[2];
    index_ratio_t ratio;
} two_t;

static void two_alike(two_t *t, double known)
{
    const gpu_spec_t spec = LAB_SPEC("v100", "sm.count=2");
    double each[STAT_VALUES] = {0}, sum[STAT_VALUES] = {0}, simulated[STAT_VALUES] = {0};
    launch_counts_t counts = {.global_sectors = (uint64_t)known, .warp_insts = 1000, .blocks = N};
    ratio_samples_t samples;
    *t = (two_t){.cluster = {.size = N, .draws = 2, .mean = NAN, .sd = NAN},
                 .sample = {{.launch = 1, .weight = N / 2.0, .draws = 1},
                            {.launch = 2, .weight = N / 2.0, .draws = 1}}};
    t->plan = (plan_t){.clusters = &t->cluster,
                       .n_clusters = 1,
                       .samples = t->sample,
                       .n_samples = 2,
                       .n_launches = N,
                       .random = true};
    counts.insts[OP_LOAD_LG] = 1;
    each[VALUE_AT(sm.global_load_sectors)] = each[VALUE_AT(l2.read_sectors)] = 100;
    each[VALUE_AT(dram.read_sectors)] = 10;
    each[VALUE_CYCLES] = 1000;
    for (size_t v = 0; v < STAT_VALUES; v++) {
        sum[v] = N * each[v];
        simulated[v] = 2 * each[v];
    }
    ratio_samples_begin(&samples, 2);
    ratio_samples_put(&samples, 0, each);
    ratio_samples_put(&samples, 1, each);
    const ratio_input_t in = {.sum = sum,
                              .simulated = simulated,
                              .plan = &t->plan,
                              .samples = &samples,
                              .known = &counts,
                              .keep_cycles = true};
    index_ratio_choose(&t->ratio, &in, &spec);
    ratio_samples_free(&samples);
}

/* The spread of two equal samples is 0, but the index says that they miss a tenth: what goes along with its counts
 * is scaled, what hits decide is not, and both may be off by that tenth. */
static void the_index_shows_what_samples_do_not(void **state)
{
    const linear_form_t reads = {{{VALUE_AT(l2.read_sectors), 1}}, 1},
                        dram = {{{VALUE_AT(dram.read_sectors), 1}}, 1};
    double total[STAT_VALUES];
    two_t t;
    (void)state;
    two_alike(&t, 1.1 * 100 * N);
    memcpy(total, t.ratio.plain, sizeof(total));
    index_ratio_scale(&t.ratio, total);
    lab_assert_near(total[VALUE_AT(l2.read_sectors)], 110 * N, 1e-9, "scaled");
    lab_assert_near(total[VALUE_AT(dram.read_sectors)], 10 * N, 1e-9, "not scaled");
    lab_assert_near(index_ratio_doubt(&t.ratio, &reads, 1), 10 * N, 1e-9, "a tenth");
    lab_assert_near(index_ratio_doubt(&t.ratio, &dram, 1), N, 1e-9, "a tenth");
    two_alike(&t, 1); /* no total is less than what was simulated */
    memcpy(total, t.ratio.plain, sizeof(total));
    index_ratio_scale(&t.ratio, total);
    lab_assert_near(total[VALUE_AT(l2.read_sectors)], 200, 1e-9, "two launches");
    two_alike(&t, 100 * N); /* nothing is missing */
    assert_true(index_ratio_doubt(&t.ratio, &reads, 1) == 0);
}

static void what_two_launches_have_has_no_spread(void **state)
{
    shown_t s = {0};
    (void)state;
    assert_false(sample_few_show(&s)); /* nothing there */
    sample_shows(&s, 100);
    sample_shows(&s, 80);
    sample_shows(&s, 1);
    assert_true(sample_few_show(&s));
    sample_shows(&s, 90);
    sample_shows(&s, 100);
    assert_false(sample_few_show(&s));
}

static void misses_are_what_hits_lack(void **state)
{
    const stat_form_t hits = {.num = {{{VALUE_AT(l2.write_hits), 1}}, 1}, .most = INFINITY},
                      rate = {.num = {{{VALUE_AT(l2.write_hits), 1}}, 1},
                              .den = {{{VALUE_AT(l2.write_sectors), 1}}, 1},
                              .most = 1},
                      sectors = {.num = {{{VALUE_AT(l2.write_sectors), 1}}, 1}, .most = INFINITY};
    double values[STAT_VALUES] = {0};
    (void)state;
    values[VALUE_AT(l2.write_hits)] = 70;
    values[VALUE_AT(l2.write_sectors)] = 100;
    assert_true(sample_misses(&hits, values) == 30);
    assert_true(sample_misses(&rate, values) == 30);
    assert_true(sample_misses(&sectors, values) == 0);
}

/* A plan that missed its profile by a tenth misses the cycles by as much if these go along with the profile's times;
 * if they do not, nothing is changed. */
static void what_a_plan_misses_of_its_profile_is_corrected(void **state)
{
    enum { SAMPLES = 8, EACH = 50 };
    plan_member_t members[SAMPLES * EACH];
    plan_cluster_t cluster[SAMPLES];
    plan_sample_t sample[SAMPLES];
    double cycles[SAMPLES], error;
    plan_t plan = {.clusters = cluster,
                   .n_clusters = SAMPLES,
                   .samples = sample,
                   .n_samples = SAMPLES,
                   .members = members,
                   .n_launches = SAMPLES * EACH,
                   .random = true,
                   .profile_total = 100,
                   .predicted_total = 110};
    (void)state;
    for (uint32_t c = 0; c < SAMPLES; c++) {
        cluster[c] = (plan_cluster_t){.size = EACH, .draws = 1, .mean = 1, .sd = 0.1};
        sample[c] =
            (plan_sample_t){.launch = c * EACH + 1, .weight = EACH, .cluster = c, .draws = 1};
        cycles[c] = 2000 * (1 + c) * (c % 2 == 0 ? 1.01 : 0.99);
        for (uint32_t i = 0; i < EACH; i++)
            members[c * EACH + i] = (plan_member_t){c * EACH + i + 1, c, 1 + c};
    }
    lab_assert_near(profile_ratio(&plan, cycles, &error), 1 / 1.1, 1e-12, "corrected");
    assert_true(error > 0.003 &&
                error < 0.006);            /* 1 % over the root of eight, longer ones count more */
    for (uint32_t c = 0; c < SAMPLES; c++) /* half as long, or twice */
        cycles[c] *= c % 2 == 0 ? 2 : 0.5;
    assert_true(profile_ratio(&plan, cycles, &error) == 1 && isnan(error));
    plan.members = NULL; /* a plan from a file */
    assert_true(profile_ratio(&plan, cycles, &error) == 1 && isnan(error));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_that_are_alike_do_not_show_larger_launches),
        cmocka_unit_test(the_index_shows_what_samples_do_not),
        cmocka_unit_test(what_two_launches_have_has_no_spread),
        cmocka_unit_test(misses_are_what_hits_lack),
        cmocka_unit_test(what_a_plan_misses_of_its_profile_is_corrected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
