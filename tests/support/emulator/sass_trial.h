/* Passes machine code from memory through everything that reads and executes it, for the fuzz
 * targets. */
#ifndef RUBATO_TESTS_SASS_TRIAL_H
#define RUBATO_TESTS_SASS_TRIAL_H

#include <stddef.h>

#include "sim/core/err.h"

/*
 * data[0 .. n) is a file: a cubin, a fat binary, or a program that contains one. Its kernels are
 * decoded and listed, and its first cubins are loaded into device memory. Panics on a bug; returns
 * how the reading ended. Needs the folder of temp_folder.h.
 */
rb_code_t cubin_trial(const void *data, size_t n);

/*
 * data[0 .. n) is a byte whose lowest bit selects sm_70 or sm_75, followed by instructions of 16
 * bytes. Each is decoded and listed. Then they are executed in place of the code of a bundled
 * kernel, with its parameters. Also returns RB_TRACE if the program is at fault.
 */
rb_code_t sass_trial(const void *data, size_t n);

#endif
