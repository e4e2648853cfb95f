/*
 * stem:variant=artifact against the algorithm published as code, rewritten here in its simplest
 * form: halves by trying every division, sizes with no limit except rounding up.
 */
#include "tests/support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sampling/math/quantile.h"
#include "tests/support/sampling/population_lab.h"

enum { LEAVES = 4096 };

typedef struct {
    uint64_t size, draws;
} leaf_t;

typedef struct {
    double c; /* standard errors over the bound */
    leaf_t leaf[LEAVES];
    uint32_t n;
} published_t;

static int ascending(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static double mean_of(const double *x, uint64_t n)
{
    double sum = 0;
    for (uint64_t i = 0; i < n; i++)
        sum += x[i];
    return sum / (double)n;
}

/* About the mean: equal values give exactly 0. */
static double squares_of(const double *x, uint64_t n)
{
    double mean = mean_of(x, n), sum = 0;
    for (uint64_t i = 0; x[0] < x[n - 1] && i < n; i++)
        sum += (x[i] - mean) * (x[i] - mean);
    return sum;
}

static double deviation_of(const double *x, uint64_t n)
{
    return sqrt(squares_of(x, n) / (double)n);
}

static uint64_t best_cut(const double *x, uint64_t n)
{
    uint64_t at = 0;
    double least = INFINITY;
    for (uint64_t i = 1; i < n; i++) {
        double both = squares_of(x, i) + squares_of(x + i, n - i);
        if (x[i - 1] < x[i] && both < least) {
            least = both;
            at = i;
        }
    }
    return at;
}

static void add_leaf(published_t *p, uint64_t size, double draws)
{
    assert_true(p->n < LEAVES);
    p->leaf[p->n++] = (leaf_t){size, (uint64_t)fmin(draws, (double)size)};
}

/* A cluster of n sorted durations that costs `cost` with `draws` samples. */
static void divide(published_t *p, const double *x, uint64_t n, double draws)
{
    if (n == 1) {
        add_leaf(p, 1, 1);
        return;
    }
    double cost = draws * mean_of(x, n);
    if (!(cost > 0)) {
        add_leaf(p, n, draws);
        return;
    }
    uint64_t cut = best_cut(x, n);
    const double *half[] = {x, x + cut};
    uint64_t size[] = {cut, n - cut};
    double roots = 0, total = 0, asked[2], divided = 0;
    for (int i = 0; i < 2; i++) {
        double mean = mean_of(half[i], size[i]);
        roots += (double)size[i] * deviation_of(half[i], size[i]) * sqrt(mean);
        total += (double)size[i] * mean;
    }
    for (int i = 0; i < 2; i++) {
        double mean = mean_of(half[i], size[i]), sd = deviation_of(half[i], size[i]);
        asked[i] =
            sd > 0 ? ceil(roots / pow(total / p->c, 2) * (double)size[i] * sd / sqrt(mean)) : 0;
        divided += asked[i] * mean;
    }
    if (divided > cost * (1 + 1e-12)) { /* halves of equal size: often equal except for rounding */
        add_leaf(p, n, draws);
        return;
    }
    for (int i = 0; i < 2; i++)
        divide(p, half[i], size[i], asked[i]);
}

static void publish(published_t *p, const lab_population_t *lab, double epsilon)
{
    double *x = malloc(lab->pop.n * sizeof(*x));
    *p = (published_t){.c = interval_factor(0.95, INFINITY) / epsilon};
    for (uint32_t k = 0; k < lab->pop.n_names; k++) {
        uint64_t n = 0;
        for (uint64_t i = 0; i < lab->pop.n; i++) {
            if (lab->name[i] == k)
                x[n++] = lab->time[i];
        }
        qsort(x, n, sizeof(*x), ascending);
        divide(p, x, n, ceil(pow(p->c * deviation_of(x, n) / mean_of(x, n), 2)));
    }
    free(x);
}

static int by_size(const void *a, const void *b)
{
    const leaf_t *x = a, *y = b;
    if (x->size != y->size)
        return x->size < y->size ? -1 : 1;
    return (x->draws > y->draws) - (x->draws < y->draws);
}

static void expect_published(const lab_population_t *lab)
{
    published_t *p = malloc(sizeof(*p));
    publish(p, lab, 0.05);
    plan_t plan = lab_plan(&lab->pop, "stem:variant=artifact", 1);
    assert_int_equal(plan.n_clusters, p->n);
    leaf_t *got = calloc(plan.n_clusters, sizeof(*got));
    for (uint32_t i = 0; i < plan.n_clusters; i++)
        got[i] = (leaf_t){plan.clusters[i].size, plan.clusters[i].draws};
    qsort(got, plan.n_clusters, sizeof(*got), by_size);
    qsort(p->leaf, p->n, sizeof(*p->leaf), by_size);
    assert_memory_equal(got, p->leaf, p->n * sizeof(*got));
    lab_check_plan(&lab->pop, &plan);
    plan_free(&plan);
    free(got);
    free(p);
}

/* Several launches of a kernel take the same time, as in profilers with integer times; but the
 * steps are uneven, so no two divisions are equally good. */
static void artifact_divides_and_draws_as_published(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        lab_population_t lab = lab_population(300 * (1 + seed % 3), 1 + (uint32_t)(seed % 5));
        rng_t rng = rng_make(seed, 0);
        for (uint64_t i = 0; i < lab.pop.n; i++) {
            double scale = i % 4 == 0 ? 400 : 20, spread = seed % 2 ? 0.05 : 0.8;
            lab.time[i] = pow(1 + floor(scale * exp(spread * rng_normal(&rng))), 1.37);
        }
        expect_published(&lab);
        lab_population_free(&lab);
    }
}

/*
 * Kernel k0 has two peaks without width. Eq. 3 asks for 171 samples of its 100 launches, and for
 * none of its halves, so it is divided and dropped. k1 has one launch in 100 of another kind.
 */
static void artifact_drops_clusters_without_a_sample(void **state)
{
    (void)state;
    lab_population_t lab = lab_population(200, 2);
    for (uint64_t i = 0; i < 200; i += 2)
        lab.time[i] = i % 4 == 0 ? 100 : 200;
    for (uint64_t i = 1; i < 200; i += 2)
        lab.time[i] = i == 1 ? 5000 : 10;
    expect_published(&lab);
    plan_t p = lab_plan(&lab.pop, "stem:variant=artifact", 1);
    assert_int_equal(p.n_clusters, 4);
    assert_int_equal(p.n_samples, 1);
    assert_int_equal(p.samples[0].launch, 2);
    assert_true(lab_close(p.predicted_total, 5000));
    assert_true(isnan(p.error_bound));
    assert_non_null(strstr(p.warnings[0], "3 of 4 clusters (199 launches, 76.2 % of the time)"));
    plan_free(&p);
    /* The derived variant has samples of each, two where there are two launches, and is exact
     * here. */
    p = lab_plan(&lab.pop, "stem", 1);
    assert_int_equal(p.n_samples, 3 * 2 + 1);
    assert_true(lab_close(p.predicted_total, p.profile_total));
    plan_free(&p);
    lab.time[1] = 10;
    assert_non_null(strstr(lab_plan_error(&lab.pop, "stem:variant=artifact"), "variant=derived"));
    lab_population_free(&lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(artifact_divides_and_draws_as_published),
        cmocka_unit_test(artifact_drops_clusters_without_a_sample),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
