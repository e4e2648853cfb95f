/* The warps of a launch, grouped by blocks, from trace.txt and trace_info.txt. */
#ifndef RUBATO_MACSIM_WARPS_H
#define RUBATO_MACSIM_WARPS_H

#include "frontend/input/macsim/macsim_list.h"
#include "sim/gpu/trace_source.h"

enum { MACSIM_WARPS_MAX = 32 }; /* of a block */

typedef struct {
    uint64_t wid;     /* in the file's name */
    uint64_t records; /* that the file holds */
} macsim_warp_t;

typedef struct {
    uint64_t number; /* of the block in the grid: x + nx * (y + ny * z) */
    size_t first;    /* its first warp */
    uint32_t n_warps;
} macsim_stored_block_t;

typedef struct {
    macsim_warp_t *warps; /* owned; by wid */
    size_t n_warps, cap_warps;
    macsim_stored_block_t *blocks; /* owned; by number */
    size_t n_blocks, cap_blocks;
} macsim_warps_t;

/*
 * Reads trace.txt, and with counts trace_info.txt (otherwise all records are 0). RB_TRACE for lists
 * that are malformed, contradict each other or have more warps in a block than a block can have.
 * Free *w in any case.
 */
RB_CHECKED rb_code_t macsim_warps_read(const macsim_kernel_t *k, bool counts, macsim_warps_t *w,
                                       rb_err_t *err);

void macsim_warps_free(macsim_warps_t *w);

/*
 * Completes *info (grid, block, registers, shared memory, number of blocks) from what is known of
 * the kernel, or from its warps where nothing is. RB_TRACE if the warps do not fit the grid.
 */
RB_CHECKED rb_code_t macsim_warps_shape(const macsim_warps_t *w, const macsim_kernel_t *k,
                                        launch_info_t *info, rb_err_t *err);

/*
 * Place in the block of its i-th stored warp. Old tracers number warps by hardware slots, in any
 * block but the first with gaps: their order is kept.
 */
unsigned macsim_warps_place(const macsim_warps_t *w, const macsim_stored_block_t *b, unsigned i,
                            unsigned warps_per_block);

#endif
