/*
 * Writes the index. A page describes the blocks of whole frames, a launch page describes launches.
 * Both hold rows of numbers, stored column by column as signed differences to the previous row.
 *
 * Page of blocks, unpacked (v: variable-length integer, s: signed one):
 *   v frames, v blocks, v warp types, v block types
 *   frames: v packed bytes, v unpacked bytes, v blocks that begin in it; then u32 checksums
 *   basic blocks of the warp types: v count; for each s kernel, s number (both relative to the
 *     previous one), v instructions
 *   warp types: v basic blocks; then for all: s position in that list - the previous one; then
 *     v executions (0: equal to the previous basic block's, initially 1; 1: the last value that
 *     differed from that; else executions + 1)
 *   block types: v runs of warps; then for all runs: v warp type + 2 (0: the first type that no
 *     earlier run had; 1: no such warp); then v warps
 *   blocks: linear id - (the previous one + 1), block type, thread instructions, atomics, then
 *     for each space requests, for each space sectors - requests
 *
 * Page of launches: v launches, then the columns of rbt_launch_row_t in its order.
 */
#ifndef RUBATO_RBT_INDEX_PUT_H
#define RUBATO_RBT_INDEX_PUT_H

#include "frontend/input/rbt/rbt_launch_row.h"
#include "frontend/input/rbt/rbt_page.h"
#include "frontend/input/rbt/write/rbt_collect.h"
#include "frontend/input/rbt/write/rbt_frame_put.h"
#include "frontend/input/rbt/write/rbt_pack.h"
#include "frontend/input/rbt/write/rbt_root_put.h"

/* A page of blocks. */
typedef struct {
    rbt_frame_row_t *frames; /* owned */
    size_t n_frames, cap_frames;
    size_t n_placed;         /* frames whose packed size is known */
    uint64_t offset;         /* file offset of the first frame */
    rbt_block_row_t *blocks; /* owned */
    size_t n_blocks, cap_blocks;
    rbt_warp_type_t *types; /* owned */
    size_t n_types, cap_types;
    rbt_bb_count_t *counts; /* owned */
    size_t n_counts, cap_counts;
    rbt_block_type_t *block_types; /* owned */
    size_t n_block_types, cap_block_types;
    uint32_t *warps; /* owned; warp type + 1 of each warp of a block type */
    size_t n_warps, cap_warps;
    hash_map_t type_map, block_type_map;
} rbt_page_put_t;

void rbt_page_put_clear(rbt_page_put_t *p);
void rbt_page_put_free(rbt_page_put_t *p);

/* Number of the warp type that executes these basic blocks (ascending). */
uint32_t rbt_page_put_type(rbt_page_put_t *p, uint32_t kernel, const rbt_bb_count_t *counts,
                           size_t n);

/* Number of the block type whose n warps have these types + 1 (0: none). */
uint32_t rbt_page_put_block_type(rbt_page_put_t *p, const uint32_t *warps, size_t n);

void rbt_page_put_block(rbt_page_put_t *p, const rbt_block_row_t *row);

/* Begins a frame. rbt_page_put_placed() gives its packed size later, in the same order. */
void rbt_page_put_frame(rbt_page_put_t *p, uint64_t unpacked, uint32_t n_blocks);
void rbt_page_put_placed(rbt_page_put_t *p, const rbt_place_t *place);

/* kernels: those of the file. */
void rbt_page_put_encode(const rbt_page_put_t *p, const rbt_kernel_put_t *kernels, rbt_buf_t *out);

/* Writes the page of n launches. */
void rbt_launches_encode(const rbt_launch_row_t *rows, size_t n, rbt_buf_t *out);

#endif
