/* Fuzz target of the readers of profiles that are text. */
#include "tests/fuzz/fuzz_target.h"
#include "tests/support/input/profile_trial.h"

FUZZ_TARGET(profile_text_trial, false, 5000)
