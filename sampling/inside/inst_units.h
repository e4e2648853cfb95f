/*
 * Divides a launch into units of about equal numbers of warp instructions: consecutive blocks in
 * the order of dispatch, from the index of a native trace. Some units are chosen to represent the
 * others.
 */
#ifndef RUBATO_INST_UNITS_H
#define RUBATO_INST_UNITS_H

#include "sampling/inside/block_insts.h"
#include "sim/gpu/sampled/sampler.h"

typedef struct {
    uint64_t first, end; /* blocks [first, end) */
    uint32_t cluster;    /* units with the same number share a rate */
    bool chosen;         /* to be simulated */
} inst_unit_t;

typedef struct {
    block_insts_t insts;
    inst_unit_t *list; /* owned */
    size_t n, n_chosen, n_clusters;
} inst_units_t;

/* How units are chosen. */
typedef enum { UNITS_SYSTEMATIC, UNITS_RANDOM, UNITS_SIMPOINT } units_which_t;

typedef struct {
    units_which_t which;
    uint64_t size;       /* minimum warp instructions of a unit; the last one may have fewer */
    double share;        /* systematic, random: share of the units; at least one is chosen */
    uint32_t clusters;   /* simpoint: maximum number of clusters */
    double bic;          /* simpoint: share of the range from the worst to the best criterion */
    uint32_t dimensions; /* simpoint: dimensions of the projected basic-block vectors */
    uint64_t seed;
} units_rule_t;

/*
 * Divides a launch and chooses units. simpoint: the basic-block vectors of the units, weighted by
 * instructions, are projected at random and clustered; the first unit of each cluster is chosen,
 * because its rate must be known before the launch ends. RB_USAGE without an index, and errors of
 * the source. *u must be freed in any case.
 */
RB_CHECKED rb_code_t inst_units_make(inst_units_t *u, const sampler_launch_t *l,
                                     const units_rule_t *rule, rb_err_t *err);

/* Zeroed ones are allowed. */
void inst_units_free(inst_units_t *u);

/* The unit that contains a stored block. */
size_t inst_units_find(const inst_units_t *u, uint64_t block);

#endif
