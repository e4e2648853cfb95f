#include "tests/support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sampling/math/allocate.h"
#include "sampling/math/bic.h"
#include "sampling/math/kde.h"
#include "sampling/math/kmeans.h"
#include "sampling/math/linkage.h"
#include "sampling/math/linkage_line.h"
#include "sampling/math/pair_sort.h"
#include "sampling/math/pca.h"
#include "sampling/math/pick.h"
#include "sampling/math/quantile.h"
#include "sampling/math/rng.h"
#include "sampling/math/sample_shape.h"
#include "sampling/math/two_means.h"
#include "sim/core/alloc.h"

static void near(double got, double wanted, double relative)
{
    if (!(fabs(got - wanted) <= relative * fabs(wanted)))
        fail_msg("%.17g is not %.17g", got, wanted);
}

/* Tables of Abramowitz and Stegun (26.1, 26.10) and R's qnorm and qt. */
static void quantiles_are_those_of_the_tables(void **state)
{
    (void)state;
    near(normal_quantile(0.975), 1.959963984540054, 1e-13);
    near(normal_quantile(0.995), 2.5758293035489004, 1e-13);
    near(normal_quantile(1e-10), -6.361340902404056, 1e-12);
    assert_true(fabs(normal_quantile(0.5)) < 1e-15);
    near(student_quantile(0.975, 1), 12.706204736174698, 1e-10);
    near(student_quantile(0.975, 2), 4.302652729749464, 1e-10);
    near(student_quantile(0.975, 5), 2.5705818356363146, 1e-10);
    near(student_quantile(0.995, 30), 2.749995653567231, 1e-10);
    near(student_quantile(0.025, 10), -2.2281388519649385, 1e-10);
    near(student_quantile(0.975, 2.5), 3.574654842, 1e-9); /* by Simpson's rule */
    near(interval_factor(0.95, INFINITY), 1.959963984540054, 1e-13);
    near(student_quantile(0.975, 1e6), 1.9599663, 1e-7);
}

/* The exact numbers: others would change every recorded plan. */
static void random_numbers_never_change(void **state)
{
    (void)state;
    rng_t a = rng_make(1, 0), b = rng_make(1, 0), other = rng_make(1, 1);
    rng_t first = a, seventh = rng_make(7, 9);
    assert_true(rng_u64(&first) == 0x98fc4d36ab44dffc);
    assert_true(rng_u64(&first) == 0x55abe32958f2fe8a);
    assert_true(rng_u64(&seventh) == 0x3fc78b7c80c66fcb);
    for (int i = 0; i < 100; i++) {
        uint64_t x = rng_u64(&a);
        assert_true(x == rng_u64(&b));
        assert_true(x != rng_u64(&other));
    }
    double sum = 0, squares = 0;
    uint64_t count[7] = {0};
    for (int i = 0; i < 70000; i++) {
        double z = rng_normal(&a);
        sum += z;
        squares += z * z;
        count[rng_below(&a, 7)]++;
    }
    assert_true(fabs(sum / 70000) < 4 / sqrt(70000.0));
    assert_true(fabs(squares / 70000 - 1) < 4 * sqrt(2 / 70000.0));
    for (int i = 0; i < 7; i++)
        assert_true(fabs((double)count[i] - 10000) < 5 * sqrt(10000.0));
}

static void sorting_is_stable_and_right_at_every_length(void **state)
{
    (void)state;
    static const size_t lengths[] = {0, 1, 2, 15, 16, 17, 100, 4095, 4096, 10000};
    for (size_t l = 0; l < sizeof(lengths) / sizeof(lengths[0]); l++) {
        size_t n = lengths[l];
        for (uint64_t range = 3; range; range = range == 3 ? 1000000000 : 0) {
            rng_t rng = rng_make(n, range);
            uint64_t *key = calloc(2 * n + 1, sizeof(*key));
            uint32_t *row = calloc(2 * n + 1, sizeof(*row));
            for (size_t i = 0; i < n; i++) {
                key[i] = sort_key((double)rng_below(&rng, range) - 1.5);
                row[i] = (uint32_t)i;
            }
            pair_sort(key, row, n, key + n, row + n);
            for (size_t i = 1; i < n; i++) {
                assert_true(key[i - 1] <= key[i]);
                assert_true(key[i - 1] < key[i] || row[i - 1] < row[i]);
            }
            free(key);
            free(row);
        }
    }
    static const double numbers[] = {-INFINITY, -1e300, -1, -1e-310, 0, 1e-310, 1, INFINITY};
    for (size_t i = 0; i < 8; i++) {
        assert_true(i == 0 || sort_key(numbers[i - 1]) < sort_key(numbers[i]));
        assert_true(!(sort_value(sort_key(numbers[i])) < numbers[i]) &&
                    !(sort_value(sort_key(numbers[i])) > numbers[i]));
    }
    assert_true(sort_key(-0.0) == sort_key(0.0));
}

