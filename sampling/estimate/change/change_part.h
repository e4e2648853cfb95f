/*
 * Runs that simulate only a part of the launches that another run, the base, chose: as few as show the change.
 *
 * The launches of a kernel hardly differ in y_b / y_a, the ratio of their cycles in both runs, however much
 * they differ in length. So launches are drawn from the base's samples in proportion to x = w y_a, the cycles
 * for which a sample stands in the base, with replacement (sampling with probability proportional to size; Hansen
 * and Hurwitz, Annals of Mathematical Statistics 14, 1943; two phases: Sarndal, Swensson and Wretman, Model
 * Assisted Survey Sampling, 1992, 9.3). The groups from which they are drawn are kernels, divided where
 * launches differ in length, of a tenth of the cycles or more each. With m draws in a group of T = sum x cycles, a draw
 * has the weight T / (m y_a); the total of cycles is then that of the base times the mean ratios of the groups. A group
 * of which all samples were simulated keeps the base's weights.
 */
#ifndef RUBATO_ESTIMATE_CHANGE_PART_H
#define RUBATO_ESTIMATE_CHANGE_PART_H

#include <stdbool.h>

#include "sampling/plan/plan.h"

typedef struct {
    const plan_t *plan;   /* borrowed; the base's */
    const double *cycles; /* borrowed; of its samples, in the base */
    uint32_t n;           /* groups, none of which is empty */
    uint32_t *of;         /* owned; per sample, its group */
    double *x;            /* owned; per sample */
    /* Owned; per group: T, number of samples, mean cycles of a draw in the base. */
    double *total, *cost;
    uint64_t *samples;
    double all; /* sum of T */
} part_groups_t;

/* cycles: of all samples, above 0. kernel: of each, equal for launches of the same one. */
void part_groups_make(part_groups_t *g, const plan_t *plan, const double *cycles,
                      const uint64_t *kernel);
void part_groups_free(part_groups_t *g);

/* What was drawn of a group: draws, distinct samples, whether these are all. */
typedef struct {
    uint64_t draws, distinct;
    bool complete;
} part_drawn_t;
part_drawn_t part_drawn(const part_groups_t *g, const uint32_t *drawn, uint32_t group);

/* What two runs both drew from the same choice with the same seed: in each group, the draws of one are the first
 * ones of the other. Of a group that one run simulated completely, it is what the other one drew. */
void part_common(const part_groups_t *g, const uint32_t *a, const uint32_t *b, uint32_t *both);

/* Weight of each sample in totals; 0: not drawn. drawn: how often each sample was. */
void part_weights(const part_groups_t *g, const uint32_t *drawn, double *weight);

/* The spread of residuals per cycle of the base in a group; *mean: their mean. NAN: fewer than two draws. */
double part_spread(const part_groups_t *g, const uint32_t *drawn, uint32_t group, const double *d,
                   double *mean);

#endif
