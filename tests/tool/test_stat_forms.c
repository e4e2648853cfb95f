/* The errors of launches as a run keeps them, and statistics as sums of a launch's values. */
#include "tests/support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/tool/library/stat_forms.h"
#include "sampling/estimate/index_ratio.h"
#include "sampling/math/rng.h"
#include "tests/support/sim/launch_lab.h"
#include "tests/support/trace/spec_load.h"

static gpu_spec_t spec;

static int load(void **state)
{
    rb_err_t err = {0};
    (void)state;
    return spec_load(&spec, "rtx2060", NULL, &err) == RB_OK ? 0 : -1;
}

static bool close_to(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b));
}

/* A launch with a random number in every counter. */
static launch_result_t any_launch(uint64_t seed)
{
    launch_result_t r = {0};
    rng_t rng = rng_make(seed, 0);
    uint64_t *groups[] = {(uint64_t *)&r.sm, (uint64_t *)&r.l2, (uint64_t *)&r.dram};
    const size_t n[] = {SM_STAT_COUNT, L2_STAT_COUNT, DRAM_STAT_COUNT};
    for (size_t g = 0; g < 3; g++)
        for (size_t i = 0; i < n[g]; i++)
            groups[g][i] = 1 + rng_below(&rng, 1000000);
    r.start = 17;
    r.end = r.start + 100000 + rng_below(&rng, 1000000);
    r.launch_cycles = 5000;
    r.blocks = rng_below(&rng, 1000);
    r.warp_insts = rng_below(&rng, 1000000);
    r.thread_insts = rng_below(&rng, 1000000);
    r.copied_bytes = rng_below(&rng, 1000000);
    r.warp_slot_cycles =
        (uint64_t)spec.sm.sm.count * spec.sm.sm.max_warps * launch_result_cycles(&r);
    return r;
}

/* Otherwise the linearisation is that of something else. */
static void every_statistic_is_a_sum_or_a_quotient_of_sums(void **state)
{
    stat_form_t *forms = stat_forms(&spec).form;
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        const launch_result_t r = any_launch(seed);
        double values[STAT_VALUES] = {0};
        run_totals_t t = {0}, none = {0};
        totals_add(&t, &r);
        launch_values_add(values, &r, 1);
        const stat_view_t view = {&spec, &t, &none, false};
        size_t quotients = 0;
        for (size_t i = 0; i < stat_count(); i++) {
            const double is = stat_value_f64(&view, i), num = form_value(&forms[i].num, values);
            const double den = forms[i].den.n > 0 ? form_value(&forms[i].den, values) : 1;
            quotients += forms[i].den.n > 0;
            if (!close_to(num / den, is))
                fail_msg("%s.%s is %g, its form %g", stat_entry(i).group, stat_entry(i).name, is,
                         num / den);
        }
        assert_int_equal(quotients, METRIC_COUNT);
        const run_totals_t again = totals_of_values(values, &spec);
        assert_memory_equal(&again.sm, &t.sm, sizeof(t.sm));
        assert_memory_equal(&again.dram, &t.dram, sizeof(t.dram));
        assert_true(again.warp_slot_cycles == t.warp_slot_cycles && again.cycles == t.cycles);
    }
    free(forms);
}

/* Replicates with random numbers in a few values. */
static void make_replicates(launch_estimate_t *list, size_t n)
{
    rng_t rng = rng_make(5, 5);
    memset(list, 0, n * sizeof(*list));
    for (size_t i = 0; i < n; i++) {
        list[i].cycles = 1e6 + 1000 * rng_normal(&rng);
        list[i].counter[0] = 7;
        list[i].counter[3] = 1e9 + 1e5 * rng_normal(&rng);
        list[i].counter[GPU_COUNTERS - 1] = 50 + rng_normal(&rng);
    }
}

static double jackknife_variance(const launch_estimate_t *list, size_t n)
{
    double mean = 0, squares = 0;
    for (size_t i = 0; i < n; i++)
        mean += (2 * list[i].cycles - 3 * list[i].counter[3]) / (double)n;
    for (size_t i = 0; i < n; i++)
        squares += pow(2 * list[i].cycles - 3 * list[i].counter[3] - mean, 2);
    return (double)(n - 1) / (double)n * squares;
}

static void the_variance_of_a_sum_survives_the_journal(void **state)
{
    enum { N = 12 };
    launch_estimate_t list[N];
    const linear_term_t terms[] = {{0, 2}, {1 + 3, -3}, {1, 100}, {LAUNCH_VALUES, 1e9}};
    launch_error_t e, again;
    size_t size, same;
    (void)state;
    make_replicates(list, N);
    uint8_t *bytes = launch_error_write(&(launch_replicates_t){N, list}, &size);
    assert_true(size < 500); /* three values differ */
    assert_true(launch_error_read(&e, bytes, size));
    const double want = jackknife_variance(list, N), is = launch_error_variance(&e, terms, 4);
    assert_true(fabs(is / want - 1) < 1e-5);
    assert_true(launch_error_variance(&e, &terms[2], 2) == 0);
    assert_ptr_equal(launch_error_bytes(&e, &same), bytes);
    assert_int_equal(same, size);
    assert_true(launch_error_read(&again, launch_error_bytes(&e, &same), same));
    /* Anything else is refused. */
    for (size_t n = 0; n < size; n++)
        assert_false(launch_error_read(&again, bytes, n));
    free(bytes);
}

