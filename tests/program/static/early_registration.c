/*
 * Registers a fat binary in a constructor, as nvcc's code does, so the runtime must have been replaced
 * by then. Also has a local function with a name of the runtime, which must stay.
 */
#include <stdio.h>
#include <unistd.h>

#include "tests/support/emulator/cuda_stub.h"

/* In files of nvcc this section holds the places of the fat binaries. */
__attribute__((section(".nvFatBinSegment"), used)) static int segment = 1;

/* One of the functions that nvcc puts into each program, ahead of all others. */
__attribute__((noinline, used, section(".text.unlikely"))) static void
__cudaUnregisterBinaryUtil(void)
{
}

__attribute__((noinline)) static int cudaStreamCreate(volatile int *p)
{
    return *p + 1;
}

__attribute__((constructor)) static void registers(void)
{
    volatile int one = 1;

    __cudaRegisterFatBinaryEnd(cuda_stub_open_fatbin(cuda_stub_container()));
    if (cudaStreamCreate(&one) != 2) {
        printf("a function of the program was replaced\n");
        fflush(stdout);
        _exit(8);
    }
}
