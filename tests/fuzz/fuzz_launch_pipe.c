/* Fuzz target of what a recorded program and rubato say to each other. */
#include "tests/fuzz/fuzz_target.h"
#include "tests/support/sim/pipe_trial.h"

FUZZ_TARGET(pipe_trial, true, 3000)
