/* libFuzzer target of the readers of plans: build with -DRUBATO_FUZZ=ON and clang. */
#include "tests/fuzz/fuzz_target.h"
#include "tests/support/plan_trial.h"

FUZZ_TARGET(plan_trial, false)
