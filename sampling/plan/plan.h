/*
 * A plan: which launches of a program are simulated, and their weights in the total.
 *
 * An additive statistic of the whole program is estimated as the sum over the samples of weight
 * times value, with the same weights for cycles, instructions, misses and so on. estimate.h has
 * intervals; plan_json.h, plan_macsim.h and plan_list.h read and write plans.
 */
#ifndef RUBATO_PLAN_H
#define RUBATO_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint64_t launch;  /* id, from 1 */
    double weight;    /* how many launches it stands for */
    uint32_t cluster; /* index in plan_t.clusters */
    uint32_t draws;   /* how often it was drawn: 1 unless drawn with replacement */
    /* In plan_t.base: its cycles in the run that chose it; a number that launches of its kernel share. */
    double cycles;
    uint64_t kernel;
} plan_sample_t;

typedef struct {
    uint32_t name;   /* index into plan_t.names: the kernel, or what the launches share */
    uint64_t size;   /* launches it stands for */
    uint64_t draws;  /* total draws of its samples */
    double mean, sd; /* of the launches' times in the profile; sd with n; NAN: unknown */
    double
        untold; /* relative error that its samples do not show (plan_untold.h); 0: none is known */
} plan_cluster_t;

/* A launch of the program and the cluster to which it belongs. */
typedef struct {
    uint64_t launch; /* id */
    uint32_t cluster;
    double size; /* time in the profile, else warp instructions, else 1 */
} plan_member_t;

typedef struct plan {
    char *method; /* owned: the sampler with all options, in the syntax of --sample */
    uint64_t seed;
    uint64_t n_launches; /* in the whole program */

    char **names; /* owned, including each name */
    uint32_t n_names;
    plan_cluster_t *clusters; /* owned */
    uint32_t n_clusters;
    plan_sample_t *samples; /* owned; ordered by cluster, then launch */
    uint64_t n_samples;
    plan_member_t *members; /* owned; n_launches, by launch; NULL: not known (a plan from a file) */

    bool random;      /* samples are drawn at random within clusters, so intervals are possible */
    bool replacement; /* drawn with replacement */
    bool part;        /* drawn from another plan's samples, for a change (estimate/change_part.h) */
    struct plan *base; /* owned; part: that plan; NULL: not known */

    /* For the profiled GPU; NAN if the population has no times. */
    double profile_total;     /* sum of all times: nanoseconds or cycles, as in the profile */
    bool profile_cycles;      /* times are core cycles */
    double predicted_total;   /* total estimated from the samples' own times */
    double predicted_speedup; /* profile_total divided by the time of the distinct samples */
    double error_bound;       /* relative, at `confidence`; NAN if the method gives none */
    double confidence;        /* of error_bound */

    char **warnings; /* owned, including each text */
    size_t n_warnings;
} plan_t;

void plan_free(plan_t *plan);

/* Sorts the samples by cluster, then by launch, as plans require. */
void plan_sort_samples(plan_t *plan);

/* Writes the distinct launches of the samples, ascending, to ids (room for n_samples). Returns how
 * many. */
uint64_t plan_launches(const plan_t *plan, uint64_t *ids);

/* The same, with the weight of each launch: the sum over its samples. */
uint64_t plan_weights(const plan_t *plan, uint64_t *ids, double *weights);

#endif
