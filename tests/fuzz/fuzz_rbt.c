/* libFuzzer target of the native trace reader: build with -DRUBATO_FUZZ=ON and clang. */
#include "tests/fuzz/fuzz_target.h"
#include "tests/support/rbt_trial.h"

FUZZ_TARGET(rbt_trial, true)
