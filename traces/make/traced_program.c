/*
 * The programs behind the bundled traces in the native format: CUDA programs without nvcc, around
 * the bundled machine code. Each makes its input, launches its kernels, and compares what they
 * computed with the same on the CPU; it ends with 1 if that differs.
 *
 *   traced_program CUBIN ARCH PROGRAM
 */
#include "traces/make/traced_program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    int magic, version;
    const void *data;
    void *filename;
} wrapper_t;

void **__cudaRegisterFatBinary(const wrapper_t *wrapper);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
                            int threads, void *tid, void *bid, void *block, void *grid,
                            int *warp_size);
int cudaMalloc(void **p, size_t n);
int cudaLaunchKernel(const void *host, dim3_t grid, dim3_t block, void **args, size_t shared,
                     void *stream);

enum { FILE_BYTES = 1 << 20, FATBIN_HEADER = 80 };

/* Their addresses are what the program knows its kernels by. */
static const char stubs[2][1];

static void put(uint8_t *p, uint64_t value, unsigned bytes)
{
    memcpy(p, &value, bytes);
}

/* A fat binary with the file as its only image. */
static uint8_t *make_fatbin(const char *path, unsigned arch)
{
    uint8_t *p = calloc(1, FILE_BYTES + FATBIN_HEADER);
    FILE *in = fopen(path, "rb");

    if (in == NULL || p == NULL) {
        perror(path);
        exit(2);
    }
    size_t n = fread(p + FATBIN_HEADER, 1, FILE_BYTES, in);
    fclose(in);
    put(p, 0xba55ed50u, 4);
    put(p + 4, 1, 2);
    put(p + 6, 16, 2);
    put(p + 8, 64 + n, 8);
    put(p + 16, 2, 2);
    put(p + 20, 64, 4);
    put(p + 24, n, 8);
    put(p + 44, arch, 4);
    return p;
}

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
    wrapper_t wrapper = {0x466243b1, 1, make_fatbin(argv[1], (unsigned)atoi(argv[2])), NULL};
    void **handle = __cudaRegisterFatBinary(&wrapper);
    __cudaRegisterFunction(handle, stubs[0], NULL, programs[i].a, -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterFunction(handle, stubs[1], NULL, programs[i].b, -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterFatBinaryEnd(handle);
    unsigned wrong = programs[i].run();
    printf("%s, sm_%s: %u values differ from the CPU's\n", argv[3], argv[2], wrong);
    return wrong != 0;
}
