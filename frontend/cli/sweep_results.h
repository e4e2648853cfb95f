/* What comes out of a sweep. */
#ifndef RUBATO_CLI_SWEEP_RESULTS_H
#define RUBATO_CLI_SWEEP_RESULTS_H

#include "frontend/cli/sweep.h"

/*
 * Writes jobs.csv and results.csv of what is done, and prints a table (of up to 200 jobs) in which
 * each job stands against the first of its trace.
 */
RB_CHECKED rb_code_t sweep_results(const sweep_t *s, bool table, rb_err_t *err);

#endif
