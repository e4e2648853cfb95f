/*
 * The change between two points, from the launches that both simulated: populations whose change is known,
 * drawn from many times.
 */
#include "tests/support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sampling/estimate/change/change.h"
#include "sampling/math/rng.h"
#include "sim/core/alloc.h"

enum { STRATA = 6, EACH = 60, LAUNCHES = STRATA * EACH, DRAWS = 1000 };

static const stat_form_t cycles = {.num = {{{VALUE_CYCLES, 1}}, 1}, .most = INFINITY};
/* A share: blocks per launched block, for want of better names. */
static const stat_form_t share = {
    .num = {{{VALUE_BLOCKS, 1}}, 1}, .den = {{{VALUE_WARP_INSTS, 1}}, 1}, .most = 1};

/* All launches of a program at two points. */
typedef struct {
    double *a, *b;   /* STAT_VALUES each */
    double own;      /* spread of a launch's change, relative */
    double from, to; /* share of hits at the two points */
} program_t;

static double normal(rng_t *rng)
{
    return sqrt(-2 * log(1 - rng_unit(rng))) * cos(6.283185307179586 * rng_unit(rng));
}

/* Strata change by different factors; the lengths of launches vary much more than their change. */
static program_t make(double own, double factor, double from, double to)
{
    program_t p = {.own = own, .from = from, .to = to};
    rng_t rng = rng_make(7, 0);
    p.a = rb_calloc(LAUNCHES * STAT_VALUES, sizeof(double));
    p.b = rb_calloc(LAUNCHES * STAT_VALUES, sizeof(double));
    for (size_t i = 0; i < LAUNCHES; i++) {
        double *a = &p.a[i * STAT_VALUES], *b = &p.b[i * STAT_VALUES];
        const size_t h = i / EACH;
        a[VALUE_CYCLES] = 1000 * (double)(h + 1) * exp(0.5 * normal(&rng));
        b[VALUE_CYCLES] = a[VALUE_CYCLES] * (1 + factor * (double)h) * (1 + own * normal(&rng));
        a[VALUE_WARP_INSTS] = b[VALUE_WARP_INSTS] = a[VALUE_CYCLES];
        const double hits = 0.1 * normal(&rng);
        a[VALUE_BLOCKS] = a[VALUE_WARP_INSTS] * (from + hits);
        b[VALUE_BLOCKS] = b[VALUE_WARP_INSTS] * (to + hits + own * normal(&rng));
    }
    return p;
}

static void program_free(program_t *p)
{
    free(p->a);
    free(p->b);
}

static double sum_of(const double *all, size_t value)
{
    double sum = 0;
    for (size_t i = 0; i < LAUNCHES; i++)
        sum += all[i * STAT_VALUES + value];
    return sum;
}

/* A plan, and the values of its samples. */
typedef struct {
    plan_t plan;
    plan_cluster_t clusters[STRATA];
    plan_sample_t samples[LAUNCHES];
    double *a, *b;
    pairs_t pairs;
} drawn_t;

/* Draws `each` launches of each stratum. */
static drawn_t *draw(const program_t *p, unsigned each, uint64_t seed)
{
    drawn_t *d = rb_calloc(1, sizeof(*d));
    rng_t rng = rng_make(seed, 1);
    d->a = rb_calloc((size_t)STRATA * each * STAT_VALUES, sizeof(double));
    d->b = rb_calloc((size_t)STRATA * each * STAT_VALUES, sizeof(double));
    size_t n = 0;
    for (uint32_t h = 0; h < STRATA; h++) {
        d->clusters[h] = (plan_cluster_t){
            .name = h / 2, .size = EACH, .draws = each, .mean = (double)NAN, .sd = (double)NAN};
        for (size_t i = 0, left = each; i < EACH && left > 0; i++) {
            if (rng_unit(&rng) * (double)(EACH - i) >= (double)left)
                continue;
            const size_t launch = h * EACH + i;
            d->samples[n] = (plan_sample_t){
                .launch = launch + 1, .weight = (double)EACH / each, .cluster = h, .draws = 1};
            memcpy(&d->a[n * STAT_VALUES], &p->a[launch * STAT_VALUES],
                   STAT_VALUES * sizeof(double));
            memcpy(&d->b[n * STAT_VALUES], &p->b[launch * STAT_VALUES],
                   STAT_VALUES * sizeof(double));
            n++;
            left--;
        }
    }
    d->plan = (plan_t){.n_launches = LAUNCHES,
                       .clusters = d->clusters,
                       .n_clusters = STRATA,
                       .samples = d->samples,
                       .n_samples = n,
                       .random = true};
    d->pairs = (pairs_t){.plan = &d->plan, .a = d->a, .b = d->b, .confidence = 0.95};
    return d;
}

