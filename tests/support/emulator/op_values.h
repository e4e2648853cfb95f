/* Operands for instructions under test: random ones, and special ones at which errors are
 * likely. */
#ifndef RUBATO_TESTS_OP_VALUES_H
#define RUBATO_TESTS_OP_VALUES_H

#include "tests/support/emulator/op_lab.h"

/* Words of the three sources of a lane. */
void op_values_fill(op_values_t kind, op_in_t *in, uint64_t *seed);

/* A word as an immediate or constant of a kind. */
uint32_t op_values_word(op_values_t kind, uint64_t *seed);

#endif
