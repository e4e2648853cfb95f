/*
 * Steps: from a certain launch on, the launches of a group take another time.
 *
 * The samples of a group in the order of the program show one if all before a place are far from all
 * after it. The parts in which it may lie then make a group of their own, and so do those before and
 * those after, so that each has its own spread. In the group with the step a sample counts with the
 * cycles that it would have if it were the mean launch: as many before and after the step. What
 * remains unknown is where between two samples the step is.
 */
#ifndef RUBATO_ONLINE_STEPS_H
#define RUBATO_ONLINE_STEPS_H

#include "sampling/launch/online/online_state.h"

typedef struct {
    double height; /* cycles that launches after it take more; 0: there is no step */
    uint32_t row;  /* it is before this one, probably */
    double after;  /* share of the group's launches after it */
} online_step_t;

typedef struct {
    /* The strata with groups that end at steps. It owns what is about groups, and borrows the rest. */
    stem_strata_t view;
    online_step_t *step; /* owned: per group of the view */
} online_steps_t;

/* Finds the steps in groups of equal launches. rows: per stratum, those of its samples. */
void online_steps_find(online_steps_t *s, const stem_strata_t *strata,
                       const stratum_sample_t *samples, const uint32_t *const *rows);

/* Does nothing if zeroed. */
void online_steps_free(online_steps_t *s);

/* The cycles of a launch of group g of the view, if it were the group's mean one. */
double online_steps_adjusted(const online_steps_t *s, uint32_t g, uint32_t row, double cycles);

#endif
