/* Addresses of functions of the driver, which the runtime gives. Compiled for each version. */
#include <stddef.h>

#include "frontend/emulator/cudart/cudart_state.h"

CUDART_EXPORT cuda_error_t cuGetProcAddress_v2(const char *name, void **function, int version,
                                               uint64_t flags, int *found);
CUDART_EXPORT cuda_error_t cudaGetDriverEntryPointByVersion(const char *name, void **function,
                                                            unsigned version, uint64_t flags,
                                                            int *found);

/* A missing function is no error of the call: found says so (cudaDriverEntryPointQueryResult). */
cuda_error_t cudaGetDriverEntryPointByVersion(const char *name, void **function, unsigned version,
                                              uint64_t flags, int *found)
{
    enum { FOUND, NOT_FOUND };

    if (name == NULL || function == NULL)
        return cudart_leave(cudart_enter(), CUDA_ERROR_INVALID_VALUE);
    *function = NULL;
    bool there = cuGetProcAddress_v2(name, function, (int)version, flags, NULL) == CUDA_SUCCESS;
    if (found != NULL)
        *found = there ? FOUND : NOT_FOUND;
    return CUDA_SUCCESS;
}

#if RUBATO_CUDART_MAJOR >= 12
CUDART_EXPORT cuda_error_t cudaGetDriverEntryPoint(const char *name, void **function,
                                                   uint64_t flags, int *found);

cuda_error_t cudaGetDriverEntryPoint(const char *name, void **function, uint64_t flags, int *found)
{
    return cudaGetDriverEntryPointByVersion(name, function, RUBATO_CUDART_MAJOR * 1000, flags,
                                            found);
}
#else
CUDART_EXPORT cuda_error_t cudaGetDriverEntryPoint(const char *name, void **function,
                                                   uint64_t flags);

cuda_error_t cudaGetDriverEntryPoint(const char *name, void **function, uint64_t flags)
{
    return cudaGetDriverEntryPointByVersion(name, function, 11080, flags, NULL);
}
#endif
