/* libFuzzer target of the decoder of machine code and of the emulator: build with -DRUBATO_FUZZ=ON
 * and clang. */
#include "tests/fuzz/fuzz_target.h"
#include "tests/support/sass_trial.h"

FUZZ_TARGET(sass_trial, true)
