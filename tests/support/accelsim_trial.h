/* One whole reading of a kernel file from memory, for the fuzz target and its corpus. */
#ifndef RUBATO_TESTS_ACCELSIM_TRIAL_H
#define RUBATO_TESTS_ACCELSIM_TRIAL_H

#include <stddef.h>

#include "sim/core/err.h"

/*
 * Reads all blocks of the file that data[0 .. n) is and checks what the model relies on; panics
 * where that does not hold. Returns how the reading ended.
 */
rb_code_t accelsim_trial(const void *data, size_t n);

#endif
