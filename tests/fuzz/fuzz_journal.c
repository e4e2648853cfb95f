/* Fuzz target of the journals of runs. */
#include "tests/fuzz/fuzz_target.h"
#include "tests/support/tool/journal_trial.h"

FUZZ_TARGET(journal_trial, true, 2000)
