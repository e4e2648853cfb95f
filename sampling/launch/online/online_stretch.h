/*
 * A stretch of consecutive launches that a sampler simulates to see what skipping launches costs.
 *
 * A sampled launch may find other contents in the caches than in a run of all launches. The launches of
 * the stretch's second half follow launches that were simulated, so they differ from samples of their
 * strata only by that, and by chance. The estimate of the difference is about the stretch's position
 * and depth: contents older than half of the stretch are missing in it, too.
 */
#ifndef RUBATO_ONLINE_STRETCH_H
#define RUBATO_ONLINE_STRETCH_H

#include "sampling/launch/online/online_size.h"

typedef struct {
    uint64_t begin, end; /* rows; equal: there is no stretch */
    double *cycles;      /* owned: per row of the stretch; NAN: not simulated yet */
    double *within;      /* owned: its variance from errors inside */
    uint32_t *stratum;   /* owned: per row of the stretch */
} online_stretch_t;

/* Chooses a stretch at random that costs at most a small share of all launches; none if it would be too
 * short to say anything. */
void stretch_choose(online_stretch_t *t, const population_t *pop, const stem_strata_t *strata,
                    uint64_t seed);
void stretch_free(online_stretch_t *t);

static inline bool stretch_has(const online_stretch_t *t, uint64_t row)
{
    return row >= t->begin && row < t->end;
}

/* How much longer the whole program takes than samples say, relatively, because they skip launches, and
 * the standard error of that number. */
typedef struct {
    double value, error; /* error INFINITY: not known */
} stretch_bias_t;

/* samples: with adjusted cycles; rows: per stratum, those of its samples. */
stretch_bias_t stretch_bias(const online_stretch_t *t, const stem_strata_t *strata,
                            const stratum_sample_t *samples, const uint32_t *const *rows,
                            const online_size_t *size, const online_stratum_t *plan);

#endif
