/* Reads a list of kernels from memory completely, for the fuzz target and its corpus. */
#ifndef RUBATO_TESTS_ACCELSIM_LIST_TRIAL_H
#define RUBATO_TESTS_ACCELSIM_LIST_TRIAL_H

#include <stddef.h>

#include "sim/core/err.h"

/*
 * Opens data[0 .. n) as the list of a folder with kernel-1.traceg, kernel-2.traceg.xz and
 * kernel-3-ctx_0x1.trace, and checks what the reader relies on; panics if that is violated. Returns
 * how it ended. Needs a temp_folder.
 */
rb_code_t accelsim_list_trial(const void *data, size_t n);

#endif
