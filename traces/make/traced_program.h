/*
 * The programs behind the bundled traces, and what they share: a CUDA runtime's functions without
 * its headers, arrays on the device, random input.
 */
#ifndef RUBATO_TRACED_PROGRAM_H
#define RUBATO_TRACED_PROGRAM_H

#include <stddef.h>
#include <stdint.h>

#include "tests/support/emulator/cuda_stub.h"

int cudaMemcpy(void *to, const void *from, size_t n, int kind);

enum { HOST_TO_DEVICE = 1, DEVICE_TO_HOST = 2 };

/* Which of a program's two kernels is launched. */
typedef enum { FIRST_KERNEL, SECOND_KERNEL } kernel_t;

/* An array on the device, with a copy of data unless that is NULL. Ends the program on an error. */
void *on_device(const void *data, size_t bytes);

/* Before the first array: those of the traces that are text begin 512 bytes into a page. */
void skip_a_place(void);

/* A copy of such an array, to be freed. */
void *from_device(const void *p, size_t bytes);

void launch(kernel_t kernel, dim3_t grid, dim3_t block, void **args, size_t shared);

/* 24 random bits; a number in [0, 1); n of those, to be freed. */
uint32_t next_random(uint32_t *seed);
float next_float(uint32_t *seed);
float *random_floats(size_t n, uint32_t seed);

/* Each makes its input, launches its kernels, and says how many values differ from the CPU's. */
unsigned traced_scan(void);
unsigned traced_stencil(void);
unsigned traced_fft(void);
unsigned traced_nbody(void);
unsigned traced_sort(void);
unsigned traced_bfs(void);
unsigned traced_vecadd(void);
unsigned traced_matmul(void);
unsigned traced_transpose(void);
unsigned traced_softmax(void);
unsigned traced_layernorm(void);
unsigned traced_reduce(void);
unsigned traced_hgemm(void);
unsigned traced_histo(void);
unsigned traced_spmv(void);

#endif
