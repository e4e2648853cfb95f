/*
 * Clusters that are ranges of sorted durations: the leaves into which allegro and stem divide the
 * launches of a kernel.
 */
#ifndef RUBATO_LAUNCH_LEAF_H
#define RUBATO_LAUNCH_LEAF_H

#include "sampling/launch/launch_group.h"
#include "sampling/math/two_means.h"

typedef struct {
    uint64_t begin, end; /* positions in the sorted rows */
    uint32_t name;       /* of the population */
    spread_t times;
    uint64_t m; /* number of samples */
} leaf_t;

typedef struct {
    leaf_t *leaf; /* owned */
    size_t n, cap;
} leaf_list_t;

void leaf_add(leaf_list_t *list, leaf_t leaf);
void leaf_list_free(leaf_list_t *list);

/* Makes every leaf a cluster and draws its samples, possibly none. Fails if there are too many
 * draws: with replacement, a small epsilon can require any number. */
rb_code_t leaves_draw(const leaf_list_t *list, const uint32_t *rows, bool replacement,
                      plan_build_t *b, rb_err_t *err) RB_CHECKED;

/* Samples needed for a relative error of epsilon of the mean, at z standard errors. */
double samples_needed(double mean, double sd, double epsilon, double z);

/* The same for samples drawn from `size` launches without replacement; sd with n - 1. */
double samples_needed_finite(double mean, double sd, double epsilon, double z, uint64_t size);

#endif
