/* Functions with which a method fills a plan. Rows are those of the population, from 0. */
#ifndef RUBATO_PLAN_BUILD_H
#define RUBATO_PLAN_BUILD_H

#include "sampling/plan/plan.h"
#include "sampling/plan/population.h"
#include "sim/core/err.h"

typedef struct plan_build {
    const struct launch_method *method; /* the method that makes the plan */
    plan_t *plan;
    const population_t *pop;
    uint64_t seed;
    const plan_t *other;  /* plan of the sampler that the options name (launch_method_t.like) */
    uint32_t *cluster_of; /* row -> cluster; the method sets every row */

    /* Private to the builder. */
    size_t names_cap, clusters_cap, samples_cap, warnings_cap;
    uint32_t *name_in_plan; /* name in the population -> name in the plan + 1 */
} plan_build_t;

/* Adds a cluster that has a name of the population. Returns its index. */
uint32_t build_cluster(plan_build_t *b, uint32_t name, uint64_t size, double mean, double sd);

/* Adds a cluster with its own name, such as "cluster 3". */
uint32_t build_cluster_named(plan_build_t *b, const char *name, uint64_t size);

/* Sets mean and sd of the times of each cluster, if times are known, from cluster_of. */
void build_spreads(plan_build_t *b);

void build_sample(plan_build_t *b, uint32_t cluster, uint32_t row, double weight, uint32_t draws);

/* Draws m of the n rows of a cluster at random, each draw with weight n / m. Each cluster has its
 * own stream of random numbers. */
void build_draw(plan_build_t *b, uint32_t cluster, const uint32_t *rows, uint64_t n, uint64_t m,
                bool replacement);

void build_warning(plan_build_t *b, const char *fmt, ...) RB_PRINTF(2, 3);

/* Kernel name of a row, or "launch". */
const char *build_row_name(const population_t *pop, uint64_t row);

#endif
