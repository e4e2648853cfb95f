/* Fuzz target of the reader of profiles that are sqlite databases. */
#include "tests/fuzz/fuzz_target.h"
#include "tests/support/input/profile_trial.h"

FUZZ_TARGET(profile_sqlite_trial, true, 2000)
