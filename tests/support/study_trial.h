/* One hostile study file, for the fuzz target and its corpus. */
#ifndef RUBATO_TESTS_STUDY_TRIAL_H
#define RUBATO_TESTS_STUDY_TRIAL_H

#include <stddef.h>

#include "sim/core/err.h"

/*
 * Reads n bytes as a study file and makes its points. Panics unless it is refused with a message
 * or every point has a text. Needs the folder of temp_folder.h.
 */
rb_code_t study_trial(const void *data, size_t n);

#endif
