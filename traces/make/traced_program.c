/*
 * The programs behind the bundled traces: CUDA programs without nvcc, around the bundled machine
 * code. Each makes its input, launches its kernels, and compares what they computed with the same
 * on the CPU; it ends with 1 if that differs.
 *
 *   traced_program CUBIN ARCH PROGRAM
 */
#include "traces/make/traced_program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int cudaMalloc(void **p, size_t n);
int cudaLaunchKernel(const void *host, dim3_t grid, dim3_t block, void **args, size_t shared,
                     void *stream);

/* Their addresses are what the program knows its kernels by. */
static const char stubs[2][1];

void *on_device(const void *data, size_t bytes)
{
    void *p = NULL;

    if (cudaMalloc(&p, bytes) != 0 ||
        (data != NULL && cudaMemcpy(p, data, bytes, HOST_TO_DEVICE) != 0))
        exit(2);
    return p;
}

void *from_device(const void *p, size_t bytes)
{
    void *data = malloc(bytes);

    if (data == NULL || cudaMemcpy(data, p, bytes, DEVICE_TO_HOST) != 0)
        exit(2);
    return data;
}

void skip_a_place(void)
{
    on_device(NULL, 512);
}

void launch(kernel_t kernel, dim3_t grid, dim3_t block, void **args, size_t shared)
{
    if (cudaLaunchKernel(stubs[kernel], grid, block, args, shared, NULL) != 0)
        exit(2);
}

uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

float next_float(uint32_t *seed)
{
    return (float)next_random(seed) * 0x1p-24f;
}

float *random_floats(size_t n, uint32_t seed)
{
    float *v = malloc(n * sizeof(*v));

    if (v == NULL)
        exit(2);
    for (size_t i = 0; i < n; i++)
        v[i] = next_float(&seed);
    return v;
}

static const struct {
    const char *name, *a, *b; /* of the program, of its kernels */
    unsigned (*run)(void);
} programs[] = {
    {"fft", "fft", "fft", traced_fft},
    {"scan", "scan_blocks", "scan_add", traced_scan},
    {"stencil", "stencil", "stencil", traced_stencil},
    {"nbody", "nbody", "nbody", traced_nbody},
    {"sort", "sort_blocks", "sort_step", traced_sort},
    {"bfs", "bfs_level", "bfs_level", traced_bfs},
    {"vecadd", "vecadd", "vecadd", traced_vecadd},
    {"matmul", "matmul", "matmul", traced_matmul},
    {"transpose", "transpose_tiled", "transpose_tiled", traced_transpose},
    {"softmax", "softmax", "softmax", traced_softmax},
    {"layernorm", "layernorm", "layernorm", traced_layernorm},
    {"reduce", "reduce_smem", "reduce_atomic", traced_reduce},
    {"hgemm", "hgemm", "hgemm", traced_hgemm},
    {"histo", "histo", "histo", traced_histo},
    {"spmv", "spmv_vector", "spmv_vector", traced_spmv},
};

int main(int argc, char **argv)
{
    size_t i = 0, n = sizeof(programs) / sizeof(programs[0]);

    while (argc == 4 && i < n && strcmp(programs[i].name, argv[3]) != 0)
        i++;
    if (argc != 4 || i == n) {
        fprintf(stderr, "usage: %s CUBIN ARCH PROGRAM, one of", argv[0]);
        for (i = 0; i < n; i++)
            fprintf(stderr, " %s", programs[i].name);
        fputc('\n', stderr);
        return 2;
    }
    void **handle = cuda_stub_open(argv[1], (unsigned)atoi(argv[2]));
    cuda_stub_kernel(handle, stubs[FIRST_KERNEL], programs[i].a);
    cuda_stub_kernel(handle, stubs[SECOND_KERNEL], programs[i].b);
    __cudaRegisterFatBinaryEnd(handle);
    unsigned wrong = programs[i].run();
    printf("%s, sm_%s: %u values differ from the CPU's\n", argv[3], argv[2], wrong);
    return wrong != 0;
}
