/* Tries one hostile file of results, for the fuzz target and its corpus. */
#ifndef RUBATO_TESTS_RESULTS_TRIAL_H
#define RUBATO_TESTS_RESULTS_TRIAL_H

#include <stddef.h>

#include "sim/core/err.h"

/*
 * The first line of data[0 .. n) is the name of a file of results (run.json, intervals.csv,
 * stats.csv, detectors.json, evaluation.json, jobs.tsv) or hardware.csv, a table of measurements.
 * The rest is its content. Reads the file like report, compare and stats, with the corpus's good
 * files of the other names. Panics unless it is refused with a message or all output made from it
 * is well formed. Needs the folder of temp_folder.h.
 */
rb_code_t results_trial(const void *data, size_t n);

#endif
