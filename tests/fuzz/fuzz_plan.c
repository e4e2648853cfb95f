/* Fuzz target of the readers of plans. */
#include "tests/fuzz/fuzz_target.h"
#include "tests/support/sampling/plan_trial.h"

FUZZ_TARGET(plan_trial, false, 20000)
