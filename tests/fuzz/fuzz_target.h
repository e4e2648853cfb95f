/*
 * Defines a fuzz target from a trial, rb_code_t trial(const void *data, size_t n), which reads one
 * input, returns the reader's code and panics on a bug. The target's file is linked with libFuzzer
 * (RUBATO_FUZZ, clang) or, in every other build, with replay.c, which runs the corpus as a test.
 */
#ifndef RUBATO_TESTS_FUZZ_TARGET_H
#define RUBATO_TESTS_FUZZ_TARGET_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "sim/core/log.h"
#include "tests/support/temp_folder.h"

typedef struct {
    rb_code_t (*trial)(const void *data, size_t n);
    unsigned changes; /* number of random changes of corpus inputs that the replay also tries */
} fuzz_target_t;

extern const fuzz_target_t fuzz_target;

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static inline void fuzz_say_nothing(void *ctx, bool warning, const char *text)
{
    (void)ctx, (void)warning, (void)text;
}

static inline void fuzz_be_quiet(void)
{
    rb_log_use(rb_log_create(fuzz_say_nothing, NULL)); /* never freed */
}

/* Defines the target. in_folder: whether the trial needs the folder of temp_folder.h. */
#define FUZZ_TARGET(trial, in_folder, changes)                                                     \
    const fuzz_target_t fuzz_target = {trial, changes};                                            \
                                                                                                   \
    int LLVMFuzzerInitialize(int *argc, char ***argv)                                              \
    {                                                                                              \
        (void)argc;                                                                                \
        (void)argv;                                                                                \
        fuzz_be_quiet();                                                                           \
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

/* Suppresses leak reports for libconfig 1.5: at a syntax error it leaks the string being parsed. */
#define FUZZ_LIBCONFIG_LEAKS                                                                       \
    const char *__lsan_default_suppressions(void);                                                 \
    const char *__lsan_default_suppressions(void)                                                  \
    {                                                                                              \
        return "leak:libconfig";                                                                   \
    }

#endif
