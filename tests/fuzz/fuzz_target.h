/* Common code of libFuzzer targets whose input is tried by one function. */
#ifndef RUBATO_TESTS_FUZZ_TARGET_H
#define RUBATO_TESTS_FUZZ_TARGET_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "sim/core/log.h"
#include "tests/support/temp_folder.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

/*
 * Defines the target that runs trial, rb_code_t trial(const void *data, size_t n), on each input.
 * The result does not matter: a trial panics on a bug. in_folder: the trial needs the temporary
 * folder.
 */
#define FUZZ_TARGET(trial, in_folder)                                                              \
    int LLVMFuzzerInitialize(int *argc, char ***argv)                                              \
    {                                                                                              \
        (void)argc;                                                                                \
        (void)argv;                                                                                \
        rb_log_quiet(true);                                                                        \
        if (in_folder) {                                                                           \
            temp_folder_create();                                                                  \
            atexit(temp_folder_remove);                                                            \
        }                                                                                          \
        return 0;                                                                                  \
    }                                                                                              \
                                                                                                   \
    int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)                                      \
    {                                                                                              \
        rb_code_t code = trial(data, n);                                                           \
        (void)code;                                                                                \
        return 0;                                                                                  \
    }

#endif
