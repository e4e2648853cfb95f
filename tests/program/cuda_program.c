/*
 * A CUDA program as nvcc makes them, without nvcc: the constructor and the stub that it would
 * write, around the machine code of a bundled kernel. For the tests of "rubato record".
 *
 *   cuda_program CUBIN ARCH add N [M [S]]   adds vectors M times, says whether the sums are right;
 *                                       ends with status S
 *   cuda_program CUBIN ARCH wild        the kernel reads past its vectors
 *   cuda_program CUBIN ARCH threads     a launch with too many threads
 *   cuda_program CUBIN ARCH exit N      ends with that status
 *   cuda_program CUBIN ARCH die         adds, and is killed before it ends
 *   cuda_program CUBIN ARCH missing     calls what the runtime does not have
 */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/cuda_stub.h"

int cudaMalloc(void **p, size_t n);
int cudaFree(void *p);
int cudaMemcpy(void *to, const void *from, size_t n, int kind);
int cudaLaunchKernel(const void *host, dim3_t grid, dim3_t block, void **args, size_t shared,
                     void *stream);
int cudaGetLastError(void);
int cudaDeviceSynchronize(void);
const char *cudaGetErrorString(int error);
int cudaIpcGetMemHandle(void *handle, void *p);

enum { HOST_TO_DEVICE = 1, DEVICE_TO_HOST = 2 };

/* Its address is what the program knows the kernel by. */
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

int main(int argc, char **argv)
{
    if (argc < 4)
        return 2;
    void **handle = cuda_stub_register(argv[1], (unsigned)atoi(argv[2]), stub, "vecadd");

    int status = 0;
    dim3_t one = {1, 1, 1}, many = {2048, 1, 1};
    if (strcmp(argv[3], "exit") == 0)
        status = atoi(argv[4]);
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
