/* The sampler predict: predictions that are off by one factor are corrected exactly, the weights give the
 * estimate, and the interval holds where launches differ from their predictions at random. */
#include <math.h>
#include <stdlib.h>

#include "sampling/launch/launch_online.h"
#include "sampling/math/rng.h"
#include "tests/support/test.h"

enum { LAUNCHES = 400, KERNELS = 3 };
#define LATENCY 5000.0

typedef struct {
    double predicted[LAUNCHES], insts[LAUNCHES], cycles[LAUNCHES], total;
    uint32_t name[LAUNCHES];
    population_t pop;
} program_t;

/* noise: standard deviation of the logarithm of what the predictions do not know. */
static void make(program_t *p, double noise, uint64_t seed)
{
    static const char *const names[KERNELS] = {"a", "b", "c"};
    static const double factor[KERNELS] = {0.7, 1, 1.6};
    rng_t rng = rng_make(seed, 7);
    p->total = 0;
    for (unsigned i = 0; i < LAUNCHES; i++) {
        const double work = 100 * exp(3 * rng_unit(&rng));
        p->name[i] = (uint32_t)rng_below(&rng, KERNELS);
        p->insts[i] = 50 * work;
        p->predicted[i] = LATENCY + work;
        p->cycles[i] = LATENCY + work * factor[p->name[i]] * exp(noise * rng_normal(&rng));
        p->total += p->cycles[i];
    }
    p->pop = (population_t){.n = LAUNCHES,
                            .name = p->name,
                            .names = names,
                            .n_names = KERNELS,
                            .predicted = p->predicted,
                            .launch_latency = LATENCY};
    p->pop.counter[POP_WARP_INSTS] = p->insts;
}

/* Simulates what the sampler asks for. *share: of the instructions. */
static estimate_t sample(const program_t *p, const char *text, uint64_t seed, plan_t *plan,
                         double *share)
{
    launch_choice_t choice;
    rb_err_t err = {0};
    estimate_t e;
    const uint64_t *ids;
    uint64_t n;
    double all = 0;
    assert_int_equal(launch_choice_parse(&choice, text, &err), RB_OK);
    const launch_online_ops_t *ops = choice.method->online;
    void *s = ops->create(&choice, &p->pop, seed, &err);
    assert_non_null(s);
    *share = 0;
    for (;;) {
        assert_int_equal(ops->round(s, &ids, &n, &err), RB_OK);
        if (n == 0)
            break;
        for (uint64_t i = 0; i < n; i++) {
            assert_true(i == 0 || ids[i] > ids[i - 1]);
            ops->result(s, i, p->cycles[ids[i] - 1], 0);
            *share += p->insts[ids[i] - 1];
        }
    }
    for (unsigned i = 0; i < LAUNCHES; i++)
        all += p->insts[i];
    *share /= all;
    assert_int_equal(ops->finish(s, plan, &e, &err), RB_OK);
    ops->destroy(s);
    launch_choice_free(&choice);
    return e;
}

static double weighted(const program_t *p, const plan_t *plan)
{
    double sum = 0;
    for (uint64_t i = 0; i < plan->n_samples; i++)
        sum += plan->samples[i].weight * p->cycles[plan->samples[i].launch - 1];
    return sum;
}

static void a_factor_is_corrected_exactly(void **state)
{
    static program_t p;
    plan_t plan;
    double share;
    (void)state;
    make(&p, 0, 1);
    const estimate_t e = sample(&p, "predict:share=0.02", 1, &plan, &share);
    assert_true(fabs(e.value / p.total - 1) < 1e-9);
    assert_true(e.high - e.low < 1e-6 * p.total);
    assert_true(fabs(weighted(&p, &plan) / e.value - 1) < 1e-9);
    assert_true(plan.n_samples >= 2 * KERNELS && share < 0.05);
    plan_free(&plan);
    /* All of them: nothing is estimated. */
    const estimate_t whole = sample(&p, "predict:share=1", 1, &plan, &share);
    assert_string_equal(whole.method, "exact");
    assert_true(fabs(whole.value / p.total - 1) < 1e-12 && share == 1);
    plan_free(&plan);
}

static void the_interval_holds(void **state)
{
    enum { TRIALS = 300 };
    static program_t p;
    unsigned covered = 0;
    (void)state;
    for (unsigned i = 0; i < TRIALS; i++) {
        plan_t plan;
        double share;
        make(&p, 0.15, 100 + i);
        const estimate_t e = sample(&p, "predict:share=0.05", i, &plan, &share);
        covered += e.low <= p.total && p.total <= e.high;
        plan_free(&plan);
    }
    /* 95 % of 300, two standard deviations of a count of 300 below. */
    assert_true(covered >= 277);
}

static void one_launch_of_each_kernel_has_no_interval(void **state)
{
    static program_t p;
    plan_t plan;
    double share;
    (void)state;
    make(&p, 0.1, 3);
    const estimate_t e = sample(&p, "predict:share=0,pilot=1", 1, &plan, &share);
    assert_int_equal(plan.n_samples, KERNELS);
    assert_string_equal(e.method, "none");
    assert_true(isnan(e.low) && isfinite(e.value));
    plan_free(&plan);
    /* Nothing was predicted. */
    launch_choice_t choice;
    rb_err_t err = {0};
    p.pop.predicted = NULL;
    assert_int_equal(launch_choice_parse(&choice, "predict", &err), RB_OK);
    assert_null(choice.method->online->create(&choice, &p.pop, 1, &err));
    assert_int_equal(err.code, RB_USAGE);
    launch_choice_free(&choice);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_factor_is_corrected_exactly),
        cmocka_unit_test(the_interval_holds),
        cmocka_unit_test(one_launch_of_each_kernel_has_no_interval),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
