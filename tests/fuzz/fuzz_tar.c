/* Fuzz target of the reader of archives. */
#include "tests/fuzz/fuzz_target.h"
#include "tests/support/input/tar_trial.h"

FUZZ_TARGET(tar_trial, true, 2000)
