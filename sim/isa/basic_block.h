/*
 * Basic blocks of a warp's instruction stream. One ends after a branch, an exit or a barrier, where
 * the next instruction is not the one behind it in memory, and at BASIC_BLOCK_INSTS. It is known by
 * the pc of its first instruction and their number.
 */
#ifndef RUBATO_ISA_BASIC_BLOCK_H
#define RUBATO_ISA_BASIC_BLOCK_H

#include "sim/isa/inst.h"

enum { BASIC_BLOCK_INSTS = 1 << 12 };

/* Whether next belongs to the basic block whose n instructions so far end with last. */
static inline bool basic_block_goes_on(const inst_t *last, uint32_t n, const inst_t *next)
{
    enum { INST_BYTES = 16 };
    return (last->flags & (INST_BRANCH | INST_EXIT | INST_BARRIER)) == 0 && n < BASIC_BLOCK_INSTS &&
           next->pc > last->pc && next->pc - last->pc <= INST_BYTES;
}

#endif
