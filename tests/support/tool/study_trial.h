/* Tries one hostile study file, for the fuzz target and its corpus. */
#ifndef RUBATO_TESTS_STUDY_TRIAL_H
#define RUBATO_TESTS_STUDY_TRIAL_H

#include <stddef.h>

#include "sim/core/err.h"

/*
 * Reads n bytes as a study file and makes its points. Panics unless the file is refused with a
 * message or every point can be written as text. Needs the folder of temp_folder.h.
 */
rb_code_t study_trial(const void *data, size_t n);

#endif