static double squares_about_mean(const double *x, size_t n)
{
    double mean = 0, sum = 0;
    for (size_t i = 0; i < n; i++)
        mean += x[i] / (double)n;
    for (size_t i = 0; i < n; i++)
        sum += (x[i] - mean) * (x[i] - mean);
    return sum;
}

static int by_number(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void two_means_is_the_best_of_all_divisions(void **state)
{
    (void)state;
    rng_t rng = rng_make(3, 3);
    for (int trial = 0; trial < 500; trial++) {
        double x[40];
        size_t n = 2 + rng_below(&rng, 38);
        for (size_t i = 0; i < n; i++)
            x[i] = trial % 2 ? exp(2 * rng_normal(&rng)) : (double)rng_below(&rng, 5);
        qsort(x, n, sizeof(*x), by_number);
        double least = INFINITY;
        for (size_t i = 1; i < n; i++)
            least = fmin(least, squares_about_mean(x, i) + squares_about_mean(x + i, n - i));
        size_t cut = two_means(x, n);
        if (!(x[0] < x[n - 1])) {
            assert_int_equal(cut, 0);
            continue;
        }
        assert_true(cut > 0 && cut < n && x[cut - 1] < x[cut]);
        double got = squares_about_mean(x, cut) + squares_about_mean(x + cut, n - cut);
        assert_true(got <= least * (1 + 1e-9) + 1e-12);
    }
}

static void spreads_neither_cancel_nor_overflow(void **state)
{
    (void)state;
    double equal[1000], close[] = {1e15, 1e15 + 1, 1e15 + 2}, huge[] = {1e308, 1e308, 1.7e308};
    for (size_t i = 0; i < 1000; i++)
        equal[i] = 0.1;
    assert_true(!(spread_of(equal, 1000).sd > 0));
    assert_int_equal(two_means(equal, 1000), 0);
    near(spread_of(close, 3).sample, 1, 1e-12);
    near(spread_of(close, 3).sd, sqrt(2.0 / 3), 1e-12);
    assert_int_equal(two_means(huge, 3), 2);
    assert_true(!(spread_of(close, 1).sample > 0));
}

static void picks_are_distinct_and_equally_likely(void **state)
{
    (void)state;
    enum { N = 20, TRIALS = 20000 };
    for (uint64_t m = 1; m <= N; m += m == 1 ? 1 : 9) {
        uint64_t hits[N] = {0};
        for (uint64_t trial = 0; trial < TRIALS; trial++) {
            uint64_t out[N];
            rng_t rng = rng_make(trial, m);
            pick_distinct(&rng, N, m, out);
            for (uint64_t i = 0; i < m; i++) {
                assert_true(out[i] < N && (i == 0 || out[i - 1] < out[i]));
                hits[out[i]]++;
            }
        }
        double share = (double)m / N, sd = sqrt(TRIALS * share * (1 - share));
        for (int i = 0; i < N; i++)
            assert_true(fabs((double)hits[i] - TRIALS * share) <= 5 * sd);
    }
}

static double cost_of(const stratum_t *s, size_t n, const uint64_t *m)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (double)m[i] * s[i].cost;
    return sum;
}

static void allocation_meets_the_bound_at_the_least_cost(void **state)
{
    (void)state;
    rng_t rng = rng_make(5, 5);
    for (int trial = 0; trial < 200; trial++) {
        stratum_t s[3];
        uint64_t m[3], best[3] = {0};
        double total = 0, least = INFINITY;
        bool finite = trial % 2;
        for (size_t i = 0; i < 3; i++) {
            s[i] = (stratum_t){.size = 2 + rng_below(&rng, 25), .least = 1};
            s[i].cost = 1 + 20 * rng_unit(&rng);
            s[i].sd = s[i].cost * rng_unit(&rng);
            total += (double)s[i].size * s[i].cost;
        }
        double variance = 0.05 * total * 0.05 * total;
        allocate(s, 3, variance, finite, m);
        assert_true(allocated_variance(s, 3, finite, m) <= variance * (1 + 1e-9));
        /* The best integers, found by trying all. */
        uint64_t most = finite ? 26 : 60;
        for (best[0] = 1; best[0] <= (finite ? s[0].size : most); best[0]++)
            for (best[1] = 1; best[1] <= (finite ? s[1].size : most); best[1]++)
                for (best[2] = 1; best[2] <= (finite ? s[2].size : most); best[2]++)
                    if (allocated_variance(s, 3, finite, best) <= variance)
                        least = fmin(least, cost_of(s, 3, best));
        assert_true(cost_of(s, 3, m) >= least * (1 - 1e-9) || !finite);
        /* Rounding costs at most one sample per stratum. */
        assert_true(cost_of(s, 3, m) <= least + s[0].cost + s[1].cost + s[2].cost);
    }
}

