/*
 * A plan: which launches of a program are simulated, and what each counts for in the total.
 *
 * An additive statistic of the whole program is estimated as the sum over the samples of weight
 * times the sample's value: the same weights for cycles, instructions, misses. Intervals and
 * rates: estimate.h. Plans as files: plan_json.h,
 * plan_macsim.h, plan_list.h.
 */
#ifndef RUBATO_PLAN_H
#define RUBATO_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint64_t launch;  /* id, from 1 */
    double weight;    /* what one unit of it counts for */
    uint32_t cluster; /* index in plan_t.clusters */
    uint32_t draws;   /* times it was drawn: 1 unless drawn with replacement */
} plan_sample_t;

typedef struct {
    uint32_t name;   /* index in plan_t.names: the kernel, or what the launches share */
    uint64_t size;   /* launches it stands for */
    uint64_t draws;  /* of its samples, together */
    double mean, sd; /* of the launches' times in the profile; sd of the population; NAN: unknown */
} plan_cluster_t;

typedef struct {
    char *method; /* owned: the sampler with every option, as --sample takes it */
    uint64_t seed;
    uint64_t n_launches; /* of the whole program */

    char **names; /* owned, each of them too */
    uint32_t n_names;
    plan_cluster_t *clusters; /* owned */
    uint32_t n_clusters;
    plan_sample_t *samples; /* owned; by cluster, then by launch */
    uint64_t n_samples;

    bool random;      /* samples are drawn at random within clusters: intervals are possible */
    bool replacement; /* ... with replacement */

    /* On the profiled GPU; NAN where the population had no times. */
    double profile_total;     /* sum of all times: nanoseconds or cycles, as the profile has them */
    bool profile_cycles;      /* times are core cycles */
    double predicted_total;   /* what the samples' own times give */
    double predicted_speedup; /* profile_total over the time of the distinct samples */
    double error_bound;       /* relative, at confidence; NAN where the method gives none */
    double confidence;        /* of error_bound */

    char **warnings; /* owned, each of them too */
    size_t n_warnings;
} plan_t;

void plan_free(plan_t *plan);

/* Orders the samples by cluster, then by launch, as plans have them. */
void plan_sort_samples(plan_t *plan);

/* Distinct launches that are simulated, ascending by id. Writes n_samples values at most; returns
 * how many. */
uint64_t plan_launches(const plan_t *plan, uint64_t *ids);

/* The same, and what each launch counts for: the sum of the weights of its samples. */
uint64_t plan_weights(const plan_t *plan, uint64_t *ids, double *weights);

#endif
