/* Contexts of the driver API. */
#include <stdlib.h>

#include "frontend/emulator/cuda/cuda_api.h"

CUDART_EXPORT cuda_error_t cuCtxCreate_v2(cudart_context_t **context, unsigned flags, int device);
CUDART_EXPORT cuda_error_t cuCtxCreate_v3(cudart_context_t **context, void *affinity, int n,
                                          unsigned flags, int device);
CUDART_EXPORT cuda_error_t cuCtxCreate_v4(cudart_context_t **context, void *params, unsigned flags,
                                          int device);
CUDART_EXPORT cuda_error_t cuCtxDestroy_v2(cudart_context_t *context);
CUDART_EXPORT cuda_error_t cuCtxAttach(cudart_context_t **context, unsigned flags);
CUDART_EXPORT cuda_error_t cuCtxDetach(cudart_context_t *context);
CUDART_EXPORT cuda_error_t cuCtxPushCurrent_v2(cudart_context_t *context);
CUDART_EXPORT cuda_error_t cuCtxPopCurrent_v2(cudart_context_t **context);
CUDART_EXPORT cuda_error_t cuCtxSetCurrent(cudart_context_t *context);
CUDART_EXPORT cuda_error_t cuCtxGetCurrent(cudart_context_t **context);
CUDART_EXPORT cuda_error_t cuCtxGetDevice(int *device);
CUDART_EXPORT cuda_error_t cuCtxGetFlags(unsigned *flags);
CUDART_EXPORT cuda_error_t cuCtxGetId(cudart_context_t *context, unsigned long long *number);
CUDART_EXPORT cuda_error_t cuCtxGetApiVersion(cudart_context_t *context, unsigned *version);
CUDART_EXPORT cuda_error_t cuCtxSynchronize(void);
CUDART_EXPORT cuda_error_t cuCtxGetLimit(size_t *value, int limit);
CUDART_EXPORT cuda_error_t cuCtxSetLimit(int limit, size_t value);
CUDART_EXPORT cuda_error_t cuCtxGetCacheConfig(int *config);
CUDART_EXPORT cuda_error_t cuCtxSetCacheConfig(int config);
CUDART_EXPORT cuda_error_t cuCtxGetSharedMemConfig(int *config);
CUDART_EXPORT cuda_error_t cuCtxSetSharedMemConfig(int config);
CUDART_EXPORT cuda_error_t cuCtxGetStreamPriorityRange(int *least, int *greatest);
CUDART_EXPORT cuda_error_t cuDevicePrimaryCtxRetain(cudart_context_t **context, int device);
CUDART_EXPORT cuda_error_t cuDevicePrimaryCtxRelease_v2(int device);
CUDART_EXPORT cuda_error_t cuDevicePrimaryCtxRelease(int device);
CUDART_EXPORT cuda_error_t cuDevicePrimaryCtxReset_v2(int device);
CUDART_EXPORT cuda_error_t cuDevicePrimaryCtxReset(int device);
CUDART_EXPORT cuda_error_t cuDevicePrimaryCtxSetFlags_v2(int device, unsigned flags);
CUDART_EXPORT cuda_error_t cuDevicePrimaryCtxGetState(int device, unsigned *flags, int *active);
CUDART_EXPORT cuda_error_t cudaDeviceSetLimit(int limit, size_t value);
CUDART_EXPORT cuda_error_t cudaDeviceGetLimit(size_t *value, int limit);
CUDART_EXPORT cuda_error_t cudaDeviceSynchronize(void);
CUDART_EXPORT cuda_error_t cudaDeviceReset(void);
CUDART_EXPORT cuda_error_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest);

