/* Numbers in registers, for expectations. */
#ifndef RUBATO_TESTS_OP_NUMBERS_H
#define RUBATO_TESTS_OP_NUMBERS_H

#include "tests/support/emulator/op_lab.h"

float op_float_of(uint32_t bits);
uint32_t op_bits_of_float(float f); /* every NaN is 0x7fffffff */
double op_double_of(uint64_t bits);
uint64_t op_bits_of_double(double d);

/* A source after its magnitude and sign modifiers; ftz: a denormal becomes a zero of the same
 * sign. */
float op_float_source(const op_case_t *c, char source, uint32_t bits, bool ftz);
double op_double_source(const op_case_t *c, char source, const uint32_t *words);

/* IEEE binary16 by its definition; the rounding modes are to nearest, down, up, to zero. */
double op_half_value(uint32_t bits);
uint32_t op_half_bits(long double v, unsigned mode);

/* The modes of the host, in that order; to nearest again. */
void op_round(unsigned mode);

/* Whether results are equal, apart from the payload of a double NaN. */
bool op_same_double(const op_out_t *expected, const op_out_t *got);

#endif
