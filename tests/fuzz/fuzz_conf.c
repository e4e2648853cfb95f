/* Fuzz target of the reader of configurations. */
#include "tests/fuzz/fuzz_target.h"
#include "tests/support/sim/conf_trial.h"

FUZZ_LIBCONFIG_LEAKS
FUZZ_TARGET(conf_trial, false, 5000)
