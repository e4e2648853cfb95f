/*
 * Writes the root of the index, the part that every reader needs. Unpacked:
 *
 *   text producer; v classes, a text each; v spaces, a text each
 *   v kernels; for each: text name, v architecture, u64 code id, place of its code
 *   v pages of blocks; for each: place, v offset of its first frame, v blocks, v frames
 *   v pages of launches; for each: place, v launches, v blocks of them
 *   v memory copies; for each: v launches before it - (those before the previous copy),
 *     s address - the previous one, v bytes
 *   text plan of the sampler that chose the launches (JSON), or empty
 *   only in version 3: v sections; for each: text name, v bytes, this many bytes (rbt_graph.h,
 *     rbt_waits.h)
 *
 * v: variable-length integer, s: signed one, text: v length and characters, place: v offset,
 * v packed bytes, v unpacked bytes, u32 checksum.
 */
#ifndef RUBATO_RBT_ROOT_PUT_H
#define RUBATO_RBT_ROOT_PUT_H

#include "frontend/input/rbt/rbt_waits.h"
#include "frontend/input/rbt/write/rbt_collect.h"
#include "frontend/input/rbt/write/rbt_pack.h"

typedef struct {
    char *name; /* owned */
    uint32_t arch;
    uint64_t code_id;
    rbt_collect_t code;
    rbt_place_t place;
} rbt_kernel_put_t;

typedef struct {
    char *producer, *plan;     /* owned */
    rbt_kernel_put_t *kernels; /* owned */
    size_t n_kernels, cap_kernels;
    hash_map_t kernel_map;
    rbt_buf_t block_pages, launch_pages, copies; /* in their encoding in the file */
    uint64_t n_block_pages, n_launch_pages, n_copies;
    uint64_t copy_launch, copy_addr; /* of the last copy */
    bool has_graph;
    rbt_buf_t graph; /* its section */
    rbt_waits_put_t waits;
} rbt_root_put_t;

void rbt_root_put_init(rbt_root_put_t *r, const char *producer);
void rbt_root_put_free(rbt_root_put_t *r);

/* Number of the kernel of a launch; adds it if it is new. */
uint32_t rbt_root_put_kernel(rbt_root_put_t *r, const launch_info_t *info);

void rbt_root_put_copy(rbt_root_put_t *r, uint64_t launches_before, const memcpy_op_t *op);
void rbt_root_put_block_page(rbt_root_put_t *r, const rbt_place_t *place, uint64_t first_frame,
                             uint64_t n_blocks, uint64_t n_frames);
void rbt_root_put_launch_page(rbt_root_put_t *r, const rbt_place_t *place, uint64_t n_launches,
                              uint64_t n_blocks);

void rbt_root_put_encode(const rbt_root_put_t *r, rbt_buf_t *out);

#endif
