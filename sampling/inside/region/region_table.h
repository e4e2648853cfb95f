/*
 * The homogeneous regions of a launch (TBPoint, IPDPS 2014): ranges of blocks that are expected to
 * run at one rate, found in the trace's index without reading blocks.
 *
 * An epoch consists of as many consecutive blocks as the chip holds at once; the last one may have
 * fewer. Its stall probability is the mean over its blocks of memory requests per warp instruction.
 * Its variation factor is the larger of the coefficients of variation of the two counts (0 if a
 * mean is 0). Epochs are clustered by stall probability with complete linkage; one whose variation
 * factor exceeds the limit is a region of its own, in which nothing is skipped. A region is a
 * maximal run of epochs of one cluster.
 *
 * The table depends on the GPU only through the number of blocks that it holds: another number of
 * SMs or another occupancy gives another table from the same index.
 */
#ifndef RUBATO_REGION_TABLE_H
#define RUBATO_REGION_TABLE_H

#include "sampling/inside/block_insts.h"

typedef struct {
    double threshold; /* maximum distance of two stall probabilities in a cluster */
    double variation; /* maximum variation factor of an epoch in a cluster */
    bool normalise;   /* divide stall probabilities by their mean over the launch */
} region_rule_t;

typedef struct {
    uint64_t first, end; /* blocks [first, end) */
    uint32_t cluster;    /* numbered by first epoch; those of single epochs come last */
    bool even;           /* no epoch exceeds the variation limit */
    double stall;        /* stall probability: requests per warp instruction, mean of the epochs */
    double variation;    /* variation factor, largest of the epochs */
} region_t;

typedef struct {
    uint64_t epoch; /* blocks per epoch */
    region_t *list; /* owned; every block is in exactly one */
    size_t n;
    block_insts_t insts;
} region_table_t;

/* Makes the table of a launch for a chip that holds `slots` (at least one) of its blocks. Reads
 * only the index. RB_USAGE if the source has none, and errors of the source. *t must be freed in
 * any case. */
RB_CHECKED rb_code_t region_table_make(region_table_t *t, trace_source_t *source, uint64_t position,
                                       uint64_t slots, const region_rule_t *rule, rb_err_t *err);

/* A zeroed table is allowed. */
void region_table_free(region_table_t *t);

/* The region that contains a stored block. */
const region_t *region_table_find(const region_table_t *t, uint64_t block);

#endif
