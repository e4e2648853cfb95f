/*
 * Checks, block by block, what every trace source must provide (sim/gpu/source/trace_source.h,
 * sim/isa/stream.h), and counts the contents of its streams; for tests of sources, writers and
 * readers.
 */
#ifndef RUBATO_TESTS_STREAM_CHECK_H
#define RUBATO_TESTS_STREAM_CHECK_H

#include "sim/gpu/source/trace_source.h"
#include "sim/isa/isa.h"

/* Sums over the checked blocks. Sectors are 32 bytes, lines 128. Only instructions with active
 * lanes count. */
typedef struct {
    uint64_t blocks, warps; /* warps that execute anything */
    uint64_t warp_insts, thread_insts;
    uint64_t mix[MIX_COUNT];                  /* warp instructions by group */
    uint64_t opcode[OP_CLASS_COUNT];          /* warp instructions by class */
    uint64_t lanes[OP_CLASS_COUNT];           /* thread instructions by class */
    uint64_t requests[MEM_TEX + 1];           /* memory instructions by space */
    uint64_t lines[MEM_TEX + 1];              /* lines that they touch */
    uint64_t sectors[MEM_TEX + 1];            /* sectors that they touch */
    uint64_t load_sectors, store_sectors;     /* of global memory */
    uint64_t lowest_address, highest_address; /* of global memory; highest is the last byte */
    uint64_t hash;                            /* of everything, in order */
} stream_counts_t;

/*
 * Adds the lane addresses of a record to addr[0 .. lanes) and returns the number of lanes.
 */
unsigned stream_lanes(const uint64_t *rec, uint64_t addr[32]);

/*
 * Checks a block against its launch and adds it to *counts (NULL: only checks): runs of one to
 * 65535 instructions, masks within the warp's threads, one record for each memory instruction with
 * active lanes and none for others, records of the right form and number of lanes, sums that agree.
 * Fails the running test with the position of the first fault.
 */
void stream_check_block(const launch_info_t *info, const trace_block_t *b, stream_counts_t *counts);

/*
 * The same for a block of a file that may be damaged: masks and addresses may be absurd, but a walk
 * along the stream must stay inside it.
 */
void stream_check_damaged(const launch_info_t *info, const trace_block_t *b);

/* Checks all blocks of a launch (1 ..), which must be stored in order and complete. */
void stream_check_launch(trace_source_t *s, uint64_t id, stream_counts_t *counts);

/* Checks all launches. */
void stream_check_source(trace_source_t *s, stream_counts_t *counts);

/* Whether two blocks execute the same instructions with the same masks and lane addresses, in
 * any packing. Code is compared by content, so the blocks may come from different sources. */
bool stream_blocks_equal(const trace_block_t *a, const trace_block_t *b);

#endif
