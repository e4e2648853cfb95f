/* The warps of a launch, grouped by blocks, from trace.txt and trace_info.txt. */
#ifndef RUBATO_MACSIM_WARPS_H
#define RUBATO_MACSIM_WARPS_H

#include "frontend/input/macsim/macsim_list.h"
#include "sim/gpu/source/trace_source.h"

enum { MACSIM_WARPS_MAX = 32 }; /* per block */

typedef struct {
    uint64_t wid;     /* in the file's name */
    uint64_t records; /* number of records in the file */
} macsim_warp_t;

typedef struct {
    uint64_t number; /* position of the block in the grid: x + nx * (y + ny * z) */
    size_t first;    /* index of its first warp */
    uint32_t n_warps;
} macsim_stored_block_t;

typedef struct {
    macsim_warp_t *warps; /* owned; sorted by wid */
    size_t n_warps, cap_warps;
    macsim_stored_block_t *blocks; /* owned; sorted by number */
    size_t n_blocks, cap_blocks;
} macsim_warps_t;

/*
 * Reads trace.txt and, if counts is set, trace_info.txt (otherwise all records are 0). RB_TRACE if
 * the lists are malformed, contradict each other or have more warps in a block than possible. The
 * caller frees *w, also after an error.
 */
RB_CHECKED rb_code_t macsim_warps_read(const macsim_kernel_t *k, bool counts, macsim_warps_t *w,
                                       rb_err_t *err);

void macsim_warps_free(macsim_warps_t *w);

/*
 * Completes *info (grid, block, registers, shared memory, number of blocks) from the kernel's
 * description, or from its warps if there is none. RB_TRACE if the warps do not fit the grid.
 */
RB_CHECKED rb_code_t macsim_warps_shape(const macsim_warps_t *w, const macsim_kernel_t *k,
                                        launch_info_t *info, rb_err_t *err);

/*
 * The warp number, within its block, of the i-th stored warp. Old tracers number warps by hardware
 * slots, with gaps in all blocks but the first: their order is kept.
 */
unsigned macsim_warps_place(const macsim_warps_t *w, const macsim_stored_block_t *b, unsigned i,
                            unsigned warps_per_block);

#endif
