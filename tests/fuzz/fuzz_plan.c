/* libFuzzer target of the readers of plans: build with -DRUBATO_FUZZ=ON and clang. */
#include <stdint.h>

#include "sim/core/log.h"
#include "tests/support/plan_trial.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    rb_log_quiet(true);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    // The result is of no interest: plan_trial() panics on a bug.
    rb_code_t code = plan_trial(data, n);
    (void)code;
    return 0;
}
