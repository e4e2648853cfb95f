#include "tests/support/sampling/population_lab.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/alloc.h"
#include "tests/support/test.h"

lab_population_t lab_population(uint64_t n, uint32_t names)
{
    lab_population_t lab = {0};
    lab.name = rb_calloc(n, sizeof(*lab.name));
    lab.time = rb_calloc(n, sizeof(*lab.time));
    lab.insts = rb_calloc(n, sizeof(*lab.insts));
    lab.threads = rb_calloc(n, sizeof(*lab.threads));
    lab.requests = rb_calloc(n, sizeof(*lab.requests));
    lab.names = rb_calloc(names, sizeof(*lab.names));
    for (uint32_t i = 0; i < names; i++) {
        lab.names[i] = rb_calloc(1, 16);
        snprintf(lab.names[i], 16, "k%u", i);
    }
    for (uint64_t i = 0; i < n; i++) {
        lab.name[i] = (uint32_t)(i % names);
        lab.insts[i] = lab.threads[i] = lab.requests[i] = 1;
    }
    lab.pop = (population_t){.n = n,
                             .name = lab.name,
                             .names = (const char *const *)lab.names,
                             .n_names = names,
                             .time = lab.time};
    return lab;
}

/* Normally distributed with this mean and coefficient of variation, never near 0 or below. */
static double around(rng_t *rng, double mean, double spread)
{
    const double v = 1 + spread * rng_normal(rng);
    return mean * (v > 0.1 ? v : 0.1);
}

lab_population_t lab_kernels(const lab_kernel_t *kernels, uint32_t n, uint64_t seed)
{
    uint64_t all = 0, at = 0;
    rng_t rng = rng_make(seed, 0);
    for (uint32_t k = 0; k < n; k++)
        all += kernels[k].n;
    lab_population_t lab = lab_population(all, n);
    for (uint32_t k = 0; k < n; k++) {
        for (uint64_t i = 0; i < kernels[k].n; i++, at++) {
            const double peak = floor(kernels[k].peaks * rng_unit(&rng));
            lab.name[at] = k;
            lab.insts[at] = kernels[k].first * pow(kernels[k].factor, peak);
            lab.time[at] = around(&rng, lab.insts[at], kernels[k].spread);
        }
    }
    return lab;
}

lab_population_t lab_training(uint64_t steps, uint64_t seed)
{
    enum { KERNELS = 40, LAYERS = 12, STEP = 3 * LAYERS + KERNELS };
    rng_t rng = rng_make(seed, 0);
    double size[STEP], spread[KERNELS];
    uint32_t name[STEP];
    for (uint32_t k = 0; k < KERNELS; k++)
        spread[k] = k % 10 == 0 ? 0.8 : 0.02 * pow(15, rng_unit(&rng));
    for (uint32_t i = 0; i < STEP; i++) {
        name[i] = i < KERNELS ? i : i % 5; /* five kernels occur in every layer, in many sizes */
        size[i] = 1e4 * pow(100, rng_unit(&rng));
    }
    lab_population_t lab = lab_population(steps * STEP, KERNELS);
    for (uint64_t i = 0; i < steps * STEP; i++) {
        const uint32_t k = lab.name[i] = name[i % STEP];
        lab.insts[i] = size[i % STEP];
        lab.time[i] = spread[k] > 0.5 ? size[i % STEP] * exp(0.5 * rng_normal(&rng))
                                      : around(&rng, size[i % STEP], spread[k]);
    }
    return lab;
}

void lab_population_free(lab_population_t *lab)
{
    for (uint32_t i = 0; i < lab->pop.n_names; i++)
        free(lab->names[i]);
    free(lab->names);
    free(lab->name);
    free(lab->time);
    free(lab->insts);
    free(lab->threads);
    free(lab->requests);
}

plan_t lab_plan(const population_t *pop, const char *method, uint64_t seed)
{
    launch_choice_t choice;
    rb_err_t err = {0};
    plan_t plan = {0};
    if (launch_choice_parse(&choice, method, &err) != RB_OK ||
        launch_plan(&choice, pop, seed, &plan, &err) != RB_OK)
        fail_msg("%s: %s", method, err.text);
    launch_choice_free(&choice);
    return plan;
}

const char *lab_plan_error(const population_t *pop, const char *method)
{
    static rb_err_t err;
    launch_choice_t choice;
    plan_t plan = {0};
    err = (rb_err_t){0};
    if (launch_choice_parse(&choice, method, &err) == RB_OK) {
        if (launch_plan(&choice, pop, 1, &plan, &err) == RB_OK)
            fail_msg("%s: a plan was made", method);
        launch_choice_free(&choice);
    }
    assert_int_equal(rb_exit_code(err.code), 2);
    return err.text;
}

double lab_weighted(const plan_t *plan, const double *column)
{
    double sum = 0;
    for (uint64_t i = 0; i < plan->n_samples; i++)
        sum += plan->samples[i].weight * column[plan->samples[i].launch - 1];
    return sum;
}

void lab_know_counters(lab_population_t *lab)
{
    lab->pop.counter[POP_WARP_INSTS] = lab->insts;
    lab->pop.counter[POP_THREAD_INSTS] = lab->threads;
    lab->pop.counter[POP_REQUESTS] = lab->requests;
}

void lab_check_plan(const population_t *pop, const plan_t *p)
{
    uint64_t size = 0, at = 0;
    assert_int_equal(p->n_launches, pop->n);
    for (uint32_t c = 0; c < p->n_clusters; c++) {
        uint64_t draws = 0, before = 0;
        for (; at < p->n_samples && p->samples[at].cluster == c; at++) {
            const plan_sample_t *s = &p->samples[at];
            assert_true(s->launch > before && s->launch <= pop->n);
            assert_true(s->weight > 0 && isfinite(s->weight));
            draws += s->draws;
            before = s->launch;
        }
        assert_int_equal(draws, p->clusters[c].draws);
        assert_true(p->replacement || draws <= p->clusters[c].size);
        size += p->clusters[c].size;
    }
    assert_int_equal(at, p->n_samples);
    assert_int_equal(size, pop->n);
    assert_true(p->n_samples > 0);
    uint64_t *ids = calloc(p->n_samples, sizeof(*ids));
    assert_int_equal(plan_launches(p, ids), p->n_samples);
    free(ids);
}

bool lab_close(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fabs(b);
}
