/* Reads a native trace or a part of it completely, for the fuzz target and its corpus. */
#ifndef RUBATO_TESTS_RBT_TRIAL_H
#define RUBATO_TESTS_RBT_TRIAL_H

#include <stddef.h>

#include "sim/core/err.h"

/*
 * The first byte says what the rest is: 'F' a file, or an unpacked part, because a change in a
 * packed one would only give a wrong checksum: 'R' the root, 'P' a page of blocks, 'L' a page of
 * launches, 'C' the code of a kernel, 'B' the length of code (32 bits), that code, and a frame of
 * blocks. Reads all of it and checks what the model relies on; panics if that is violated. Returns
 * how the reading ended. Needs the folder of temp_folder.h.
 */
rb_code_t rbt_trial(const void *data, size_t n);

#endif
