/* Fuzz target of the reader of cubins, fat binaries and programs. */
#include "tests/fuzz/fuzz_target.h"
#include "tests/support/emulator/sass_trial.h"

FUZZ_TARGET(cubin_trial, true, 1000)
