/* libFuzzer target of the Accel-Sim trace reader: build with -DRUBATO_FUZZ=ON and clang. */
#include "tests/fuzz/fuzz_target.h"
#include "tests/support/accelsim_trial.h"

FUZZ_TARGET(accelsim_trial, false)
