/*
 * Records of what retires on an SM: warps, blocks and dynamic basic blocks (sim/isa/basic_block.h)
 * for samplers, and reads of the cycle counter for kernels that time themselves.
 */
#ifndef RUBATO_SM_RETIRED_H
#define RUBATO_SM_RETIRED_H

#include <stddef.h>

#include "sim/core/cycle.h"

typedef enum {
    RETIRED_WARP,
    RETIRED_BLOCK,
    RETIRED_BASIC_BLOCK,
    RETIRED_CLOCK,
    RETIRED_KINDS
} retired_kind_t;

/* The bit of a kind in a set of kinds. */
static inline unsigned retired_bit(retired_kind_t kind)
{
    return 1u << kind;
}

/*
 * start: the warp or block came to the SM, or the first instruction of the basic block was issued.
 * retire: the warp's loads had completed and its stores had left the SM; all warps of the block had
 * retired; or the warp issued the first instruction of its next basic block, or retired. For a read
 * of the cycle counter both are the cycle that it reads.
 */
typedef struct {
    cycle_t start, retire;
    uint64_t block;   /* index of the block in stored order */
    uint64_t n_insts; /* warp instructions */
    uint32_t pc;      /* of the first instruction of a basic block, or of a clock read */
    uint16_t sm;
    uint16_t warp; /* index within the block */
} retired_t;

/* With basic blocks: instructions of one class whose latency is not fixed, and the sum of the
 * cycles from issue to dependent issue. */
typedef struct {
    uint64_t n, cycles;
} latency_sum_t;

#endif
