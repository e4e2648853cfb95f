#include "bench/sampling/sampling_bound.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sampling/launch/launch_sampler.h"
#include "sampling/math/rng.h"
#include "sampling/math/two_means.h"
#include "sim/core/alloc.h"

enum { NAME = 24 };

static const double bound = 0.05;

/* Launches of k kernels, each with lognormal times around its own mean. */
typedef struct {
    population_t pop;
    double *time;
    uint32_t *name;
    const char **names;
} kernels_t;

static kernels_t make_kernels(uint64_t n, uint32_t k, double cov)
{
    kernels_t p = {.time = rb_calloc(n, sizeof(*p.time)),
                   .name = rb_calloc(n, sizeof(*p.name)),
                   .names = rb_calloc(k, sizeof(*p.names))};
    char *text = rb_calloc(k, NAME);
    rng_t rng = rng_make(11, k);
    double sigma = sqrt(log(1 + cov * cov));
    for (uint32_t i = 0; i < k; i++) {
        snprintf(text + (size_t)i * NAME, NAME, "kernel%u", i);
        p.names[i] = text + (size_t)i * NAME;
    }
    for (uint64_t i = 0; i < n; i++) {
        p.name[i] = (uint32_t)(i % k);
        p.time[i] = exp((double)(p.name[i] * 7 % 20) * 0.1 + sigma * rng_normal(&rng));
    }
    p.pop = (population_t){.n = n, .name = p.name, .names = p.names, .n_names = k, .time = p.time};
    return p;
}

static void free_kernels(kernels_t *p)
{
    free((void *)(uintptr_t)p->names[0]);
    free(p->names);
    free(p->name);
    free(p->time);
}

/* Results of many plans of one method. */
typedef struct {
    double outside, samples, p95;
} trials_t;

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static trials_t try_method(const population_t *pop, const char *method, uint64_t trials)
{
    launch_choice_t choice;
    rb_err_t err = {0};
    trials_t t = {0};
    double *error = rb_calloc(trials, sizeof(*error));
    if (launch_choice_parse(&choice, method, &err) != RB_OK)
        rb_panic("%s", err.text);
    for (uint64_t seed = 0; seed < trials; seed++) {
        plan_t plan;
        if (launch_plan(&choice, pop, seed, &plan, &err) != RB_OK)
            rb_panic("%s", err.text);
        error[seed] = fabs(plan.predicted_total / plan.profile_total - 1);
        t.outside += error[seed] > bound ? 1 / (double)trials : 0;
        for (uint32_t c = 0; c < plan.n_clusters; c++)
            t.samples += (double)plan.clusters[c].draws / (double)trials;
        plan_free(&plan);
    }
    qsort(error, trials, sizeof(*error), by_value);
    t.p95 = error[(uint64_t)ceil(0.95 * (double)trials) - 1];
    free(error);
    launch_choice_free(&choice);
    return t;
}

void bound_equation6(uint64_t trials)
{
    static const uint32_t kernels[] = {4, 20, 100};
    printf("kernels  P(error > 5 %%) derived  printed\n");
    for (size_t i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++) {
        kernels_t p = make_kernels(1000ull * kernels[i], kernels[i], 0.6);
        trials_t derived = try_method(&p.pop, "stem:root=off", trials);
        trials_t printed = try_method(&p.pop, "stem:root=off,variant=paper", trials);
        printf("%7u  %20.2f %%  %5.2f %%\n", kernels[i], 100 * derived.outside,
               100 * printed.outside);
        fflush(stdout);
        free_kernels(&p);
    }
}

/* Raises times to a power so that these launches themselves, not only their distribution, have
 * this CoV. */
static void set_spread(double *time, uint64_t n, double cov)
{
    enum { STEPS = 60 };
    double low = 0.1, high = 10, *changed = rb_calloc(n, sizeof(*changed));
    for (int i = 0; i < STEPS; i++) {
        double power = (low + high) / 2;
        for (uint64_t k = 0; k < n; k++)
            changed[k] = pow(time[k], power);
        spread_t s = spread_of(changed, n);
        if (s.sd < cov * s.mean)
            low = power;
        else
            high = power;
    }
    memcpy(time, changed, n * sizeof(*time));
    free(changed);
}

void bound_replacement(uint64_t trials)
{
    /* Those of the derivation: 348 and 1713 draws meet a bound of 5 %. */
    static const struct {
        uint64_t n;
        double cov;
    } sizes[] = {{400, 0.4757}, {1000, 1.0557}};
    printf("launches  with replacement: draws      p95  without: samples      p95\n");
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        kernels_t p = make_kernels(sizes[i].n, 1, sizes[i].cov);
        set_spread(p.time, sizes[i].n, sizes[i].cov);
        trials_t with = try_method(&p.pop, "stem:root=off,variant=paper", trials);
        trials_t without = try_method(&p.pop, "stem:root=off", trials);
        printf("%8llu  %23.0f  %5.2f %%  %16.0f  %5.2f %%\n", (unsigned long long)sizes[i].n,
               with.samples, 100 * with.p95, without.samples, 100 * without.p95);
        fflush(stdout);
        free_kernels(&p);
    }
}
