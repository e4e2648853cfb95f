/* Tries one hostile profile, for the fuzz targets and their corpora. */
#ifndef RUBATO_TESTS_PROFILE_TRIAL_H
#define RUBATO_TESTS_PROFILE_TRIAL_H

#include <stddef.h>

#include "sim/core/err.h"

/* Reads n bytes as a profile. Panics unless it is refused with a message or is consistent. */
rb_code_t profile_text_trial(const void *data, size_t n);

/*
 * The same for an SQLite database. If data[0 .. n) does not begin like a database file, it is an
 * SQL script that creates one. Not in builds without SQLite. Needs the folder of temp_folder.h.
 */
rb_code_t profile_sqlite_trial(const void *data, size_t n);

#endif
