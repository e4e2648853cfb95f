/*
 * Common parts of the readers for other tools' plans, which know launches only by number. Clusters
 * and samples are added as they are read; the number of launches is the sum of the cluster
 * sizes.
 */
#ifndef RUBATO_PLAN_READING_H
#define RUBATO_PLAN_READING_H

#include <stdio.h>

#include "sampling/plan/plan.h"
#include "sim/core/err.h"
#include "sim/core/files/text_lines.h"

typedef struct {
    plan_t *plan;
    const char *name; /* of the file, for messages */
    uint64_t line;    /* line being read, from 1 */
    size_t clusters_cap, samples_cap;
    rb_err_t *err;
} plan_reading_t;

/* Starts an empty plan with that method. */
void plan_reading_begin(plan_reading_t *g, plan_t *plan, const char *method, const char *name,
                        rb_err_t *err);

/* The lines of a plan file; name and in are borrowed. */
text_lines_t plan_reading_lines(const char *name, FILE *in);

/* Fails with the file and the line. */
rb_code_t plan_reading_bad(const plan_reading_t *g, const char *what);

RB_CHECKED rb_code_t plan_reading_cluster(plan_reading_t *g, uint64_t size, uint64_t draws);

/* Adds a draw to the last cluster; launch counts from 1. */
void plan_reading_sample(plan_reading_t *g, uint64_t launch, double weight);

/* Whether a weight is plausible as a number of launches: greater than 0, at most 1e12. */
bool plan_weight_valid(double weight);

/* Adds a launch that stands for `weight` launches, as its own cluster. */
RB_CHECKED rb_code_t plan_reading_pair(plan_reading_t *g, uint64_t launch, double weight);

/* Sorts the draws of the last cluster, whose samples start at `from`, and joins repeated ones into
 * one sample. */
void plan_reading_join_draws(plan_reading_t *g, uint64_t from);

/* Sorts the pairs by launch and adds the weights of repeated ones; the sums must be valid too. */
RB_CHECKED rb_code_t plan_reading_join_pairs(plan_reading_t *g);

/* Checks the whole plan if rc is RB_OK; frees the plan on failure. */
RB_CHECKED rb_code_t plan_reading_finish(plan_reading_t *g, FILE *in, rb_code_t rc);

/* Reads an integer at *at and moves *at behind it; false: there is none that fits. */
bool plan_take_u64(char **at, uint64_t *value);

#endif
