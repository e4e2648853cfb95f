/*
 * Writes a frame of thread blocks. The unpacked frame begins with a list of 32-bit lengths, one per
 * column, followed by the columns (v: variable-length integer, s: signed one, u32, b: byte):
 *
 *   HEAD         v launch (position in the file, from 0), v first block (in the launch), v blocks,
 *                v flags (1: the first block continues the frame before; 2: the last block goes on
 *                in the next frame), v paths, v shapes, v pieces
 *   BLOCK        per block: s linear block id - (the one before + 1), v pieces
 *   PATH         per path: v steps            STEP   per step: s basic block - the one before
 *   REPEAT       per step: v repeats - 1
 *   SHAPE        per shape: s path - the one of the shape before, v mask changes
 *   MASK_AT      per change: v instructions since the change before (at first: since the start)
 *   MASK         per change: u32
 *   PIECE        per piece: s warp - (the one before in its block + 1; at first 0)
 *   PIECE_SHAPE  per piece: s shape - the one of the piece before
 *   RUN ...      the address records of all pieces, in order: rbt_refs.h
 *
 * A piece is a part of a warp's execution; most warps have one, long warps several. The shape of a
 * piece is its path (basic blocks) with masks. Pieces of one shape differ only in their addresses.
 */
#ifndef RUBATO_RBT_FRAME_PUT_H
#define RUBATO_RBT_FRAME_PUT_H

#include "frontend/input/rbt/rbt_format.h"
#include "frontend/input/rbt/write/rbt_addr_put.h"
#include "frontend/input/rbt/write/rbt_pack.h"
#include "frontend/input/rbt/write/rbt_warp.h"

/* A path of the frame: steps[at .. at + n). */
typedef struct {
    size_t at;
    uint32_t n;
    uint32_t type; /* its warp type in rbt_index_put.h; UINT32_MAX: not yet known */
    uint64_t uses;
} rbt_path_t;

typedef struct {
    uint32_t path;
    size_t change, n_changes;  /* changes[change ..) */
    size_t access, n_accesses; /* accesses[access ..) and their slots */
    size_t ref;                /* number of the first access's record in refs */
    uint32_t n_insts, n_atomics;
    uint64_t thread_insts;
    bool used;
} rbt_shape_t;

/* Runs of a short warp that occurred earlier, and their shape. */
typedef struct {
    size_t run, n_runs; /* runs[run ..) */
    uint32_t shape;
} rbt_known_t;

typedef struct {
    rbt_buf_t cols[RBT_COL_COUNT];
    rbt_addr_put_t addr;
    rbt_path_t *paths; /* owned */
    size_t n_paths, cap_paths;
    rbt_step_t *steps; /* owned */
    size_t n_steps, cap_steps;
    rbt_shape_t *shapes; /* owned */
    size_t n_shapes, cap_shapes;
    rbt_mask_change_t *changes; /* owned */
    size_t n_changes, cap_changes;
    rbt_access_t *accesses; /* owned */
    size_t n_accesses, cap_accesses;
    uint32_t *slots; /* owned: of accesses */
    size_t cap_slots;
    uint16_t *lines, *sectors; /* owned; of accesses: counts at their last execution */
    size_t cap_lines, cap_sectors;
    rbt_known_t *known; /* owned */
    size_t n_known, cap_known;
    trace_run_t *runs; /* owned */
    size_t n_runs, cap_runs;
    hash_map_t path_map, shape_map, known_map;
    uint64_t launch, first_block;
    uint32_t n_blocks, n_pieces, block_pieces;
    bool continues;
    int64_t last_linear, last_warp, last_shape, last_path;
    uint64_t n_insts;
} rbt_frame_put_t;

void rbt_frame_put_free(rbt_frame_put_t *f);

/* Begins a frame of the launch at this position in the file, with this block of the launch. */
void rbt_frame_put_begin(rbt_frame_put_t *f, uint64_t launch, uint64_t first_block, bool continues);

/* Begins a block (also when the frame continues one); the linear id counts x fastest. */
void rbt_frame_put_block(rbt_frame_put_t *f, uint64_t linear);

/* Ends the current block. */
void rbt_frame_put_block_end(rbt_frame_put_t *f);

/* The shape of a short warp's runs, or UINT32_MAX if it has not occurred. */
uint32_t rbt_frame_put_known(const rbt_frame_put_t *f, const warp_stream_t *warp);

/* The shape of a piece. If warp is not NULL, rbt_frame_put_known() will find its runs. code: the
 * kernel's. */
uint32_t rbt_frame_put_shape(rbt_frame_put_t *f, const rbt_piece_t *piece,
                             const rbt_collect_t *code, const warp_stream_t *warp);

/*
 * Appends a piece of a warp: its shape, then rbt_frame_put_access() for each of its accesses in
 * order, which returns whether lines and sectors equal those counted last.
 */
void rbt_frame_put_piece(rbt_frame_put_t *f, uint32_t warp, uint32_t shape);

static inline bool rbt_frame_put_access(rbt_frame_put_t *f, const rbt_shape_t *shape, size_t i,
                                        const uint64_t *rec)
{
    return rbt_addr_put(&f->addr, rec, f->accesses[shape->access + i].mask, shape->ref + i,
                        f->slots[shape->access + i]);
}

/* Whether the frame should end. */
bool rbt_frame_put_is_full(const rbt_frame_put_t *f);

/*
 * Ends the frame: appends its bytes to out, which is empty, and returns in cuts where zstd should
 * start new statistics. more: its last block continues in the next frame.
 */
void rbt_frame_put_end(rbt_frame_put_t *f, bool more, rbt_buf_t *out, rbt_cuts_t *cuts);

#endif
