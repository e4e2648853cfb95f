/*
 * The spread of residuals within the strata of a plan, for change.h: strata, joined ones, and the variance of
 * the sum over the program.
 */
#ifndef RUBATO_ESTIMATE_CHANGE_SPREAD_H
#define RUBATO_ESTIMATE_CHANGE_SPREAD_H

#include "sampling/estimate/change/change.h"

/* Samples from which a spread is taken, if a kernel has that many. */
enum { CHANGE_ENOUGH = 6 };

/* A stratum, by its samples that count. */
typedef struct {
    uint64_t from, to;  /* samples */
    double size, draws; /* N_h, n_h */
    double time;        /* mean cycles */
    uint32_t name;      /* kernel */
    uint32_t group;     /* of joined strata */
    bool certain;       /* all of its launches were simulated */
    double spread;      /* of the times in the profile, relative; NAN: not known */
    double scale;       /* mean size of a sample's terms; set for one statistic */
} change_stratum_t;

typedef struct {
    const pairs_t *p;
    change_stratum_t *list; /* owned */
    size_t n;
    bool missing; /* a stratum has no sample that counts */
} change_strata_t;

/* p is borrowed. The caller frees s->list. */
void change_strata_make(change_strata_t *s, const pairs_t *p);

/* Whether a sample counts for its stratum: both runs simulated it, or one did and the other a part. */
bool change_has(const pairs_t *p, uint64_t sample);

/* The values of a sample among those of all. */
static inline const double *change_values(const double *all, uint64_t sample)
{
    return &all[sample * STAT_VALUES];
}

/* The mean of a number per sample over a stratum. */
double change_stratum_mean(const pairs_t *p, const change_stratum_t *h, const double *value);

/* A variance, and the sum for Satterthwaite's degrees of freedom. */
typedef struct {
    double variance, per_df;
    bool unknown, sampled, profile;
} change_spread_t;

/* Of the residuals d, one per sample, in strata that are joined until they have enough samples; scale is set. */
change_spread_t change_joined_spread(const change_strata_t *s, const double *d);

/* The same with strata of one sample as they are, by the spread of their times in the profile, which both
 * values have, and which may be against each other. unknown: that of some is not known. */
change_spread_t change_profile_spread(const change_strata_t *s, const double *d);

/* Half the width of an interval, and its degrees of freedom. */
double change_half(const change_spread_t *v, double confidence, double *df);

#endif
