/*
 * What is known of a launch before it is simulated: from the trace's index of all its blocks, else
 * from a sample of them that is read. Two warps are of one type if they execute the same basic
 * blocks equally often; active masks do not matter.
 */
#ifndef RUBATO_READ_AHEAD_H
#define RUBATO_READ_AHEAD_H

#include "sampling/inside/bb_table.h"
#include "sim/gpu/sampler.h"

typedef struct {
    uint64_t blocks, warps;  /* looked at */
    bool whole;              /* all blocks of the launch were */
    bool missing;            /* not all of them are in the trace */
    double insts_per_block;  /* warp instructions, mean */
    uint64_t types;          /* of warps */
    double dominant_share;   /* of the most frequent type among the warps */
    uint64_t dominant_insts; /* warp instructions of a warp of that type */

    bb_table_t table;
    double *share;        /* owned: of each basic block in the warp instructions */
    bb_count_t *dominant; /* owned: what a warp of the most frequent type executes */
    size_t n_dominant;
} read_ahead_t;

/*
 * Looks at a launch. Without an index: at blocks spread evenly over it, that share of them, but at
 * least so many (or all). Errors are those of the source. *out is to be freed in any case.
 */
RB_CHECKED rb_code_t read_ahead(const sampler_launch_t *l, double share, uint64_t at_least,
                                read_ahead_t *out, rb_err_t *err);

/* Harmless on a zeroed one. */
void read_ahead_free(read_ahead_t *a);

#endif
