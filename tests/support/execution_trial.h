/* Arbitrary machine code, executed and recorded, for the fuzz target. */
#ifndef RUBATO_TESTS_EXECUTION_TRIAL_H
#define RUBATO_TESTS_EXECUTION_TRIAL_H

#include <stddef.h>
#include <stdint.h>

#include "sim/core/err.h"

/* Bytes in front of the instructions of an input. */
enum { EXECUTION_HEAD = 4 };

/*
 * data[0 .. n) is a head (bit 0: sm_75, else sm_70; bit 1: recorded; bit 2: cooperative; bits 3
 * and 4: more threads that execute; then a byte each for the threads of a block, the blocks, and
 * what the arrays hold) and instructions of 16 bytes. They run in place of a bundled kernel's code,
 * with limits on steps and memory. Panics on a bug, or if what is recorded is not what the model
 * relies on. RB_TRACE also where the program is at fault.
 */
rb_code_t execution_trial(const void *data, size_t n);

/*
 * Changes an input of n bytes so that most of it is still code: gives an instruction an opcode that
 * there is, small registers, or the place of another one. seed: of what is changed.
 */
void execution_mutate(uint8_t *data, size_t n, unsigned seed);

#endif
