/*
 * What retired on an SM: warps, blocks and dynamic basic blocks, noted for samplers that ask; and
 * reads of the cycle counter, for kernels that time themselves.
 *
 * Basic blocks are those of sim/isa/basic_block.h.
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

/* Bit of a kind, for sets of kinds. */
static inline unsigned retired_bit(retired_kind_t kind)
{
    return 1u << kind;
}

/*
 * start: a warp or block came to its SM; the basic block's first instruction was issued.
 * retire: the warp's loads were complete and its stores had left the SM too; all warps of the block
 * had retired; the first instruction of the warp's next basic block was issued, or the warp
 * retired. A read of the cycle counter has both at the cycle that it reads.
 */
typedef struct {
    cycle_t start, retire;
    uint64_t block;   /* index of the block in stored order */
    uint64_t n_insts; /* warp instructions */
    uint32_t pc;      /* of a basic block's first instruction, of a clock read */
    uint16_t sm;
    uint16_t warp; /* of the block */
} retired_t;

/*
 * Together with basic blocks: instructions of one class whose latency is not fixed, and the cycles
 * from their issue until a dependent instruction could be issued.
 */
typedef struct {
    uint64_t n, cycles;
} latency_sum_t;

#endif
