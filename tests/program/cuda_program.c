/*
 * A CUDA program as nvcc makes them, without nvcc: the constructor and the stub that it would
 * write, around the machine code of a bundled kernel. For the tests of "rubato record".
 *
 * CUBIN and ARCH may be lists of as many members with commas between them: the images of one fat
 * binary. An ARCH "ptx75" makes the file an image of PTX.
 *
 *   cuda_program CUBIN ARCH add N [M [S]]   adds vectors M times, says whether the sums are right;
 *                                       ends with status S
 *   cuda_program CUBIN ARCH wild        the kernel reads past its vectors
 *   cuda_program CUBIN ARCH threads     a launch with too many threads
 *   cuda_program CUBIN ARCH exit N      ends with that status
 *   cuda_program CUBIN ARCH die         adds, and is killed before it ends
 *   cuda_program CUBIN ARCH missing     calls what the runtime does not have
 *   cuda_program CUBIN ARCH refused S   is given an error, launches nothing, ends with status S
 *   cuda_program CUBIN ARCH device      prints what it is told of the GPU
 *   cuda_program CUBIN ARCH fit [C A]   adds with a block for each SM; another part of the program
 *                                       has the cubin C for architecture A
 *   cuda_program CUBIN ARCH streams     launches in several streams (cuda_program_streams.c)
 *   cuda_program CUBIN ARCH take N      asks for N bytes of device memory, and of pinned memory
 */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/program/cuda_program_streams.h"
#include "tests/support/emulator/cuda_stub.h"

int cudaMalloc(void **p, size_t n);
int cudaFree(void *p);
int cudaMemcpy(void *to, const void *from, size_t n, int kind);
int cudaLaunchKernel(const void *host, dim3_t grid, dim3_t block, void **args, size_t shared,
                     void *stream);
int cudaGetLastError(void);
int cudaDeviceSynchronize(void);
const char *cudaGetErrorString(int error);
const char *cudaGetErrorName(int error);
int cudaIpcGetMemHandle(void *handle, void *p);
int cudaMallocHost(void **p, size_t n);
int cudaMemGetInfo(size_t *free_bytes, size_t *total);
int cudaGetDeviceProperties(void *properties, int device);
int cudaDeviceGetAttribute(int *value, int attribute, int device);
int cudaFuncGetAttributes(void *attributes, const void *host);
int cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *n, const void *host, int threads,
                                                  size_t shared);
int cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *host, int blocks,
                                              int threads);

enum { HOST_TO_DEVICE = 1, DEVICE_TO_HOST = 2 };

/* The program identifies the kernel by this address. */
static const char stub[1];

static int add(int n, int wild, int times)
{
    size_t bytes = (size_t)n * sizeof(float);
    float *x = malloc(bytes), *y = malloc(bytes), *z = malloc(bytes);
    void *a, *b, *c;
    int count = wild ? n + (64 << 20) : n, wrong = 0;
    dim3_t grid = {((unsigned)count + 255) / 256, 1, 1}, block = {256, 1, 1};
    void *args[] = {&a, &b, &c, &count};

    for (int i = 0; i < n; i++) {
        x[i] = (float)i * 0.5f;
        y[i] = 1.0f / (float)(i + 1);
    }
    if (cudaMalloc(&a, bytes) || cudaMalloc(&b, bytes) || cudaMalloc(&c, bytes))
        return 4;
    cudaMemcpy(a, x, bytes, HOST_TO_DEVICE);
    cudaMemcpy(b, y, bytes, HOST_TO_DEVICE);
    for (int i = 0; i < times; i++)
        cudaLaunchKernel(stub, grid, block, args, 0, NULL);
    cudaDeviceSynchronize();
    cudaMemcpy(z, c, bytes, DEVICE_TO_HOST);
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    for (int i = 0; i < n; i++)
        wrong += z[i] != x[i] + y[i];
    printf("%d wrong\n", wrong);
    cudaFree(a);
    free(x);
    free(y);
    free(z);
    return 0;
}

/* --- the device ------------------------------------------------------------------------------ */

static int int_at(const char *properties, size_t offset)
{
    int value;

    memcpy(&value, properties + offset, sizeof(value));
    return value;
}

static size_t size_at(const char *properties, size_t offset)
{
    size_t value;

    memcpy(&value, properties + offset, sizeof(value));
    return value;
}

/* Offsets in struct cudaDeviceProp of CUDA 11, and attributes with the same meaning (0: none). */
static const struct {
    const char *name;
    size_t offset, bytes;
    int attribute;
} facts[] = {
    {"memory", 288, 8, 0},
    {"block_shared", 296, 8, 8},
    {"block_registers", 304, 4, 12},
    {"warp", 308, 4, 10},
    {"block_threads", 320, 4, 1},
    {"clock_khz", 348, 4, 13},
    {"major", 360, 4, 75},
    {"minor", 364, 4, 76},
    {"sms", 388, 4, 16},
    {"texture_width", 420, 4, 22},
    {"surface_layers", 564, 4, 68},
    {"memory_khz", 608, 4, 36},
    {"bus_bits", 612, 4, 37},
    {"l2", 616, 4, 38},
    {"threads", 624, 4, 39},
    {"l1", 632, 4, 79},
    {"shared", 640, 8, 81},
    {"registers", 648, 4, 82},
    {"fp64_ratio", 668, 4, 87},
    {"block_optin", 696, 8, 97},
    {"blocks", 712, 4, 106},
    {"shared_reserved", 720, 8, 111},
};

