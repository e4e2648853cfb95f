/*
 * The summary of a block in the index, available without reading the block. It depends only on the
 * program, not on a machine.
 *
 *   requests  lines of 128 bytes that the warps' memory instructions touch, each instruction by
 *             itself; local memory interleaved as the hardware does (word w of 32 threads is one
 *             line)
 *   sectors   the same for 32 bytes
 *   atomics   atomic and reduction instructions with active lanes, of any space
 */
#ifndef RUBATO_RBT_SUMMARY_H
#define RUBATO_RBT_SUMMARY_H

#include "frontend/input/rbt/rbt_format.h"
#include "sim/gpu/source/trace_source.h"

/* Requests by space as block_facts_t.requests has them. */
static inline uint64_t rbt_sum_requests(const uint64_t requests[RBT_SPACE_COUNT])
{
    return requests[RBT_SPACE_GLOBAL] + requests[RBT_SPACE_LOCAL] + requests[RBT_SPACE_TEX];
}

typedef struct {
    uint64_t warp_insts, thread_insts, atomics;
    uint64_t requests[RBT_SPACE_COUNT], sectors[RBT_SPACE_COUNT];
} rbt_summary_t;

void rbt_summary_add(rbt_summary_t *to, const rbt_summary_t *from);

/* The space for which an access with this record counts. */
rbt_space_t rbt_summary_space(const launch_info_t *info, const inst_t *inst, const uint64_t *rec);

/* Counts lines and sectors of an access. */
void rbt_summary_count(const inst_t *inst, rbt_space_t space, uint32_t mask, const uint64_t *rec,
                       uint16_t *lines, uint16_t *sectors);

#endif
