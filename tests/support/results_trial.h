/* One hostile file of results through all that reads it back, for the fuzz target and its corpus. */
#ifndef RUBATO_TESTS_RESULTS_TRIAL_H
#define RUBATO_TESTS_RESULTS_TRIAL_H

#include <stddef.h>

#include "sim/core/err.h"

/*
 * The first line of data[0 .. n) is the name of a file of results (run.json, intervals.csv,
 * stats.csv, detectors.json, evaluation.json, jobs.tsv) or hardware.csv, a table of what was
 * measured; the rest is what is in it. It is read as report, compare and stats read it, together
 * with good files of the other names from the corpus. Panics unless it is refused with a message or
 * all that is written about it is well formed. Needs the folder of temp_folder.h.
 */
rb_code_t results_trial(const void *data, size_t n);

#endif
