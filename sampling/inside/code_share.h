/* Whether the parts of a launch execute the same code: from the basic blocks of a few of its thread
 * blocks. */
#ifndef RUBATO_CODE_SHARE_H
#define RUBATO_CODE_SHARE_H

#include "sim/gpu/sampler.h"

/* Divides the launch into equal parts and reads a few blocks of each. *difference: the largest share
 * of a part's warp instructions that are in other basic blocks than those of the whole launch; 0: all
 * parts are alike, 1: a part has nothing in common. Errors are those of the source. */
RB_CHECKED rb_code_t code_share_difference(const sampler_launch_t *l, size_t parts,
                                           double *difference, rb_err_t *err);

#endif
