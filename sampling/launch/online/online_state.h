/*
 * What the launches simulated so far say about the total, for samplers that choose in rounds.
 *
 * The variance is that of stratified sampling, with the finite-population correction and the errors
 * inside launches (two-stage sampling; Cochran, Sampling Techniques, 1977, chapters 5 and 11). On
 * top of it, the interval allows for what a variance does not show:
 * - few degrees of freedom: those of the samples, or fewer if the kurtosis of a group says so;
 * - skewness: the side of the long tail is farther off (skew_allowance());
 * - slow launches that no sample met: of m samples none was slow, so at most about 3 / m of all
 *   launches are (at 95 %). They are assumed to be as slow as the slowest launch met among launches
 *   that look the same; or, if that is more, as slow as the chip allows (extra), and at most a share
 *   `rare` of all. Where what the chip allows is unknown, they may be `slow` times as long as others;
 *   where that is unknown, too, no interval can be stated (unbounded) before samples exclude `rare`;
 * - tails without a variance: then no interval can be stated, and heavy is set.
 */
#ifndef RUBATO_ONLINE_STATE_H
#define RUBATO_ONLINE_STATE_H

#include "sampling/launch/stem/stem_strata.h"

/* The samples of one stratum. */
typedef struct {
    uint64_t n, m;        /* launches, samples */
    const double *cycles; /* m of them */
    const double *within; /* variance of each, from errors inside launches */
} stratum_sample_t;

typedef struct {
    double
        slow; /* length of a slow launch that no sample met, in means of its group; 0: not given */
    const double
        *extra;  /* per group: cycles that such a launch takes longer, at most; NULL: unknown */
    double rare; /* assumed limit of the share of such launches */
    double confidence; /* for the share of such launches that samples exclude */
} online_assume_t;

typedef struct {
    double total;
    double variance; /* of the total, from the choice of launches */
    double within;   /* ... and from errors inside launches; NAN: unknown */
    double df;       /* degrees of freedom of variance */
    double skew;     /* of the estimate */
    double unseen;   /* cycles that slow launches that no sample met may add */
    /* Length of the slowest launch met among those that look the same, in medians of their neighbours;
     * of the slowest one allowed for, in means; share of all launches that such ones may be, at most. */
    double ratio, reach, rare;
    uint64_t looked; /* samples that would have shown them, */
    double hidden;   /* of this many launches */
    double share;    /* of these, what unseen goes by */
    bool fixed;      /* ... until samples exclude it */
    bool unbounded;  /* nothing says how long they are */
    bool exact;      /* all launches were simulated */
    bool heavy;      /* the tail has no variance: its index is tail_index, and one sample, of
                      * tail_group, has a share tail_share of the variance */
    bool hopeless;   /* ... beyond doubt: more samples will not change that */
    uint32_t tail_group;
    double tail_index, tail_share;
} online_state_t;

/*
 * What further samples of a stratum are planned by. It is the same for all strata of a group: strata
 * whose few samples happen to be short and alike would get no further ones, and the total would be
 * too low.
 */
typedef struct {
    double sd;          /* standard deviation of the launches */
    double sd_changing; /* the same, with what changes between parts add to the variance */
    bool maybe_slow;    /* slow launches may be left that no sample met (online_state_t.unseen) */
} online_stratum_t;

/* samples: one per stratum, each with at least one sample. plan: per stratum, set. */
online_state_t online_state(const stem_strata_t *strata, const stratum_sample_t *samples,
                            const online_assume_t *assume, online_stratum_t *plan);

/* How far the true total may be below and above the estimate, with the errors inside launches (as far
 * as they are known) or without. */
typedef struct {
    double below, above;
} online_half_t;

static inline double online_farther(online_half_t half)
{
    return half.below > half.above ? half.below : half.above;
}

/* Samples of the launches that may hide slow ones with which these add at most `unseen`. */
double online_looks_for(const online_state_t *s, double confidence, double unseen);

online_half_t online_half(const online_state_t *s, double confidence, bool with_inside);

#endif