static void drawn_free(drawn_t *d)
{
    free(d->a);
    free(d->b);
    free(d);
}

/* Of runs that have no error of the chip's state. */
static change_t one_change(const pairs_t *pairs, const stat_form_t *a, const stat_form_t *b,
                           change_kind_t kind)
{
    pairs_t p = *pairs;
    p.whole_a = p.whole_b = true;
    paired_t *paired = paired_create(&p);
    const change_t c = paired_change(paired, a, b, kind);
    paired_free(paired);
    return c;
}

/* What many draws say of a change that is known. */
typedef struct {
    double covered, bias, half; /* mean of the error, of half the width */
} drawing_t;

static drawing_t draw_often(const program_t *p, unsigned each, const stat_form_t *f,
                            change_kind_t kind, double truth)
{
    drawing_t all = {0};
    for (uint64_t seed = 1; seed <= DRAWS; seed++) {
        drawn_t *d = draw(p, each, seed);
        const change_t c = one_change(&d->pairs, f, f, kind);
        assert_null(c.reason);
        all.covered += (c.low <= truth && truth <= c.high) / (double)DRAWS;
        all.bias += (c.change - truth) / DRAWS;
        all.half += (c.high - c.low) / 2 / DRAWS;
        drawn_free(d);
    }
    return all;
}

static void check_covered(const char *what, const drawing_t *d, double least)
{
    if (d->covered < least || d->covered > 0.98)
        fail_msg("%s: %.1f %% of the intervals hold (half width %g, bias %g)", what,
                 100 * d->covered, d->half, d->bias);
    if (fabs(d->bias) > 0.1 * d->half)
        fail_msg("%s: the bias is %g, half the width %g", what, d->bias, d->half);
}

static void intervals_of_a_change_hold(void **state)
{
    program_t p = make(0.02, 0.01, 0.3, 0.4);
    (void)state;
    const double truth = sum_of(p.b, VALUE_CYCLES) / sum_of(p.a, VALUE_CYCLES) - 1;
    const drawing_t time = draw_often(&p, 5, &cycles, CHANGE_RELATIVE, truth);
    check_covered("cycles", &time, 0.92);
    const double points = sum_of(p.b, VALUE_BLOCKS) / sum_of(p.b, VALUE_WARP_INSTS) -
                          sum_of(p.a, VALUE_BLOCKS) / sum_of(p.a, VALUE_WARP_INSTS);
    const drawing_t rate = draw_often(&p, 5, &share, CHANGE_POINTS, points);
    check_covered("a share", &rate, 0.92);
    /* The lengths vary by half; two independent samples would not see a change of some per cent. */
    assert_true(time.half < 0.02);
    program_free(&p);
}

/* Strata of one sample are joined with others, which makes the interval wider rather than narrower. */
static void strata_of_one_sample_are_joined(void **state)
{
    program_t p = make(0.02, 0.01, 0.3, 0.4);
    (void)state;
    const double truth = sum_of(p.b, VALUE_CYCLES) / sum_of(p.a, VALUE_CYCLES) - 1;
    unsigned covered = 0;
    for (uint64_t seed = 1; seed <= DRAWS; seed++) {
        drawn_t *d = draw(&p, 1, seed);
        const change_t c = one_change(&d->pairs, &cycles, &cycles, CHANGE_RELATIVE);
        assert_null(c.reason);
        assert_true(c.df < 4);
        covered += c.low <= truth && truth <= c.high;
        drawn_free(d);
    }
    if (covered < 0.92 * DRAWS)
        fail_msg("%u of %d intervals hold", covered, DRAWS);
    program_free(&p);
}

static void where_nothing_changes_nothing_is_said_to(void **state)
{
    program_t p = make(0.02, 0, 0.3, 0.3);
    (void)state;
    /* The same launches: no width. */
    drawn_t *d = draw(&p, 3, 1);
    d->pairs.b = d->pairs.a;
    const change_t same = one_change(&d->pairs, &cycles, &cycles, CHANGE_RELATIVE);
    assert_true(same.change == 0 && same.low == 0 && same.high == 0);
    assert_true(change_is_none(&same));
    drawn_free(d);
    /* Each launch changes, but not the program: its sum is made equal. */
    const double r = sum_of(p.a, VALUE_CYCLES) / sum_of(p.b, VALUE_CYCLES);
    for (size_t i = 0; i < LAUNCHES; i++)
        p.b[i * STAT_VALUES + VALUE_CYCLES] *= r;
    unsigned changed = 0;
    for (uint64_t seed = 1; seed <= DRAWS; seed++) {
        d = draw(&p, 5, seed);
        const change_t c = one_change(&d->pairs, &cycles, &cycles, CHANGE_RELATIVE);
        changed += !change_is_none(&c);
        drawn_free(d);
    }
    if (changed > 0.07 * DRAWS)
        fail_msg("%u of %d draws say that something changes", changed, DRAWS);
    program_free(&p);
}

