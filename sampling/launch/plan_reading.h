/*
 * What the readers of other tools' plans share: files that know launches by number only. Clusters
 * and samples are added as they are read; the program's number of launches is the sum of the sizes.
 */
#ifndef RUBATO_PLAN_READING_H
#define RUBATO_PLAN_READING_H

#include <stdio.h>

#include "sampling/launch/plan.h"
#include "sim/core/err.h"
#include "sim/core/text_lines.h"

typedef struct {
    plan_t *plan;
    const char *name; /* of the file, for messages */
    uint64_t line;    /* that is being read, from 1; 0: the file has no lines */
    size_t clusters_cap, samples_cap;
    rb_err_t *err;
} plan_reading_t;

/* An empty plan of that method. */
void plan_reading_begin(plan_reading_t *g, plan_t *plan, const char *method, const char *name,
                        rb_err_t *err);

/* The lines of a plan; name and in are borrowed. */
text_lines_t plan_reading_lines(const char *name, FILE *in);

/* Fails with file and, if there are lines, line. */
rb_code_t plan_reading_bad(const plan_reading_t *g, const char *what);

RB_CHECKED rb_code_t plan_reading_cluster(plan_reading_t *g, uint64_t size, uint64_t draws);

/* A draw of the last cluster; launch: from 1. */
void plan_reading_sample(plan_reading_t *g, uint64_t launch, double weight);

/* Whether a weight is a number of launches: above 0, and no more than any program has. */
bool plan_weight_valid(double weight);

/* One launch that stands for weight launches: a cluster of its own. */
RB_CHECKED rb_code_t plan_reading_pair(plan_reading_t *g, uint64_t launch, double weight);

/* Draws of the last cluster, which has the samples from `from` on: ascending, repeated ones as one
 * sample. */
void plan_reading_join_draws(plan_reading_t *g, uint64_t from);

/* Pairs in the order of the launches; weights of a launch that is there more than once are added
 * up: the sum must be valid, too. */
RB_CHECKED rb_code_t plan_reading_join_pairs(plan_reading_t *g);

/* Checks the whole after rc; frees the plan after a failure. */
RB_CHECKED rb_code_t plan_reading_finish(plan_reading_t *g, FILE *in, rb_code_t rc);

/* A whole number at *at, which moves behind it; false: there is none that fits. */
bool plan_take_u64(char **at, uint64_t *value);

#endif
