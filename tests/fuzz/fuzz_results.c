/* Fuzz target of what reads results back: report, compare and stats. */
#include "tests/fuzz/fuzz_target.h"
#include "tests/support/tool/results_trial.h"

FUZZ_TARGET(results_trial, true, 3000)