static void an_error_that_is_not_known_stays_unknown(void **state)
{
    const linear_term_t cycles = {0, 1};
    launch_estimate_t list[2] = {{.cycles = 1}, {.cycles = INFINITY}};
    const launch_replicates_t unknown[] = {{0}, {1, list}, {2, list}};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        launch_error_t e;
        size_t size;
        uint8_t *bytes = launch_error_write(&unknown[i], &size);
        assert_true(launch_error_read(&e, bytes, size));
        assert_true(isnan(launch_error_variance(&e, &cycles, 1)));
        free(bytes);
    }
}

static void one_value_may_be_unknown(void **state)
{
    enum { N = 6 };
    const linear_term_t cycles = {0, 1}, unknown = {3, 1};
    launch_estimate_t list[N];
    launch_error_t e;
    size_t size;
    (void)state;
    make_replicates(list, N);
    for (size_t i = 0; i < N; i++)
        list[i].counter[2] = NAN;
    uint8_t *bytes = launch_error_write(&(launch_replicates_t){N, list}, &size);
    assert_true(launch_error_read(&e, bytes, size));
    assert_true(launch_error_variance(&e, &cycles, 1) > 0);
    assert_true(isnan(launch_error_variance(&e, &unknown, 1)));
    free(bytes);
}

static void damaged_errors_are_refused(void **state)
{
    enum { N = 4 };
    launch_estimate_t list[N];
    launch_error_t e;
    size_t size;
    (void)state;
    make_replicates(list, N);
    uint8_t *bytes = launch_error_write(&(launch_replicates_t){N, list}, &size);
    const uint16_t same = 0, far = LAUNCH_VALUES;
    const float nan = NAN;
    uint8_t *copy = malloc(size);
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    memcpy(copy + 18, &same, sizeof(same)); /* two rows of the cycles */
    assert_false(launch_error_read(&e, copy, size));
    memcpy(copy + 18, &far, sizeof(far));
    assert_false(launch_error_read(&e, copy, size));
    memcpy(copy, bytes, size);
    memcpy(copy + size - sizeof(nan), &nan, sizeof(nan));
    assert_false(launch_error_read(&e, copy, size));
    memset(copy, 0xff, 16);
    assert_false(launch_error_read(&e, copy, size));
    free(copy);
    free(bytes);
}

/*
 * The index scales what samples miss, but no total is less than what was simulated. One of many launches
 * happens to be the longest, so that all counters are scaled down; another, which is simulated for itself,
 * has all instructions whose predicate is off.
 */
static void no_total_is_less_than_what_was_simulated(void **state)
{
    plan_cluster_t clusters[] = {{.size = 10, .draws = 1}, {.size = 1, .draws = 1}};
    plan_sample_t samples[] = {{.launch = 1, .weight = 10, .cluster = 0, .draws = 1},
                               {.launch = 11, .weight = 1, .cluster = 1, .draws = 1}};
    const plan_t plan = {.clusters = clusters,
                         .n_clusters = 2,
                         .samples = samples,
                         .n_samples = 2,
                         .n_launches = 11,
                         .random = true};
    static double value[2][STAT_VALUES], sum[STAT_VALUES], simulated[STAT_VALUES];
    const size_t insts = VALUE_AT(sm.warp_insts), off = VALUE_AT(sm.pred_off_insts);
    const launch_counts_t known = {.warp_insts = 290};
    ratio_samples_t of;
    index_ratio_t r;

    (void)state;
    value[0][insts] = value[1][insts] = 100;
    value[1][off] = 50;
    ratio_samples_begin(&of, 2);
    for (size_t i = 0; i < 2; i++) {
        for (size_t k = 0; k < STAT_VALUES; k++) {
            sum[k] += samples[i].weight * value[i][k];
            simulated[k] += value[i][k];
        }
        ratio_samples_put(&of, i, value[i]);
    }
    const ratio_input_t in = {
        .sum = sum, .simulated = simulated, .plan = &plan, .samples = &of, .known = &known};
    index_ratio_choose(&r, &in, &spec);
    bool scaled = false;
    index_ratio_scale(&r, sum);
    for (size_t v = 0; v < STAT_VALUES; v++)
        assert_true(sum[v] >= simulated[v]);
    for (size_t g = 0; g < RATIO_GROUPS; g++)
        scaled |= r.group[g].used && r.group[g].factor < 1;
    assert_true(scaled);
    ratio_samples_free(&of);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_statistic_is_a_sum_or_a_quotient_of_sums),
        cmocka_unit_test(the_variance_of_a_sum_survives_the_journal),
        cmocka_unit_test(an_error_that_is_not_known_stays_unknown),
        cmocka_unit_test(one_value_may_be_unknown),
        cmocka_unit_test(no_total_is_less_than_what_was_simulated),
        cmocka_unit_test(damaged_errors_are_refused),
    };
    return cmocka_run_group_tests(tests, load, NULL);
}