static void allocation_is_equation_six_where_no_limit_binds(void **state)
{
    (void)state;
    stratum_t s[4];
    uint64_t m[4];
    double sum = 0;
    for (size_t i = 0; i < 4; i++) {
        s[i] = (stratum_t){.size = 1000000, .cost = (double)(i + 1), .sd = 3.0 / (double)(i + 1)};
        s[i].least = 1;
        sum += 1e6 * s[i].sd * sqrt(s[i].cost);
    }
    double variance = 1e10;
    allocate(s, 4, variance, false, m);
    for (size_t i = 0; i < 4; i++)
        near((double)m[i], sum / variance * 1e6 * s[i].sd / sqrt(s[i].cost), 0.02);
    uint64_t printed[4];
    allocate_printed(s, 4, variance, printed);
    assert_true(allocated_variance(s, 4, false, printed) > 1.5 * variance);
}

static void allocation_survives_degenerate_strata(void **state)
{
    (void)state;
    stratum_t s[] = {{.size = 1, .cost = 5, .sd = 0, .least = 1},
                     {.size = 7, .cost = 0, .sd = 0, .least = 1},
                     {.size = 100, .cost = 1e-300, .sd = 1e-300, .least = 1},
                     {.size = 4, .cost = 1e300, .sd = 1e150, .least = 4}};
    uint64_t m[4];
    allocate(s, 4, 0, true, m);
    assert_int_equal(m[0], 1);
    assert_int_equal(m[1], 1);
    assert_int_equal(m[3], 4);
    assert_true(m[2] >= 1 && m[2] <= 100);
}

static void kmeans_finds_separate_groups(void **state)
{
    (void)state;
    double x[60], weight[30], centre[6];
    uint32_t cluster[30];
    rng_t rng = rng_make(9, 9);
    for (size_t i = 0; i < 30; i++) {
        x[2 * i] = (double)(i % 3) * 10 + rng_unit(&rng);
        x[2 * i + 1] = rng_unit(&rng);
        weight[i] = 1;
    }
    points_t p = {x, weight, 30, 2};
    assert_int_equal(kmeans(&p, 3, 4, &rng, cluster, centre), 3);
    for (size_t i = 3; i < 30; i++)
        assert_int_equal(cluster[i], cluster[i % 3]);
    assert_true(cluster[0] != cluster[1] && cluster[1] != cluster[2] && cluster[0] != cluster[2]);
    /* Fewer distinct points than clusters. */
    memset(x, 0, sizeof(x));
    x[0] = 1;
    assert_int_equal(kmeans(&p, 3, 4, &rng, cluster, centre), 2);
}

static void principal_components_of_a_line_are_one(void **state)
{
    (void)state;
    double x[30], weight[10], matrix[] = {2, 1, 0, 1, 2, 0, 0, 0, 5}, value[3], vector[9];
    for (size_t i = 0; i < 10; i++) {
        x[3 * i] = (double)i;
        x[3 * i + 1] = 2 * (double)i + 5;
        x[3 * i + 2] = 7;
        weight[i] = 1;
    }
    standardise(x, weight, 10, 3, 1);
    assert_int_equal(pca_project(x, weight, 10, 3, 0.9995), 1);
    near(fabs(x[9] - x[0]), 9 / sqrt(8.25) * sqrt(2), 1e-12);
    eigen_symmetric(matrix, 3, value, vector);
    near(value[0], 5, 1e-12);
    near(value[1], 3, 1e-12);
    near(value[2], 1, 1e-12);
    near(vector[3], sqrt(0.5), 1e-12);
    near(vector[4], sqrt(0.5), 1e-12);
}

