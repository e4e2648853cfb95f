/*
 * The parts of the CUDA runtime's binary interface that this library implements. Names, numbers and
 * layouts are NVIDIA's ("CUDA Runtime API" reference manual); building it does not need the
 * toolkit.
 */
#ifndef RUBATO_CUDART_API_H
#define RUBATO_CUDART_API_H

#include <stddef.h>
#include <stdint.h>

#define CUDART_EXPORT __attribute__((visibility("default")))

typedef int cuda_error_t;
typedef void *cuda_stream_t;
typedef struct {
    unsigned x, y, z;
} cuda_dim3_t;

enum {
    CUDA_SUCCESS = 0,
    CUDA_ERROR_INVALID_VALUE = 1,
    CUDA_ERROR_MEMORY_ALLOCATION = 2,
    CUDA_ERROR_INVALID_CONFIGURATION = 9,
    CUDA_ERROR_INVALID_PITCH = 12,
    CUDA_ERROR_INVALID_SYMBOL = 13,
    CUDA_ERROR_INVALID_DEVICE_POINTER = 17,
    CUDA_ERROR_INVALID_TEXTURE = 18,
    CUDA_ERROR_INVALID_DIRECTION = 21,
    CUDA_ERROR_INVALID_SURFACE = 37,
    CUDA_ERROR_INVALID_DEVICE_FUNCTION = 98,
    CUDA_ERROR_INVALID_DEVICE = 101,
    CUDA_ERROR_UNSUPPORTED_LIMIT = 215,
    CUDA_ERROR_INVALID_HANDLE = 400,
    CUDA_ERROR_ILLEGAL_ADDRESS = 700,
    CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES = 701,
    CUDA_ERROR_LAUNCH_TIMEOUT = 702,
    CUDA_ERROR_ASSERT = 710,
    CUDA_ERROR_ALREADY_REGISTERED = 712,
    CUDA_ERROR_NOT_REGISTERED = 713,
    CUDA_ERROR_MISALIGNED_ADDRESS = 716,
    CUDA_ERROR_INVALID_PC = 718,
    CUDA_ERROR_LAUNCH_FAILURE = 719,
    CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE = 720,
    CUDA_ERROR_NOT_SUPPORTED = 801,
    CUDA_ERROR_CAPTURE_UNSUPPORTED = 900,
    CUDA_ERROR_CAPTURE_UNMATCHED = 903,
    CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE = 910,
    CUDA_ERROR_UNKNOWN = 999,
};

/* Kinds of cudaMemcpy. */
enum { CUDA_H2H, CUDA_H2D, CUDA_D2H, CUDA_D2D, CUDA_DEFAULT };

/* The argument of __cudaRegisterFatBinary(). */
typedef struct {
    int magic, version;
    const uint8_t *data; /* a fat binary container */
    void *filename;
} cuda_fatbin_wrapper_t;

#endif
