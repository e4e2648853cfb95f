/*
 * Totals of a plan as ratios to what the index of the trace knows (combined ratio estimators;
 * Cochran, Sampling Techniques, 1977, 6.11): counters that go along with instructions, sectors or
 * requests are scaled by what the samples miss or exceed of these. Counters are scaled in groups, so
 * that hits and lookups keep their quotient, and warp states still add up to the cycles.
 */
#ifndef RUBATO_ESTIMATE_INDEX_RATIO_H
#define RUBATO_ESTIMATE_INDEX_RATIO_H

#include "sampling/estimate/launch_values.h"
#include "sampling/estimate/stratified.h"

enum { RATIO_GROUPS = 21, RATIO_TIME = RATIO_GROUPS - 1 /* cycles and warp states */ };

/* What is known of a value's total. */
typedef enum {
    TOTAL_PLAIN,  /* the weighted sum */
    TOTAL_EXACT,  /* the index knows it */
    TOTAL_RATIO,  /* the weighted sum, scaled by the factor of its group */
    TOTAL_UNSEEN, /* part of a known sum of which no sample has anything */
    /* If times are scaled: */
    TOTAL_CYCLES,  /* the launch latencies, and the scaled rest */
    TOTAL_NO_WARP, /* what the cycles leave over for that state */
} total_kind_t;

typedef struct {
    double factor;    /* known total of the auxiliary over its weighted sum */
    double auxiliary; /* the weighted sum */
    double off;       /* by how much that misses what is known, relatively */
    bool untold; /* ... far more than the spread of the samples tells: they are alike by chance */
    bool used;
} ratio_group_t;

typedef struct index_ratio {
    double plain[STAT_VALUES];     /* weighted sums of the samples */
    double simulated[STAT_VALUES]; /* of what was simulated; no total is less */
    double known[STAT_VALUES]; /* what the index knows: its sums, divided in any way among parts */
    ratio_group_t group[RATIO_GROUPS];
    bool stated;               /* times are scaled to the cycles that the sampler states */
    double launch_cycles;      /* if all samples have the same launch latency: of all launches */
    uint8_t kind[STAT_VALUES]; /* total_kind_t */
    uint8_t of[STAT_VALUES];   /* group of a value; RATIO_GROUPS: none */
} index_ratio_t;

/* Without an index: all totals are weighted sums. */
void index_ratio_plain(index_ratio_t *r, const double sum[STAT_VALUES]);

/* The sums that decide over the groups, for each group and each sample of the plan: of counters, and
 * of the auxiliary. Owned; ratio_samples_free(). */
typedef struct {
    double *counters[RATIO_GROUPS], *auxiliary[RATIO_GROUPS];
    double least_latency, most_latency; /* launch latency of a sample, in cycles */
} ratio_samples_t;

void ratio_samples_begin(ratio_samples_t *s, uint64_t n_samples);
void ratio_samples_put(ratio_samples_t *s, uint64_t sample, const double values[STAT_VALUES]);
void ratio_samples_free(ratio_samples_t *s);

/*
 * Chooses for each group between weighted sum and ratio: the ratio if its estimated variance is
 * smaller by more than its standard error, and the auxiliary is known to 10 % (beyond, a ratio
 * is biased: Cochran, 6.8). Where the auxiliary shows that the spread of the samples says nothing
 * (untold), counters that go along with it closely are scaled, too.
 */
typedef struct {
    const double *sum;       /* weighted sums of the samples' values */
    const double *simulated; /* sums of what was simulated, of which no total is less */
    const plan_t *plan;
    const ratio_samples_t *samples;
    const launch_counts_t *known;
    bool keep_cycles; /* the index does not scale times: the cycles come from the sampler */
} ratio_input_t;
void index_ratio_choose(index_ratio_t *r, const ratio_input_t *in, const gpu_spec_t *spec);

/*
 * Scales times to the total cycles as a sampler states them, which may explain cycles by what the weights
 * do not know (online_size.h). Their spread stays that of the weighted sums.
 */
void index_ratio_state_cycles(index_ratio_t *r, double cycles);

/* If the index scales times: the terms of the total cycles' residual for each sample, in new memory; their
 * weighted sum has the variance of the total. *size: the sums of the sizes of what each is the
 * difference of, which follow them in the same memory. NULL: it does not. */
double *index_ratio_cycles(const index_ratio_t *r, const plan_t *plan, const ratio_samples_t *s,
                           const double **size);

/* Scales sums by the factors of their groups. Parts of known sums are not changed: see
 * known_counts_set(). */
void index_ratio_scale(const index_ratio_t *r, double values[STAT_VALUES]);

/*
 * By how much a form would differ if all counters were scaled that go along with what the index knows, or, where
 * the spread of the samples says nothing, if those were not that are; with the quotients of a rate as `scale` says.
 * Where samples are too few, or all alike, to tell that a counter goes along, it is not known which of the two is right.
 */
double index_ratio_doubt(const index_ratio_t *r, const linear_form_t *f, double scale);

/* What a form cannot exceed because it is part of a known sum; INFINITY: unknown. */
double index_ratio_most(const index_ratio_t *r, const linear_form_t *f);

/*
 * Adds to out, coefficients of a sample's values, those of the residual of `scale` times a form: its
 * weighted sum has the variance of the form's total. False: the form contains a TOTAL_UNSEEN.
 */
bool index_ratio_residual(const index_ratio_t *r, const linear_form_t *f, double scale,
                          double out[STAT_VALUES]);

#endif