static void print_occupancy(void)
{
    struct {
        size_t sizes[3];
        int threads, regs, ptx, binary, others[3];
    } a;
    size_t dynamic, left, all;
    int n[3] = {0};

    cudaFuncGetAttributes(&a, stub);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n[0], stub, 64, 0);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n[1], stub, 512, 0);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n[2], stub, 32, 20 << 10);
    cudaOccupancyAvailableDynamicSMemPerBlock(&dynamic, stub, 3, 32);
    cudaMemGetInfo(&left, &all);
    printf("code=%d kernel_threads=%d fit64=%d fit512=%d fit20k=%d dynamic=%zu all=%zu ", a.binary,
           a.threads, n[0], n[1], n[2], dynamic, all);
}

static int print_device(void)
{
    char p[728];
    int status = cudaGetDeviceProperties(p, 0);

    for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
        size_t value =
            facts[i].bytes == 8 ? size_at(p, facts[i].offset) : (size_t)int_at(p, facts[i].offset);
        int attribute = (int)value;
        if (facts[i].attribute != 0)
            status |= cudaDeviceGetAttribute(&attribute, facts[i].attribute, 0);
        if ((size_t)attribute != value && facts[i].attribute != 0)
            printf("%s is %zu and %d\n", facts[i].name, value, attribute);
        printf("%s=%zu ", facts[i].name, value);
    }
    print_occupancy();
    printf("name=%s\n", p);
    return status;
}

static int take(size_t n)
{
    void *p;

    printf("device %s, ", cudaGetErrorName(cudaMalloc(&p, n)));
    printf("pinned %s\n", cudaGetErrorName(cudaMallocHost(&p, n)));
    return 0;
}

static int fit(char *cubin, char *arch)
{
    int sms = 0;

    if (cubin != NULL)
        __cudaRegisterFatBinaryEnd(cuda_stub_open(cubin, (unsigned)atoi(arch)));
    cudaDeviceGetAttribute(&sms, 16, 0);
    return add(256 * sms, 0, 1);
}

/* --------------------------------------------------------------------------------------------- */

/* The fat binary of the lists. */
static uint8_t *fat_binary(char *files, char *archs)
{
    char *file_at, *arch_at, *arch = strtok_r(archs, ",", &arch_at);
    uint8_t *p = cuda_stub_container();

    for (char *file = strtok_r(files, ",", &file_at); file != NULL && arch != NULL;
         file = strtok_r(NULL, ",", &file_at)) {
        int ptx = strncmp(arch, "ptx", 3) == 0;
        p = cuda_stub_add(p, file, ptx ? 1 : 2, (unsigned)atoi(arch + 3 * ptx));
        arch = strtok_r(NULL, ",", &arch_at);
    }
    return p;
}

int main(int argc, char **argv)
{
    if (argc < 4)
        return 2;
    void **handle = cuda_stub_open_fatbin(fat_binary(argv[1], argv[2]));
    cuda_stub_kernel(handle, stub, "vecadd");
    __cudaRegisterFatBinaryEnd(handle);

    int status = 0;
    dim3_t one = {1, 1, 1}, many = {2048, 1, 1};
    if (strcmp(argv[3], "exit") == 0)
        status = atoi(argv[4]);
    else if (strcmp(argv[3], "refused") == 0)
        status = cudaMemcpy(&one, NULL, 8, DEVICE_TO_HOST) != 0 ? atoi(argv[4]) : 1;
    else if (strcmp(argv[3], "device") == 0)
        status = print_device();
    else if (strcmp(argv[3], "fit") == 0)
        status = fit(argv[4], argc > 5 ? argv[5] : NULL);
    else if (strcmp(argv[3], "take") == 0)
        status = take(strtoull(argv[4], NULL, 10));
    else if (strcmp(argv[3], "streams") == 0 && run_streams != NULL)
        status = run_streams(stub);
    else if (strcmp(argv[3], "missing") == 0)
        status = cudaIpcGetMemHandle(&one, NULL);
    else if (strcmp(argv[3], "threads") == 0)
        printf("%s\n", cudaGetErrorString(cudaLaunchKernel(stub, one, many, NULL, 0, NULL)));
    else {
        status = add(argc > 4 ? atoi(argv[4]) : 1000, strcmp(argv[3], "wild") == 0,
                     argc > 5 ? atoi(argv[5]) : 1);
        status = argc > 6 ? atoi(argv[6]) : status;
        if (strcmp(argv[3], "die") == 0)
            raise(SIGKILL);
    }
    __cudaUnregisterFatBinary(handle);
    return status;
}