cuda_error_t cuCtxCreate_v2(cudart_context_t **context, unsigned flags, int device)
{
    if (context == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    if (device != 0)
        return CUDA_ERROR_INVALID_DEVICE;
    *context = cudart_new_context(flags);
    return cudart_push_context(*context) ? CUDA_SUCCESS : CUDA_ERROR_MEMORY_ALLOCATION;
}

cuda_error_t cuCtxCreate_v3(cudart_context_t **context, void *affinity, int n, unsigned flags,
                            int device)
{
    (void)affinity, (void)n;
    return cuCtxCreate_v2(context, flags, device);
}

cuda_error_t cuCtxCreate_v4(cudart_context_t **context, void *params, unsigned flags, int device)
{
    (void)params;
    return cuCtxCreate_v2(context, flags, device);
}

static bool is_context(const cudart_context_t *context)
{
    return context != NULL && !context->destroyed;
}

/* A context may still be on a thread's stack, so its memory stays. */
cuda_error_t cuCtxDestroy_v2(cudart_context_t *context)
{
    if (!is_context(context) || context == cudart_primary_context())
        return CUDA_ERROR_INVALID_CONTEXT;
    cudart_storage_drop_all(context);
    context->destroyed = true;
    if (cudart_top_context() == context)
        cudart_pop_context();
    return CUDA_SUCCESS;
}

/* The current context once more, which then is detached once more (before CUDA 4). */
cuda_error_t cuCtxAttach(cudart_context_t **context, unsigned flags)
{
    cudart_context_t *top = cudart_top_context();

    if (context == NULL || flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (top == NULL)
        return CUDA_ERROR_INVALID_CONTEXT;
    __atomic_add_fetch(&top->users, 1, __ATOMIC_RELAXED);
    *context = top;
    return CUDA_SUCCESS;
}

cuda_error_t cuCtxDetach(cudart_context_t *context)
{
    if (context == NULL || context != cudart_top_context())
        return CUDA_ERROR_INVALID_CONTEXT;
    if (__atomic_load_n(&context->users, __ATOMIC_RELAXED) == 0)
        return cuCtxDestroy_v2(context);
    __atomic_sub_fetch(&context->users, 1, __ATOMIC_RELAXED);
    return CUDA_SUCCESS;
}

cuda_error_t cuCtxPushCurrent_v2(cudart_context_t *context)
{
    if (!is_context(context))
        return CUDA_ERROR_INVALID_CONTEXT;
    return cudart_push_context(context) ? CUDA_SUCCESS : CUDA_ERROR_MEMORY_ALLOCATION;
}

cuda_error_t cuCtxPopCurrent_v2(cudart_context_t **context)
{
    cudart_context_t *top = cudart_pop_context();

    if (top == NULL)
        return CUDA_ERROR_INVALID_CONTEXT;
    if (context != NULL)
        *context = top;
    return CUDA_SUCCESS;
}

/* Replaces the top of the stack; NULL removes it. */
cuda_error_t cuCtxSetCurrent(cudart_context_t *context)
{
    if (context != NULL && !is_context(context))
        return CUDA_ERROR_INVALID_CONTEXT;
    cudart_pop_context();
    if (context != NULL)
        cudart_push_context(context);
    return CUDA_SUCCESS;
}

cuda_error_t cuCtxGetCurrent(cudart_context_t **context)
{
    if (context == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *context = cudart_top_context();
    return CUDA_SUCCESS;
}

cuda_error_t cuCtxGetDevice(int *device)
{
    const cudart_context_t *context = cudart_top_context();

    if (device == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    if (context == NULL)
        return CUDA_ERROR_INVALID_CONTEXT;
    *device = context->device;
    return CUDA_SUCCESS;
}

cuda_error_t cuCtxGetFlags(unsigned *flags)
{
    const cudart_context_t *context = cudart_top_context();

    if (flags == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    if (context == NULL)
        return CUDA_ERROR_INVALID_CONTEXT;
    *flags = context->flags;
    return CUDA_SUCCESS;
}

cuda_error_t cuCtxGetId(cudart_context_t *context, unsigned long long *number)
{
    if (context == NULL)
        context = cudart_top_context();
    if (number == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    if (context == NULL)
        return CUDA_ERROR_INVALID_CONTEXT;
    *number = context->number;
    return CUDA_SUCCESS;
}

cuda_error_t cuCtxGetApiVersion(cudart_context_t *context, unsigned *version)
{
    if (context != NULL && !is_context(context))
        return CUDA_ERROR_INVALID_CONTEXT;
    if (version != NULL)
        *version = 3020;
    return cudart_invalid_if(version == NULL);
}

cuda_error_t cuCtxSynchronize(void)
{
    return cudaDeviceSynchronize();
}

cuda_error_t cuCtxGetLimit(size_t *value, int limit)
{
    return cudart_top_context() == NULL ? CUDA_ERROR_INVALID_CONTEXT
                                        : cudaDeviceGetLimit(value, limit);
}

/* Of all contexts, which share the device's memory. */
cuda_error_t cuCtxSetLimit(int limit, size_t value)
{
    return cudart_top_context() == NULL ? CUDA_ERROR_INVALID_CONTEXT
                                        : cudaDeviceSetLimit(limit, value);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#define HINT(name, ...)                                                                            \
    cuda_error_t name(__VA_ARGS__)                                                                 \
    {                                                                                              \
        return cudart_leave(cudart_enter(), CUDA_SUCCESS);                                         \
    }
HINT(cuCtxSetCacheConfig, int config)
HINT(cuCtxSetSharedMemConfig, int config)
#pragma GCC diagnostic pop

cuda_error_t cuCtxGetCacheConfig(int *config)
{
    if (config != NULL)
        *config = 0;
    return cudart_invalid_if(config == NULL);
}

cuda_error_t cuCtxGetSharedMemConfig(int *config)
{
    if (config != NULL)
        *config = 1; /* banks of four bytes */
    return cudart_invalid_if(config == NULL);
}

cuda_error_t cuCtxGetStreamPriorityRange(int *least, int *greatest)
{
    return cudaDeviceGetStreamPriorityRange(least, greatest);
}

/* --- the primary context --------------------------------------------------------------------- */

cuda_error_t cuDevicePrimaryCtxRetain(cudart_context_t **context, int device)
{
    if (context == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    if (device != 0)
        return CUDA_ERROR_INVALID_DEVICE;
    *context = cudart_primary_context();
    __atomic_add_fetch(&(*context)->users, 1, __ATOMIC_RELAXED);
    return CUDA_SUCCESS;
}

cuda_error_t cuDevicePrimaryCtxRelease_v2(int device)
{
    cudart_context_t *context = cudart_primary_context();

    if (device != 0)
        return CUDA_ERROR_INVALID_DEVICE;
    if (__atomic_load_n(&context->users, __ATOMIC_RELAXED) == 0)
        return CUDA_ERROR_INVALID_CONTEXT;
    __atomic_sub_fetch(&context->users, 1, __ATOMIC_RELAXED);
    return CUDA_SUCCESS;
}

cuda_error_t cuDevicePrimaryCtxRelease(int device)
{
    return cuDevicePrimaryCtxRelease_v2(device);
}

cuda_error_t cuDevicePrimaryCtxReset_v2(int device)
{
    return device == 0 ? cudaDeviceReset() : CUDA_ERROR_INVALID_DEVICE;
}

cuda_error_t cuDevicePrimaryCtxReset(int device)
{
    return cuDevicePrimaryCtxReset_v2(device);
}

cuda_error_t cuDevicePrimaryCtxSetFlags_v2(int device, unsigned flags)
{
    if (device != 0)
        return CUDA_ERROR_INVALID_DEVICE;
    cudart_primary_context()->flags = flags;
    return CUDA_SUCCESS;
}

cuda_error_t cuDevicePrimaryCtxGetState(int device, unsigned *flags, int *active)
{
    const cudart_context_t *context = cudart_primary_context();

    if (flags == NULL || active == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *flags = context->flags;
    *active = context->users > 0;
    return device == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}
