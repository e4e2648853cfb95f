/* One whole reading of a MacSim trace from memory, for the fuzz target and its corpus. */
#ifndef RUBATO_TESTS_MACSIM_TRIAL_H
#define RUBATO_TESTS_MACSIM_TRIAL_H

#include <stddef.h>

#include "sim/core/err.h"

/*
 * data[0 .. n) is cut at lines "====": kernel_config.txt, kernel_names.txt, the sampling,
 * trace.txt, trace_info.txt, and the rest is the file of each warp in turn, up to four (0, 1,
 * 65536, 65537). An empty part of the first three is no file. Reads all launches and checks what
 * the model relies on; panics where that does not hold. Returns how the reading ended. Needs the
 * folder of macsim_files.h.
 */
rb_code_t macsim_trial(const void *data, size_t n);

#endif