/* Complete linkage by definition: merge the two nearest clusters repeatedly. */
static size_t naive_linkage(const double *x, size_t n, size_t d, double threshold,
                            uint32_t *cluster)
{
    for (uint32_t i = 0; i < n; i++)
        cluster[i] = i;
    for (;;) {
        double least = INFINITY;
        uint32_t a = 0, b = 0;
        for (uint32_t i = 0; i < n; i++) {
            for (uint32_t j = i + 1; j < n; j++) {
                double farthest = -1;
                for (size_t k = 0; k < n; k++)
                    for (size_t l = 0; l < n; l++)
                        if (cluster[k] == i && cluster[l] == j)
                            farthest =
                                fmax(farthest, sqrt(squared_distance(x + k * d, x + l * d, d)));
                if (farthest >= 0 && farthest < least) {
                    least = farthest;
                    a = i;
                    b = j;
                }
            }
        }
        if (!(least <= threshold))
            break;
        for (size_t k = 0; k < n; k++)
            cluster[k] = cluster[k] == b ? a : cluster[k];
    }
    size_t count = 0;
    for (uint32_t i = 0; i < n; i++) {
        bool used = false;
        for (size_t k = 0; k < n; k++)
            used = used || cluster[k] == i;
        count += used;
    }
    return count;
}

static void linkage_is_what_its_definition_gives(void **state)
{
    (void)state;
    enum { N = 14 };
    rng_t rng = rng_make(11, 11);
    for (int trial = 0; trial < 60; trial++) {
        double x[2 * N], weight[N];
        uint32_t got[N], wanted[N];
        for (size_t i = 0; i < N; i++) {
            x[2 * i] = rng_unit(&rng);
            x[2 * i + 1] = rng_unit(&rng);
            weight[i] = 1;
        }
        size_t n = linkage_cluster(x, weight, N, 2, LINKAGE_COMPLETE, 0.3, got);
        assert_int_equal(n, naive_linkage(x, N, 2, 0.3, wanted));
        for (size_t i = 0; i < N; i++)
            for (size_t j = 0; j < i; j++)
                assert_int_equal(got[i] == got[j], wanted[i] == wanted[j]);
    }
}

static void ward_merges_by_the_increase_of_squares(void **state)
{
    (void)state;
    /* Means 0 of two points and 10 of one: sqrt(2 * 2 * 1 / 3) * 10 = 11.547 */
    double x[] = {0, 10}, weight[] = {2, 1};
    uint32_t cluster[2];
    assert_int_equal(linkage_cluster(x, weight, 2, 1, LINKAGE_WARD, 11.5, cluster), 2);
    assert_int_equal(linkage_cluster(x, weight, 2, 1, LINKAGE_WARD, 11.6, cluster), 1);
}

static void densities_do_not_underflow(void **state)
{
    (void)state;
    double x[] = {0, 1, 1e6}, weight[] = {1, 1, 2};
    near(kde_log(x, NULL, 3, 1, 0.5), log(2) - 0.125, 1e-12);
    near(kde_log(x, weight, 3, 1, 1e6), log(2), 1e-12);
    assert_true(kde_log(x, NULL, 3, 1, 5e5) < -1e10);
    assert_true(isfinite(kde_log(x, NULL, 3, 1, 5e5)));
}

/* One dimension, many points that are near and equal ones. */
static void linkage_on_a_line_is_the_same(void **state)
{
    enum { N = 200 };
    static double x[N], weight[N];
    static uint32_t got[N], wanted[N];
    rng_t rng = rng_make(5, 0);
    (void)state;
    for (int round = 0; round < 20; round++) {
        for (int i = 0; i < N; i++) {
            x[i] = rng_unit(&rng) * 3 + (i % 3 == 0 ? 5 : 0);
            if (i % 7 == 6)
                x[i] = x[i - 5];
            weight[i] = 1;
        }
        size_t n = linkage_line(x, N, 0.3, got);
        assert_int_equal(n, linkage_cluster(x, weight, N, 1, LINKAGE_COMPLETE, 0.3, wanted));
        assert_memory_equal(got, wanted, sizeof(got));
    }
    assert_int_equal(linkage_line(x, 0, 1, got), 0);
    assert_int_equal(linkage_line(x, 1, 0, got), 1);
    assert_int_equal(linkage_line(x, N, 100, got), 1);
}

/* Three distant groups are three clusters; one group is one, and so are all equal points. */
static void the_criterion_counts_heaps(void **state)
{
    enum { N = 150, D = 3 };
    static double x[N * D], weight[N];
    static uint32_t cluster[N];
    const points_t p = {x, weight, N, D};
    rng_t rng = rng_make(21, 0);
    (void)state;
    for (int heaps = 1; heaps <= 4; heaps++) {
        for (int i = 0; i < N; i++) {
            weight[i] = 1;
            for (int d = 0; d < D; d++)
                x[i * D + d] = rng_normal(&rng) + 40 * (i % heaps) * (d == i % heaps % D ? 2 : 1);
        }
        assert_int_equal(bic_kmeans(&p, 8, 0.97, 5, 1, cluster), heaps);
        for (int i = heaps; i < N; i++)
            assert_int_equal(cluster[i], cluster[i - heaps]);
    }
    memset(x, 0, sizeof(x));
    assert_int_equal(bic_kmeans(&p, 8, 0.9, 5, 1, cluster), 1);
}

