#include "sampling/plan/plan.h"

#include <stdlib.h>

void plan_free(plan_t *plan)
{
    for (uint32_t i = 0; i < plan->n_names; i++)
        free(plan->names[i]);
    for (size_t i = 0; i < plan->n_warnings; i++)
        free(plan->warnings[i]);
    free(plan->method);
    free(plan->names);
    free(plan->clusters);
    free(plan->samples);
    free(plan->members);
    free(plan->warnings);
    if (plan->base != NULL)
        plan_free(plan->base);
    free(plan->base);
    *plan = (plan_t){0};
}

static int by_id(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

uint64_t plan_launches(const plan_t *plan, uint64_t *ids)
{
    uint64_t n = 0;
    for (uint64_t i = 0; i < plan->n_samples; i++)
        ids[i] = plan->samples[i].launch;
    qsort(ids, plan->n_samples, sizeof(*ids), by_id);
    for (uint64_t i = 0; i < plan->n_samples; i++) {
        if (n == 0 || ids[n - 1] != ids[i])
            ids[n++] = ids[i];
    }
    return n;
}

uint64_t plan_weights(const plan_t *plan, uint64_t *ids, double *weights)
{
    uint64_t n = plan_launches(plan, ids);
    for (uint64_t i = 0; i < n; i++)
        weights[i] = 0.0;
    for (uint64_t k = 0; k < plan->n_samples; k++) {
        const plan_sample_t *s = &plan->samples[k];
        const uint64_t *id = bsearch(&s->launch, ids, n, sizeof(*ids), by_id);
        weights[id - ids] += s->weight;
    }
    return n;
}

static int by_cluster(const void *a, const void *b)
{
    const plan_sample_t *x = a, *y = b;
    if (x->cluster != y->cluster)
        return x->cluster < y->cluster ? -1 : 1;
    return (x->launch > y->launch) - (x->launch < y->launch);
}

void plan_sort_samples(plan_t *plan)
{
    qsort(plan->samples, plan->n_samples, sizeof(*plan->samples), by_cluster);
}
