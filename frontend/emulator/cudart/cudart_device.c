/*
 * Waiting, errors, streams and events. Work is done immediately, so nothing has to wait; event
 * times are host times and do not describe a GPU.
 */
#include <stdlib.h>
#include <time.h>

#include "frontend/emulator/cudart/cudart_calls.h"
#include "frontend/emulator/cudart/cudart_graph.h"

#define DONE_AFTER(enter, name, ...)                                                               \
    CUDART_EXPORT cuda_error_t name(__VA_ARGS__);                                                  \
    cuda_error_t name(__VA_ARGS__)                                                                 \
    {                                                                                              \
        cudart_state_t *s = enter();                                                               \
        return cudart_leave(s, CUDA_SUCCESS);                                                      \
    }
#define NOTHING_TO_DO(name, ...)    DONE_AFTER(cudart_enter_context, name, __VA_ARGS__)
#define NEEDS_NO_CONTEXT(name, ...) DONE_AFTER(cudart_enter, name, __VA_ARGS__)

NOTHING_TO_DO(cudaDeviceSynchronize, void)
NOTHING_TO_DO(cudaThreadSynchronize, void)
NEEDS_NO_CONTEXT(cudaThreadExit, void)
NEEDS_NO_CONTEXT(cudaDeviceReset, void)
NEEDS_NO_CONTEXT(cudaProfilerStart, void)
NEEDS_NO_CONTEXT(cudaProfilerStop, void)

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
NEEDS_NO_CONTEXT(cudaSetDeviceFlags, unsigned flags)
NOTHING_TO_DO(cudaDeviceSetCacheConfig, int config)
NOTHING_TO_DO(cudaDeviceSetSharedMemConfig, int config)
NOTHING_TO_DO(cudaFuncSetSharedMemConfig, const void *host, int config)
NOTHING_TO_DO(cudaThreadSetCacheConfig, int config)
NOTHING_TO_DO(cudaDeviceSetLimit, int limit, size_t value)
NOTHING_TO_DO(cudaStreamDestroy, cuda_stream_t stream)
NOTHING_TO_DO(cudaStreamSynchronize, cuda_stream_t stream)
NOTHING_TO_DO(cudaStreamQuery, cuda_stream_t stream)
NOTHING_TO_DO(cudaEventSynchronize, void *event)
NOTHING_TO_DO(cudaEventQuery, void *event)
NOTHING_TO_DO(cudaHostRegister, void *p, size_t n, unsigned flags)
NOTHING_TO_DO(cudaHostUnregister, void *p)
#pragma GCC diagnostic pop

/* --- errors ---------------------------------------------------------------------------------- */

CUDART_EXPORT cuda_error_t cudaGetLastError(void);
CUDART_EXPORT cuda_error_t cudaPeekAtLastError(void);

cuda_error_t cudaGetLastError(void)
{
    cudart_state_t *s = cudart_enter();
    cuda_error_t last = s->last;

    s->last = CUDA_SUCCESS;
    cudart_leave(s, CUDA_SUCCESS);
    return last;
}

cuda_error_t cudaPeekAtLastError(void)
{
    cudart_state_t *s = cudart_enter();
    cuda_error_t last = s->last;

    cudart_leave(s, CUDA_SUCCESS);
    return last;
}

/* --- streams and events ---------------------------------------------------------------------- */

CUDART_EXPORT cuda_error_t cudaStreamCreate(cuda_stream_t *stream);
CUDART_EXPORT cuda_error_t cudaStreamCreateWithFlags(cuda_stream_t *stream, unsigned flags);
CUDART_EXPORT cuda_error_t cudaStreamCreateWithPriority(cuda_stream_t *stream, unsigned flags,
                                                        int priority);
CUDART_EXPORT cuda_error_t cudaEventCreate(void **event);
CUDART_EXPORT cuda_error_t cudaEventCreateWithFlags(void **event, unsigned flags);
CUDART_EXPORT cuda_error_t cudaEventRecordWithFlags(void *event, cuda_stream_t stream,
                                                    unsigned flags);
CUDART_EXPORT cuda_error_t cudaEventElapsedTime(float *ms, void *begin, void *end);
CUDART_EXPORT cuda_error_t cudaEventElapsedTime_v2(float *ms, void *begin, void *end);
CUDART_EXPORT cuda_error_t cudaEventDestroy(void *event);

/* Streams are numbers: the first one is 1, the default stream 0. */
cuda_error_t cudaStreamCreate(cuda_stream_t *stream)
{
    static uintptr_t n_streams;
    cudart_state_t *s = cudart_enter();

    *stream = (cuda_stream_t)(++n_streams << 4); /* avoids the special handles 1 and 2 */
    return cudart_leave(s, CUDA_SUCCESS);
}

cuda_error_t cudaStreamCreateWithFlags(cuda_stream_t *stream, unsigned flags)
{
    (void)flags;
    return cudaStreamCreate(stream);
}

cuda_error_t cudaStreamCreateWithPriority(cuda_stream_t *stream, unsigned flags, int priority)
{
    (void)flags, (void)priority;
    return cudaStreamCreate(stream);
}

cuda_error_t cudaEventCreate(void **event)
{
    *event = calloc(1, sizeof(struct timespec));
    return *event != NULL ? CUDA_SUCCESS : CUDA_ERROR_MEMORY_ALLOCATION;
}

cuda_error_t cudaEventCreateWithFlags(void **event, unsigned flags)
{
    (void)flags;
    return cudaEventCreate(event);
}

cuda_error_t cudaEventRecord(void *event, cuda_stream_t stream)
{
    if (event == NULL)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!cudart_capture_record(stream, event))
        clock_gettime(CLOCK_MONOTONIC, event);
    return CUDA_SUCCESS;
}

cuda_error_t cudaEventRecordWithFlags(void *event, cuda_stream_t stream, unsigned flags)
{
    (void)flags;
    return cudaEventRecord(event, stream);
}

cuda_error_t cudaEventElapsedTime(float *ms, void *begin, void *end)
{
    const struct timespec *a = begin, *b = end;

    if (a == NULL || b == NULL)
        return CUDA_ERROR_INVALID_HANDLE;
    *ms = (float)((double)(b->tv_sec - a->tv_sec) * 1e3 + (double)(b->tv_nsec - a->tv_nsec) * 1e-6);
    return CUDA_SUCCESS;
}

cuda_error_t cudaEventElapsedTime_v2(float *ms, void *begin, void *end)
{
    return cudaEventElapsedTime(ms, begin, end);
}

cuda_error_t cudaEventDestroy(void *event)
{
    free(event);
    return CUDA_SUCCESS;
}
