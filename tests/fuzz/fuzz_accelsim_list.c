/* Fuzz target of Accel-Sim's lists of kernels. */
#include "tests/fuzz/fuzz_target.h"
#include "tests/support/input/accelsim_list_trial.h"

FUZZ_TARGET(accelsim_list_trial, true, 2000)
