#ifndef RUBATO_TESTS_CUDA_PROGRAM_STREAMS_H
#define RUBATO_TESTS_CUDA_PROGRAM_STREAMS_H

#include "tests/support/emulator/cuda_stub.h"

/* Launches the kernel in several streams. Returns 0, or an error. Not in all programs that are made of
 * cuda_program.c. */
__attribute__((weak)) int run_streams(const void *stub);

#endif
