/*
 * What the sizes of launches explain of their cycles, in groups of launches that are similar but not
 * equal.
 *
 * Launches of such a group differ in instructions and in their predicted cycles (population_t.predicted), both
 * of which are known of all of them. The cycles of the samples of a kernel are regressed on the one that explains
 * more, within groups. A sample then counts with the
 * cycles that it would have if it were the mean launch of its group in that (the regression
 * estimator: Cochran, Sampling Techniques, 1977, chapter 7), so that chance in the sizes of samples
 * is no error, and the spread is that of what sizes do not explain. Where the regression is not
 * clearly significant, or only because of one sample, cycles stay as they are, and are taken to vary
 * at least as the one that varies less: a few samples may be alike by chance.
 */
#ifndef RUBATO_ONLINE_SIZE_H
#define RUBATO_ONLINE_SIZE_H

#include "sampling/launch/online/online_steps.h"

/* What cycles are regressed on. */
enum { SIZE_COST, SIZE_PREDICTED, SIZES };

typedef struct {
    const population_t *pop;
    const online_steps_t *steps;
    unsigned n;     /* kinds of sizes that are known */
    double *mean;   /* owned: per group and kind, of the sizes of its launches */
    unsigned *kind; /* owned: per group, that of its regression */
    double *slope;  /* owned: per group, cycles per size; 0: sizes explain nothing */
    double *spread; /* owned: per group, smallest squared coefficient of variation of its sizes */
} online_size_t;

/* Of the view of steps; both are borrowed. */
void online_size_init(online_size_t *s, const population_t *pop, const online_steps_t *steps);
void online_size_free(online_size_t *s);

/* Sets the slopes, and vague and uneven of the strata, which must be a view (online_steps.h). samples:
 * with their cycles; rows: per stratum, those of its samples. */
void online_size_fit(online_size_t *s, stem_strata_t *strata, const stratum_sample_t *samples,
                     const uint32_t *const *rows);

/* The cycles of a launch of group g, if it were the group's mean one in size and in steps. */
double online_size_adjusted(const online_size_t *s, uint32_t g, uint32_t row, double cycles);

#endif
