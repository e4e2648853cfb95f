/* Machine code from memory, taken through all that reads and executes it, for the fuzz targets. */
#ifndef RUBATO_TESTS_SASS_TRIAL_H
#define RUBATO_TESTS_SASS_TRIAL_H

#include <stddef.h>

#include "sim/core/err.h"

/*
 * data[0 .. n) is a file: a cubin, a fat binary, or a program with one. Its kernels are decoded and
 * listed, and its first cubins loaded into device memory. Panics on a bug; returns how the reading
 * ended. Needs the folder of temp_folder.h.
 */
rb_code_t cubin_trial(const void *data, size_t n);

/*
 * data[0 .. n) is a byte whose lowest bit chooses sm_70 or sm_75, and instructions of 16 bytes.
 * Each is decoded and listed; then they are executed in place of a bundled kernel's code, with its
 * parameters. RB_TRACE also where the program is at fault.
 */
rb_code_t sass_trial(const void *data, size_t n);

#endif
