/* Fuzz target of the reader of study files. */
#include "tests/fuzz/fuzz_target.h"
#include "tests/support/tool/study_trial.h"

FUZZ_LIBCONFIG_LEAKS
FUZZ_TARGET(study_trial, true, 2000)
