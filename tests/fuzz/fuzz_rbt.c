/* Fuzz target of the native trace reader. */
#include "tests/fuzz/fuzz_target.h"
#include "tests/support/trace/rbt_trial.h"

FUZZ_TARGET(rbt_trial, true, 4000)
