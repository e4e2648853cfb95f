/*
 * Waiting, errors, streams and events. Work is done immediately, so nothing has to wait; event
 * times are host times and do not describe a GPU.
 */
#include <stdlib.h>
#include <time.h>

#include "frontend/emulator/cudart/cudart_calls.h"
#include "frontend/emulator/cudart/cudart_graph.h"
#include "frontend/emulator/cudart/cudart_order.h"

/* A call after which the host knows that work is complete. */
#define WAITS(enter, name, what, ...)                                                              \
    CUDART_EXPORT cuda_error_t name(__VA_ARGS__);                                                  \
    cuda_error_t name(__VA_ARGS__)                                                                 \
    {                                                                                              \
        cudart_state_t *s = enter();                                                               \
        what;                                                                                      \
        return cudart_leave(s, CUDA_SUCCESS);                                                      \
    }
#define DONE_AFTER(enter, name, ...) WAITS(enter, name, (void)0, __VA_ARGS__)
#define NOTHING_TO_DO(name, ...)     DONE_AFTER(cudart_enter_context, name, __VA_ARGS__)
#define NEEDS_NO_CONTEXT(name, ...)  DONE_AFTER(cudart_enter, name, __VA_ARGS__)

WAITS(cudart_enter_context, cudaDeviceSynchronize, cudart_order_host_all(), void)
WAITS(cudart_enter_context, cudaThreadSynchronize, cudart_order_host_all(), void)
WAITS(cudart_enter, cudaThreadExit, cudart_order_host_all(), void)
WAITS(cudart_enter, cudaDeviceReset, (cudart_order_host_all(), cudart_limits_reset(s)), void)
NEEDS_NO_CONTEXT(cudaProfilerStart, void)
NEEDS_NO_CONTEXT(cudaProfilerStop, void)

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
NEEDS_NO_CONTEXT(cudaSetDeviceFlags, unsigned flags)
NOTHING_TO_DO(cudaDeviceSetCacheConfig, int config)
NOTHING_TO_DO(cudaDeviceSetSharedMemConfig, int config)
NOTHING_TO_DO(cudaFuncSetSharedMemConfig, const void *host, int config)
NOTHING_TO_DO(cudaThreadSetCacheConfig, int config)
NOTHING_TO_DO(cudaStreamDestroy, cuda_stream_t stream)
WAITS(cudart_enter_context, cudaStreamSynchronize, cudart_order_host_stream(stream),
      cuda_stream_t stream)
WAITS(cudart_enter_context, cudaStreamQuery, cudart_order_host_stream(stream), cuda_stream_t stream)
WAITS(cudart_enter_context, cudaEventSynchronize, cudart_order_host_event(event), void *event)
WAITS(cudart_enter_context, cudaEventQuery, cudart_order_host_event(event), void *event)
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
cuda_error_t cudaStreamCreateWithPriority(cuda_stream_t *stream, unsigned flags, int priority)
{
    static uintptr_t n_streams;
    cudart_state_t *s = cudart_enter();

    *stream = (cuda_stream_t)(++n_streams << 4); /* avoids the special handles 1 and 2 */
    cudart_order_new_stream(*stream, flags, priority);
    return cudart_leave(s, CUDA_SUCCESS);
}

cuda_error_t cudaStreamCreateWithFlags(cuda_stream_t *stream, unsigned flags)
{
    return cudaStreamCreateWithPriority(stream, flags, 0);
}

cuda_error_t cudaStreamCreate(cuda_stream_t *stream)
{
    return cudaStreamCreateWithFlags(stream, 0);
}

cuda_error_t cudaEventCreate(void **event)
{
    *event = calloc(1, sizeof(cudart_event_t));
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
    if (cudart_capture_record(stream, event))
        return CUDA_SUCCESS;
    cudart_event_t *e = event;
    cudart_state_t *s = cudart_enter();
    clock_gettime(CLOCK_MONOTONIC, &e->at);
    cudart_order_record(e, stream);
    cudart_leave(s, CUDA_SUCCESS);
    return CUDA_SUCCESS;
}

cuda_error_t cudaEventRecordWithFlags(void *event, cuda_stream_t stream, unsigned flags)
{
    (void)flags;
    return cudaEventRecord(event, stream);
}

cuda_error_t cudaEventElapsedTime(float *ms, void *begin, void *end)
{
    if (begin == NULL || end == NULL)
        return CUDA_ERROR_INVALID_HANDLE;
    const struct timespec *a = &((const cudart_event_t *)begin)->at,
                          *b = &((const cudart_event_t *)end)->at;
    *ms = (float)((double)(b->tv_sec - a->tv_sec) * 1e3 + (double)(b->tv_nsec - a->tv_nsec) * 1e-6);
    return CUDA_SUCCESS;
}

cuda_error_t cudaEventElapsedTime_v2(float *ms, void *begin, void *end)
{
    return cudaEventElapsedTime(ms, begin, end);
}

cuda_error_t cudaEventDestroy(void *event)
{
    if (event != NULL)
        stream_tails_free(&((cudart_event_t *)event)->work);
    free(event);
    return CUDA_SUCCESS;
}
