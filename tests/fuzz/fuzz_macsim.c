/* libFuzzer target of the MacSim trace reader: build with -DRUBATO_FUZZ=ON and clang. */
#include "tests/fuzz/fuzz_target.h"
#include "tests/support/macsim_trial.h"

FUZZ_TARGET(macsim_trial, true)
