/* Tries one hostile configuration of GPGPU-Sim, for the fuzz target and its corpus. */
#ifndef RUBATO_TESTS_IMPORT_TRIAL_H
#define RUBATO_TESTS_IMPORT_TRIAL_H

#include <stddef.h>

#include "sim/core/err.h"

/*
 * Imports n bytes as a gpgpusim.config. Panics unless the import is refused with a message or
 * writes a configuration that can be loaded as a GPU. Needs the folder of temp_folder.h.
 */
rb_code_t import_trial(const void *data, size_t n);

#endif
