/* Walks the warps of a block through an assembled kernel. */
#ifndef RUBATO_SILICON_WALK_H
#define RUBATO_SILICON_WALK_H

#include "frontend/input/silicon/silicon_kernel.h"
#include "sim/gpu/source/made_block.h"

/*
 * Fills b with block `index` of launch `id` (1 ..). RB_TRACE: a warp executes more than a trace may hold; RB_IO
 * from the store of long blocks.
 */
RB_CHECKED rb_code_t kernel_walk(const kernel_t *k, uint64_t id, uint64_t index, made_block_t *b,
                                 rb_err_t *err);

#endif
