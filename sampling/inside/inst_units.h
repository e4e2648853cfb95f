/*
 * A launch divided into units of about equal numbers of warp instructions: consecutive blocks in
 * the order of dispatch, from the index of a native trace. Some are chosen to stand for the others.
 */
#ifndef RUBATO_INST_UNITS_H
#define RUBATO_INST_UNITS_H

#include "sampling/inside/block_insts.h"
#include "sim/gpu/sampler.h"

typedef struct {
    uint64_t first, end; /* blocks [first, end) */
    uint32_t cluster;    /* units that one rate stands for */
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
    uint64_t size;       /* warp instructions of a unit, at least; the last may have fewer */
    double share;        /* systematic, random: of the units; at least one */
    uint32_t clusters;   /* simpoint: at most */
    double bic;          /* simpoint: share of the way from the worst to the best criterion */
    uint32_t dimensions; /* simpoint: of the projected basic-block vectors */
    uint64_t seed;
} units_rule_t;

/*
 * Divides a launch and chooses. simpoint: the vectors of the units' basic blocks, weighted by
 * instructions, are projected at random and clustered; the first unit of each cluster is chosen,
 * since a rate must be known before a launch is over. RB_USAGE without an index, and errors of the
 * source. *u is to be freed in any case.
 */
RB_CHECKED rb_code_t inst_units_make(inst_units_t *u, const sampler_launch_t *l,
                                     const units_rule_t *rule, rb_err_t *err);

/* Harmless on zeroed ones. */
void inst_units_free(inst_units_t *u);

/* Number of the unit of a stored block. */
size_t inst_units_find(const inst_units_t *u, uint64_t block);

#endif
