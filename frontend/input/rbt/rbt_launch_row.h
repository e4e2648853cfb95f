/*
 * A launch in the index: only numbers, in their order in the file, so that one loop over columns
 * reads or writes them all.
 */
#ifndef RUBATO_RBT_LAUNCH_ROW_H
#define RUBATO_RBT_LAUNCH_ROW_H

#include "frontend/input/rbt/rbt_summary.h"
#include "sim/isa/isa.h"

typedef struct {
    uint64_t id, trace_id;
    uint64_t kernel; /* number in the root's list */
    uint64_t grid[3], block[3];
    uint64_t regs, shared_bytes, stream, shared_base, local_base;
    uint64_t weight;   /* bits of a double */
    uint64_t n_blocks; /* number of stored blocks */
    uint64_t warp_insts, thread_insts, atomics;
    uint64_t requests[RBT_SPACE_COUNT], sectors[RBT_SPACE_COUNT];
    uint64_t classes[OP_CLASS_COUNT]; /* warp instructions; the file has as many as the root
                                       * lists */
} rbt_launch_row_t;

enum { RBT_LAUNCH_COLUMNS = sizeof(rbt_launch_row_t) / sizeof(uint64_t) };

#endif
