/* Tries one hostile archive, for the fuzz target and its corpus. */
#ifndef RUBATO_TESTS_TAR_TRIAL_H
#define RUBATO_TESTS_TAR_TRIAL_H

#include <stddef.h>

#include "sim/core/err.h"

/*
 * Lists and reads n bytes as an archive. Panics unless both accept it or both refuse it with a
 * message that begins with the file, and every name stays inside a folder. Needs the folder of
 * temp_folder.h.
 */
rb_code_t tar_trial(const void *data, size_t n);

#endif
