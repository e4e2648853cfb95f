/* Reads pages of the index (layout: rbt_index_put.h). */
#ifndef RUBATO_RBT_INDEX_GET_H
#define RUBATO_RBT_INDEX_GET_H

#include "frontend/input/rbt/read/rbt_file.h"

/* The place of a frame of a page, and the number in the page of the first block that begins in
 * it. */
typedef struct {
    rbt_place_t place;
    uint32_t first_block, n_blocks;
} rbt_frame_ref_t;

/* All pointers are owned. */
typedef struct {
    size_t n_frames, n_blocks, n_types, n_counts, n_block_types, n_warps;
    rbt_frame_ref_t *frames;
    rbt_block_row_t *blocks;
    rbt_warp_type_t *types;
    rbt_bb_count_t *counts;
    rbt_block_type_t *block_types;
    uint32_t *warps; /* per block type: warp type + 1; 0: no such warp */
} rbt_page_t;

/* Reads page number n. The caller frees *p, also after an error. */
RB_CHECKED rb_code_t rbt_page_read(rbt_page_t *p, const rbt_file_t *f, size_t n,
                                   rbt_unpacker_t *unpacker, rb_err_t *err);
void rbt_page_free(rbt_page_t *p);

/* A launch and its first block. */
typedef struct {
    rbt_launch_row_t row;
    uint64_t first_block; /* of the file */
} rbt_launch_t;

/* Reads the launches of launch page n; the caller frees them. NULL: *err is set. */
rbt_launch_t *rbt_launches_read(const rbt_file_t *f, size_t n, rbt_unpacker_t *unpacker,
                                rb_err_t *err);

/*
 * The same from unpacked bytes. Returns NULL, or what is wrong. *p is zeroed, l has room for
 * ref->n_launches.
 */
const char *rbt_page_get(rbt_page_t *p, const rbt_file_t *f, const rbt_block_page_ref_t *ref,
                         const rbt_buf_t *bytes);
const char *rbt_launches_get(const rbt_file_t *f, const rbt_launch_page_ref_t *ref, rbt_launch_t *l,
                             const rbt_buf_t *bytes);

/* Number of the page that holds a block (below n_blocks) or a launch (below n_launches). */
size_t rbt_file_block_page(const rbt_file_t *f, uint64_t block);
size_t rbt_file_launch_page(const rbt_file_t *f, uint64_t launch);

#endif
