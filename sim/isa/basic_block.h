/*
 * Basic blocks of a warp's instruction stream. A block ends after a branch, an exit or a barrier,
 * when the next instruction is not the one behind it in memory, and after BASIC_BLOCK_INSTS
 * instructions. The pc of its first instruction and its length identify it.
 */
#ifndef RUBATO_ISA_BASIC_BLOCK_H
#define RUBATO_ISA_BASIC_BLOCK_H

#include "sim/isa/inst.h"

enum { BASIC_BLOCK_INSTS = 1 << 12 };

/* Whether next continues the basic block of n instructions that ends with last. */
static inline bool basic_block_goes_on(const inst_t *last, uint32_t n, const inst_t *next)
{
    enum { INST_BYTES = 16 };
    return (last->flags & (INST_BRANCH | INST_EXIT | INST_BARRIER)) == 0 && n < BASIC_BLOCK_INSTS &&
           next->pc > last->pc && next->pc - last->pc <= INST_BYTES;
}

#endif
