/* Fuzz target of checkpoints. */
#include "tests/fuzz/fuzz_target.h"
#include "tests/support/sim/chip_trial.h"

FUZZ_TARGET(chip_trial, true, 200)
