/*
 * Stands in for NVIDIA's static runtime in tests without nvcc: hidden functions with its names. Each
 * says that it was called and ends the program: rubato replaces all of them.
 */
#include <stdio.h>
#include <unistd.h>

#define FUNCTION(name)                                                                             \
    __attribute__((visibility("hidden"))) int name(void);                                          \
    int name(void)                                                                                 \
    {                                                                                              \
        printf("%s() of the static runtime was called\n", #name);                                  \
        fflush(stdout);                                                                            \
        _exit(9);                                                                                  \
    }

/* Real ones may be shorter than a jump; only padding follows them. */
#define SHORT(name)                                                                                \
    __attribute__((visibility("hidden"))) int name(void);                                          \
    int name(void)                                                                                 \
    {                                                                                              \
        return 9;                                                                                  \
    }

FUNCTION(__cudaRegisterFatBinary)
SHORT(__cudaRegisterFatBinaryEnd)
FUNCTION(__cudaRegisterFunction)
FUNCTION(__cudaUnregisterFatBinary)
FUNCTION(cudaBindTexture) /* CUDA 11 */
FUNCTION(cudaDeviceGetAttribute)
FUNCTION(cudaDeviceSynchronize)
FUNCTION(cudaFree)
FUNCTION(cudaFuncGetAttributes)
FUNCTION(cudaGetDeviceProperties)
FUNCTION(cudaStreamCreate) /* the program has one, too */
FUNCTION(cudaGetErrorName)
FUNCTION(cudaGetErrorString)
FUNCTION(cudaGetFuncBySymbol)
SHORT(cudaGetLastError)
FUNCTION(cudaIpcGetMemHandle)
FUNCTION(cudaLaunchKernel)
FUNCTION(cudaMalloc)
FUNCTION(cudaMallocHost)
FUNCTION(cudaMemGetInfo)
FUNCTION(cudaMemcpy)
FUNCTION(cudaOccupancyAvailableDynamicSMemPerBlock)
FUNCTION(cudaOccupancyMaxActiveBlocksPerMultiprocessor)
