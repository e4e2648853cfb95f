/* Fuzz target of "config import". */
#include "tests/fuzz/fuzz_target.h"
#include "tests/support/input/import_trial.h"

FUZZ_TARGET(import_trial, true, 500)
