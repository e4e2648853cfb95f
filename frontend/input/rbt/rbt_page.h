/* The contents of an index page, shared by writer and reader. */
#ifndef RUBATO_RBT_PAGE_H
#define RUBATO_RBT_PAGE_H

#include <stddef.h>

#include "frontend/input/rbt/rbt_summary.h"

/* Executions of a basic block of the kernel. */
typedef bb_count_t rbt_bb_count_t;

typedef struct {
    uint32_t kernel;
    size_t at, n; /* counts[at ..) */
    uint64_t n_insts;
} rbt_warp_type_t;

typedef struct {
    size_t at, n; /* warps[at ..) */
    uint64_t n_insts;
} rbt_block_type_t;

typedef struct {
    uint64_t linear;
    uint32_t type;
    rbt_summary_t sum;
} rbt_block_row_t;

typedef struct {
    uint64_t packed, unpacked;
    uint32_t n_blocks, checksum;
} rbt_frame_row_t;

#endif
