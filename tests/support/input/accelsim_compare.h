/*
 * Compares two grouped kernel files of Accel-Sim traces field by field: the values of the header,
 * the blocks and warps in their order, and for each instruction the source line, pc, mask,
 * registers, opcode, width, immediates, and the address of each active lane, in whatever form it is
 * written. It is written independently of the reader under test. Not compared are blanks, the
 * versions in the header, and fields that native traces do not keep (register values, clusters,
 * fields of a bulk copy).
 */
#ifndef RUBATO_TESTS_ACCELSIM_COMPARE_H
#define RUBATO_TESTS_ACCELSIM_COMPARE_H

#include <stdint.h>

/* Fails the running test at the first difference; returns the number of instructions. */
uint64_t accelsim_compare_files(const char *original, const char *written);

#endif
