/* libFuzzer target of the decoder of machine code and of the emulator: build with -DRUBATO_FUZZ=ON
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
    // The result is of no interest: sass_trial() panics on a bug.
    rb_code_t code = sass_trial(data, n);
    (void)code;
    return 0;
}
