/* Fuzz target of the Accel-Sim trace reader. */
#include "tests/fuzz/fuzz_target.h"
#include "tests/support/input/accelsim_trial.h"

FUZZ_TARGET(accelsim_trial, false, 8000)
