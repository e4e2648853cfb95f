/* One hostile input through the readers of profiles, for the fuzz targets and their corpora. */
#ifndef RUBATO_TESTS_PROFILE_TRIAL_H
#define RUBATO_TESTS_PROFILE_TRIAL_H

#include <stddef.h>

#include "sim/core/err.h"

/* Reads n bytes as a profile. Panics unless it is refused with a message or holds together. */
rb_code_t profile_text_trial(const void *data, size_t n);

/*
 * The same of an sqlite database: data[0 .. n) is its file, or, where it does not begin as one, a
 * script of CREATE TABLE and INSERT that makes it. Needs the folder of temp_folder.h; not there in a
 * build without sqlite.
 */
rb_code_t profile_sqlite_trial(const void *data, size_t n);

#endif
