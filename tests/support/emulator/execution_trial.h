/* Executes and records arbitrary machine code, for the fuzz target. */
#ifndef RUBATO_TESTS_EXECUTION_TRIAL_H
#define RUBATO_TESTS_EXECUTION_TRIAL_H

#include <stddef.h>
#include <stdint.h>

#include "sim/core/err.h"

/* Bytes in front of the instructions of an input. */
enum { EXECUTION_HEAD = 4 };

/*
 * data[0 .. n) is a head and instructions of 16 bytes. The head has a byte of flags (bit 0: sm_75,
 * else sm_70; bit 1: record; bit 2: cooperative; bits 3 and 4: additional host threads) and a byte
 * each for the threads of a block, the number of blocks, and the contents of the arrays. The code
 * replaces that of a bundled kernel; steps and memory are limited. Panics on a bug, or if the record
 * breaks a rule that the model relies on. RB_TRACE also if the program is at fault.
 */
rb_code_t execution_trial(const void *data, size_t n);

/*
 * Mutates an input of n bytes so that most of it remains valid code: gives an instruction an existing
 * opcode or small register numbers, or copies another instruction. seed selects the mutation.
 */
void execution_mutate(uint8_t *data, size_t n, unsigned seed);

#endif