/*
 * Two heaps of eight at distance D, each half at -1 and half at +1: the likelihood gains
 * 8 ln(v1 / v2) - 16 ln 2 + 1/2, with v1 = (16 + 4 D^2) / 15 and v2 = 16 / 14, from a second cluster, which
 * costs ln 16: (dimensions + 1) / 2 for each cluster. It pays from D = 4.34 on; from 3.9 on, if a cluster
 * cost half as much.
 */
static void a_cluster_costs_its_centre_and_its_share(void **state)
{
    (void)state;
    enum { N = 16 };
    static const double apart[] = {4.1, 4.5};
    double x[N], weight[N];
    uint32_t cluster[N];
    points_t p = {.x = x, .weight = weight, .n = N, .d = 1};
    for (size_t k = 0; k < 2; k++) {
        for (int i = 0; i < N; i++) {
            x[i] = (i < N / 2 ? 0 : apart[k]) + (i % 2 == 0 ? -1 : 1);
            weight[i] = 1;
        }
        assert_int_equal(bic_kmeans(&p, 2, 1, 5, 1, cluster), 1 + k);
    }
}

/* Shape of samples with known moments. */
static void shapes_and_tails_are_those_of_the_definition(void **state)
{
    (void)state;
    enum { N = 4000 };
    double five[] = {1, 2, 3, 4, 10}, flat[] = {3, 3, 3}, one[] = {7},
           *x = rb_calloc(N, sizeof(*x));
    sample_shape_t s = sample_shape(five, 5);
    /* m2 = 10, m3 = 36, m4 = 278.8 */
    assert_true(fabs(s.skew - 36 / pow(10, 1.5) * sqrt(5 * 4) / 3) < 1e-12);
    assert_true(fabs(s.kurtosis - 2.788) < 1e-12);
    assert_true(fabs(s.ratio - 10.0 / 3) < 1e-12 && fabs(s.share - 36.0 / 50) < 1e-12);
    assert_true(fabs(s.most - 10) < 1e-12 && five[0] > 9); /* sorted */
    s = sample_shape(flat, 3);
    assert_true(fabs(s.ratio - 1) < 1e-12 && s.share <= 0 && s.skew <= 0 && s.skew >= 0);
    s = sample_shape(one, 1);
    assert_true(fabs(s.ratio - 1) < 1e-12 && fabs(s.most - 7) < 1e-12);
    rng_t rng = rng_make(1, 1);
    for (int i = 0; i < N; i++)
        x[i] = pow(1 - rng_unit(&rng), -1 / 1.5);
    sample_shape(x, N);
    assert_true(fabs(hill_index(x, 400) / 1.5 - 1) < 0.15); /* three standard errors */
    for (int i = 0; i < N; i++)
        x[i] = 5;
    assert_true(isinf(hill_index(x, 100)));
    assert_true(skew_allowance(-0.5, 2) <= 0);
    assert_true(fabs(skew_allowance(0.6, 2) - (0.1 * 9 + 4 * 0.01 * 18)) < 1e-12);
    free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cluster_costs_its_centre_and_its_share),
        cmocka_unit_test(shapes_and_tails_are_those_of_the_definition),
        cmocka_unit_test(quantiles_are_those_of_the_tables),
        cmocka_unit_test(random_numbers_never_change),
        cmocka_unit_test(sorting_is_stable_and_right_at_every_length),
        cmocka_unit_test(two_means_is_the_best_of_all_divisions),
        cmocka_unit_test(spreads_neither_cancel_nor_overflow),
        cmocka_unit_test(picks_are_distinct_and_equally_likely),
        cmocka_unit_test(allocation_meets_the_bound_at_the_least_cost),
        cmocka_unit_test(allocation_is_equation_six_where_no_limit_binds),
        cmocka_unit_test(allocation_survives_degenerate_strata),
        cmocka_unit_test(kmeans_finds_separate_groups),
        cmocka_unit_test(principal_components_of_a_line_are_one),
        cmocka_unit_test(linkage_is_what_its_definition_gives),
        cmocka_unit_test(linkage_on_a_line_is_the_same),
        cmocka_unit_test(the_criterion_counts_heaps),
        cmocka_unit_test(ward_merges_by_the_increase_of_squares),
        cmocka_unit_test(densities_do_not_underflow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
