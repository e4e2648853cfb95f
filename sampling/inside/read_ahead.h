/*
 * Analysis of a launch before its simulation: of all its blocks or of a sample, from the trace's
 * index or by reading them. Two warps have the same type if they execute the same basic blocks
 * equally often; active masks do not matter.
 */
#ifndef RUBATO_READ_AHEAD_H
#define RUBATO_READ_AHEAD_H

#include "sampling/inside/bb_table.h"
#include "sim/gpu/sampled/sampler.h"

typedef struct {
    uint64_t blocks, warps;  /* number analysed */
    bool whole;              /* all blocks of the launch were analysed */
    bool missing;            /* the trace does not have all blocks */
    double insts_per_block;  /* warp instructions, mean */
    uint64_t types;          /* number of types of warps */
    double dominant_share;   /* share of the warps that have the most frequent type */
    uint64_t dominant_insts; /* warp instructions of a warp of that type */

    bb_table_t table;
    double *share;        /* owned: share of each basic block in the warp instructions */
    bb_count_t *dominant; /* owned: executions of basic blocks by a warp of that type */
    size_t n_dominant;
} read_ahead_t;

/* Analyses blocks spread evenly over the launch: that share, but at least at_least (or all). Errors are those of the source. *out must be freed in any
 * case. */
RB_CHECKED rb_code_t read_ahead(const sampler_launch_t *l, double share, uint64_t at_least,
                                read_ahead_t *out, rb_err_t *err);

/* Share of the warp instructions that warps of the most frequent type execute; 0 if nothing was
 * analysed. */
double read_ahead_dominant_work(const read_ahead_t *a);

/* A zeroed one is allowed. */
void read_ahead_free(read_ahead_t *a);

#endif
