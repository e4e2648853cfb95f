/*
 * Compares two grouped kernel files of Accel-Sim traces by their fields: the header's values, the
 * blocks and warps in their order, and of each instruction source line, pc, mask, registers,
 * opcode, width, immediates, and the address of each active lane, however it is written. Written
 * independently of the reader under test. Not compared: blanks, the versions in the header, and
 * what cannot be kept (register values, clusters, a bulk copy's fields).
 */
#ifndef RUBATO_TESTS_ACCELSIM_COMPARE_H
#define RUBATO_TESTS_ACCELSIM_COMPARE_H

#include <stdint.h>

/* Fails the running test at the first difference; returns the number of instructions. */
uint64_t accelsim_compare_files(const char *original, const char *written);

#endif
