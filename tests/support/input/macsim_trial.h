/* Reads a MacSim trace from memory completely, for the fuzz target and its corpus. */
#ifndef RUBATO_TESTS_MACSIM_TRIAL_H
#define RUBATO_TESTS_MACSIM_TRIAL_H

#include <stddef.h>

#include "sim/core/err.h"

/*
 * data[0 .. n) is split at lines "====" into kernel_config.txt, kernel_names.txt, the sampling
 * file, trace.txt, trace_info.txt, and the file of each warp in turn, up to four (0, 1, 65536,
 * 65537). If one of the first three parts is empty, that file does not exist. Reads all launches
 * and checks what the model relies on; panics if that is violated. Returns how the reading ended.
 * Needs the folder of macsim_files.h.
 */
rb_code_t macsim_trial(const void *data, size_t n);

#endif
