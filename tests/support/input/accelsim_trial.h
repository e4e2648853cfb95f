/* Reads a kernel file from memory completely, for the fuzz target and its corpus. */
#ifndef RUBATO_TESTS_ACCELSIM_TRIAL_H
#define RUBATO_TESTS_ACCELSIM_TRIAL_H

#include <stddef.h>

#include "sim/core/err.h"

/*
 * Reads all blocks of the file data[0 .. n) and checks what the model relies on; panics if that is
 * violated. Returns how the reading ended.
 */
rb_code_t accelsim_trial(const void *data, size_t n);

#endif
