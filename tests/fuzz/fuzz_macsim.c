/* Fuzz target of the MacSim trace reader. */
#include "tests/fuzz/fuzz_target.h"
#include "tests/support/input/macsim_trial.h"

FUZZ_TARGET(macsim_trial, true, 1500)
