/* The cases of the differential test of the emulator, by class of instructions. */
#ifndef RUBATO_TESTS_OP_CASES_H
#define RUBATO_TESTS_OP_CASES_H

void op_cases_integer(void);
void op_cases_logic(void);
void op_cases_compare(void);
void op_cases_float(void);
void op_cases_half(void);
void op_cases_convert(void);
void op_cases_lanes(void);
void op_cases_matrix(void);
void op_cases_memory(void);

#endif
