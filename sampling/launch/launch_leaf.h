/*
 * Clusters that are ranges of sorted durations: what allegro and stem divide a kernel's launches
 * into.
 */
#ifndef RUBATO_LAUNCH_LEAF_H
#define RUBATO_LAUNCH_LEAF_H

#include "sampling/launch/launch_group.h"
#include "sampling/math/two_means.h"

typedef struct {
    uint64_t begin, end; /* positions in the sorted rows */
    uint32_t name;       /* of the population */
    spread_t times;
    uint64_t m; /* samples */
} leaf_t;

typedef struct {
    leaf_t *leaf; /* owned */
    size_t n, cap;
} leaf_list_t;

void leaf_add(leaf_list_t *list, leaf_t leaf);
void leaf_list_free(leaf_list_t *list);

/*
 * Makes a cluster of every leaf and draws its samples, which may be none. Fails if there are more
 * draws than can be held: with replacement a small epsilon can ask for any number.
 */
rb_code_t leaves_draw(const leaf_list_t *list, const uint32_t *rows, bool replacement,
                      plan_build_t *b, rb_err_t *err) RB_CHECKED;

/* Launches that a mean within a relative error of epsilon needs, z standard errors wide. */
double samples_needed(double mean, double sd, double epsilon, double z);

/* The same where they are drawn from size launches without replacement; sd with n - 1. */
double samples_needed_finite(double mean, double sd, double epsilon, double z, uint64_t size);

#endif
