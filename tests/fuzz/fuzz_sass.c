/* Fuzz target of the decoder of machine code and of the emulator. */
#include "tests/fuzz/fuzz_target.h"
#include "tests/support/emulator/sass_trial.h"

FUZZ_TARGET(sass_trial, true, 500)
