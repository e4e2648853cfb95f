/* libFuzzer target of Accel-Sim's lists of kernels: build with -DRUBATO_FUZZ=ON and clang. */
#include "tests/fuzz/fuzz_target.h"
#include "tests/support/accelsim_list_trial.h"

FUZZ_TARGET(accelsim_list_trial, true)
