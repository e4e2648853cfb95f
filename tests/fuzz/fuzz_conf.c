/* libFuzzer target of the configuration reader: build with -DRUBATO_FUZZ=ON and clang. */
#include <stddef.h>
#include <stdint.h>

#include "sim/core/log.h"
#include "tests/support/conf_trial.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
const char *__lsan_default_suppressions(void);

/* libconfig 1.5 leaks the current string at a syntax error. */
const char *__lsan_default_suppressions(void)
{
    return "leak:libconfig";
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    rb_log_quiet(true);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    // The result does not matter: conf_trial() panics on a bug.
    rb_code_t code = conf_trial((const char *)data, n);
    (void)code;
    return 0;
}
