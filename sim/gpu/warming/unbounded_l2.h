/*
 * An L2 without bounds and without time: what a launch leaves in it does not depend on the size of a chip's L2, nor
 * on its slices, so that chips that differ in these share the walk (footprint.h).
 */
#ifndef RUBATO_GPU_UNBOUNDED_L2_H
#define RUBATO_GPU_UNBOUNDED_L2_H

#include "sim/gpu/warming/used_lines.h"

typedef struct unbounded_l2 unbounded_l2_t;

/* fill_sectors: as in l2_tags_t. most: lines that are wanted at most. */
unbounded_l2_t *unbounded_l2_create(uint32_t fill_sectors, uint64_t most);
void unbounded_l2_destroy(unbounded_l2_t *u); /* u may be NULL */

/* Applies n accesses in order, as l2_tags_touch() does to a cache with room for all lines. */
void unbounded_l2_touch(unbounded_l2_t *u, const l2_touch_t *touch, size_t n, l2_masks_t masks);

/* Becomes true when there are more lines than are wanted; what follows is ignored. */
const bool *unbounded_l2_is_over(const unbounded_l2_t *u);

/* Sets *out, which the caller frees, to its lines. */
void unbounded_l2_lines(const unbounded_l2_t *u, used_lines_t *out);

#endif
