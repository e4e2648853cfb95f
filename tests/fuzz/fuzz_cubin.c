/* libFuzzer target of the reader of cubins, fat binaries and programs: build with -DRUBATO_FUZZ=ON
 * and clang. */
#include <stdint.h>
#include <stdlib.h>

#include "sim/core/log.h"
#include "tests/support/sass_trial.h"
#include "tests/support/temp_folder.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    rb_log_quiet(true);
    temp_folder_create();
    atexit(temp_folder_remove);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    // The result is of no interest: cubin_trial() panics on a bug.
    rb_code_t code = cubin_trial(data, n);
    (void)code;
    return 0;
}
