/*
 * What a sample of a launch's blocks, read before it is simulated, says of all of them. Two warps
 * are of one type if they execute the same basic blocks equally often; active masks do not matter.
 */
#ifndef RUBATO_READ_AHEAD_H
#define RUBATO_READ_AHEAD_H

#include "sim/gpu/sampler.h"

typedef struct {
    uint64_t blocks, warps;  /* of the sample */
    double insts_per_block;  /* warp instructions, mean */
    uint64_t types;          /* of warps */
    double dominant_share;   /* of the most frequent type among the warps */
    uint64_t dominant_insts; /* warp instructions of a warp of that type */
} read_ahead_t;

/*
 * Reads blocks spread evenly over the launch: that share of them, but at least so many (or all).
 * Errors are those of the source.
 */
RB_CHECKED rb_code_t read_ahead(const sampler_launch_t *l, double share, uint64_t at_least,
                                read_ahead_t *out, rb_err_t *err);

#endif
