/* Limits that a program sets: the stack and the heap of kernels, which launches get, and hints. */
#include "frontend/emulator/cudart/cudart_calls.h"

enum {
    MOST_STACK = 512 << 10, /* local memory of a thread ("CUDA C++ Programming Guide") */
    UNIT = 16,
    MOST_FETCH = 128,
    FIRST_WITH_PERSISTING = 80,
};

CUDART_EXPORT cuda_error_t cudaDeviceGetLimit(size_t *value, int limit);
CUDART_EXPORT cuda_error_t cudaThreadSetLimit(int limit, size_t value);
CUDART_EXPORT cuda_error_t cudaThreadGetLimit(size_t *value, int limit);

/* The error of a limit that this GPU does not have. Two are of kernels that launch kernels, which are
 * not supported. */
static cuda_error_t check(cudart_state_t *s, int limit)
{
    if (limit < 0 || limit >= CUDART_LIMITS)
        return CUDA_ERROR_INVALID_VALUE;
    if (limit == CUDART_LIMIT_SYNC_DEPTH || limit == CUDART_LIMIT_PENDING ||
        (limit == CUDART_LIMIT_PERSISTING && cudart_device(s)->arch < FIRST_WITH_PERSISTING))
        return CUDA_ERROR_UNSUPPORTED_LIMIT;
    return CUDA_SUCCESS;
}

/* In whole units, at least one. */
static size_t rounded(size_t value)
{
    return value == 0 ? UNIT : (value + UNIT - 1) / UNIT * UNIT;
}

/* The card keeps a stack for every thread that fits on it. */
static cuda_error_t set_stack(cudart_state_t *s, size_t value)
{
    const shown_device_t *d = cudart_device(s);
    const uint64_t threads = (uint64_t)d->sms * d->warps * 32;

    if (value > MOST_STACK)
        return CUDA_ERROR_INVALID_VALUE;
    if (rounded(value) > d->memory / threads)
        return CUDA_ERROR_MEMORY_ALLOCATION;
    s->limits[CUDART_LIMIT_STACK] = rounded(value);
    return CUDA_SUCCESS;
}

static cuda_error_t set_heap(cudart_state_t *s, size_t value)
{
    if (s->allocated)
        return CUDA_ERROR_INVALID_VALUE;
    if (value > cudart_device(s)->memory)
        return CUDA_ERROR_MEMORY_ALLOCATION;
    s->limits[CUDART_LIMIT_HEAP] = rounded(value);
    return CUDA_SUCCESS;
}

static cuda_error_t set(cudart_state_t *s, int limit, size_t value)
{
    const cuda_error_t e = check(s, limit);

    if (e != CUDA_SUCCESS)
        return e;
    if (limit == CUDART_LIMIT_STACK)
        return set_stack(s, value);
    if (limit == CUDART_LIMIT_HEAP)
        return set_heap(s, value);
    if (limit == CUDART_LIMIT_PRINTF && s->printed)
        return CUDA_ERROR_INVALID_VALUE;
    if (limit == CUDART_LIMIT_FETCH && value > MOST_FETCH)
        value = MOST_FETCH;
    if (limit == CUDART_LIMIT_PERSISTING) /* as much as the device says that it can set aside */
        value = 0;
    s->limits[limit] = value;
    return CUDA_SUCCESS;
}

cuda_error_t cudaDeviceSetLimit(int limit, size_t value)
{
    cudart_state_t *s = cudart_enter_context();

    return cudart_leave(s, set(s, limit, value));
}

cuda_error_t cudaDeviceGetLimit(size_t *value, int limit)
{
    cudart_state_t *s = cudart_enter();
    const cuda_error_t e = value == NULL ? CUDA_ERROR_INVALID_VALUE : check(s, limit);

    if (e == CUDA_SUCCESS)
        *value = s->limits[limit];
    return cudart_leave(s, e);
}

cuda_error_t cudaThreadSetLimit(int limit, size_t value)
{
    return cudaDeviceSetLimit(limit, value);
}

cuda_error_t cudaThreadGetLimit(size_t *value, int limit)
{
    return cudaDeviceGetLimit(value, limit);
}