static void launches_that_both_simulated_completely_are_exact(void **state)
{
    program_t p = make(0.05, 0.1, 0.3, 0.5);
    drawn_t *d = draw(&p, EACH, 1);
    (void)state;
    const change_t c = one_change(&d->pairs, &cycles, &cycles, CHANGE_RELATIVE);
    const double truth = sum_of(p.b, VALUE_CYCLES) / sum_of(p.a, VALUE_CYCLES) - 1;
    assert_string_equal(c.method, "exact");
    assert_true(c.low == c.high && fabs(c.change - truth) < 1e-12);
    drawn_free(d);
    program_free(&p);
}

/* One point may have simulated less; a stratum of which both have nothing leaves no pair. */
static void launches_that_one_point_lacks_do_not_count(void **state)
{
    program_t p = make(0.02, 0.01, 0.3, 0.4);
    drawn_t *d = draw(&p, 6, 3), *less = draw(&p, 6, 3);
    bool both[LAUNCHES];
    (void)state;
    for (size_t i = 0; i < LAUNCHES; i++)
        both[i] = i % 2 == 0;
    less->pairs.both = both;
    for (size_t i = 1; i < less->plan.n_samples; i += 2)
        less->b[i * STAT_VALUES + VALUE_CYCLES] = (double)NAN;
    const change_t all = one_change(&d->pairs, &cycles, &cycles, CHANGE_RELATIVE);
    const change_t half = one_change(&less->pairs, &cycles, &cycles, CHANGE_RELATIVE);
    assert_null(half.reason);
    assert_true(half.high - half.low > all.high - all.low && half.df < all.df);
    for (size_t i = 0; i < 6; i++)
        both[i] = false;
    const change_t none = one_change(&less->pairs, &cycles, &cycles, CHANGE_RELATIVE);
    assert_non_null(none.reason);
    assert_true(isnan(none.low));
    drawn_free(d);
    drawn_free(less);
    program_free(&p);
}

/* What a sampler inside launches leaves open is added. */
static void errors_inside_launches_are_added(void **state)
{
    program_t p = make(0.0, 0, 0.3, 0.3);
    drawn_t *d = draw(&p, EACH, 1);
    double inside[LAUNCHES], nothing[LAUNCHES] = {0};
    (void)state;
    for (size_t i = 0; i < LAUNCHES; i++)
        inside[i] = 10000;
    d->pairs.inside_a = nothing;
    d->pairs.inside_b = inside;
    const change_t c = one_change(&d->pairs, &cycles, &cycles, CHANGE_RELATIVE);
    const double want = 1.959963985 * 100 * sqrt(LAUNCHES) / sum_of(p.a, VALUE_CYCLES);
    assert_true(fabs((c.high - c.low) / 2 / want - 1) < 1e-6);
    const change_t other = one_change(&d->pairs, &share, &share, CHANGE_POINTS);
    assert_true(isnan(other.low) && other.reason != NULL);
    drawn_free(d);
    program_free(&p);
}

static void independent_intervals_add_up(void **state)
{
    const uncertain_t a = {100, 97, 103}, b = {110, 106, 114}, exact = {110, 110, 110};
    (void)state;
    const change_t c = change_independent(&a, &b, CHANGE_RELATIVE);
    assert_true(fabs(c.change - 0.1) < 1e-12 &&
                fabs(c.high - c.change - hypot(0.04, 0.033)) < 1e-12);
    const change_t full = change_independent(&exact, &exact, CHANGE_POINTS);
    assert_string_equal(full.method, "exact");
    assert_true(change_is_none(&full));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intervals_of_a_change_hold),
        cmocka_unit_test(strata_of_one_sample_are_joined),
        cmocka_unit_test(where_nothing_changes_nothing_is_said_to),
        cmocka_unit_test(launches_that_both_simulated_completely_are_exact),
        cmocka_unit_test(launches_that_one_point_lacks_do_not_count),
        cmocka_unit_test(errors_inside_launches_are_added),
        cmocka_unit_test(independent_intervals_add_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
