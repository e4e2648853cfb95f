/*
 * The parts of the CUDA driver's binary interface that this library implements ("CUDA Driver API"
 * reference manual). Most of its error codes are those of the runtime.
 */
#ifndef RUBATO_CUDA_API_H
#define RUBATO_CUDA_API_H

#include "frontend/emulator/cudart/cudart_context.h"

typedef uint64_t cuda_pointer_t; /* CUdeviceptr */

enum {
    CUDA_ERROR_INVALID_CONTEXT = 201,
    CUDA_ERROR_NO_BINARY_FOR_GPU = 209,
    CUDA_ERROR_INVALID_PTX = 218,
    CUDA_ERROR_JIT_COMPILER_NOT_FOUND = 221,
    CUDA_ERROR_UNSUPPORTED_PTX_VERSION = 222,
    CUDA_ERROR_INVALID_IMAGE = 200,
    CUDA_ERROR_FILE_NOT_FOUND = 301,
    CUDA_ERROR_NOT_FOUND = 500,
};

/* Whether a function of this library does more than to refuse. (cuda_unsupported.c) */
bool cuda_is_supported(const void *function);

/* A device pointer as the runtime's. */
static inline void *cuda_at(cuda_pointer_t p)
{
    return (void *)(uintptr_t)p;
}

#endif
