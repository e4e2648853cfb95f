/* Events. Their times are those of the host and do not describe a GPU. */
#include <stdlib.h>

#include "frontend/emulator/cudart/cudart_calls.h"
#include "frontend/emulator/cudart/cudart_handle.h"
#include "frontend/emulator/cudart/graph/cudart_graph.h"
#include "frontend/emulator/cudart/stream/cudart_order.h"

CUDART_EXPORT cuda_error_t cudaEventCreate(void **event);
CUDART_EXPORT cuda_error_t cudaEventCreateWithFlags(void **event, unsigned flags);
CUDART_EXPORT cuda_error_t cudaEventRecordWithFlags(void *event, cuda_stream_t stream,
                                                    unsigned flags);
CUDART_EXPORT cuda_error_t cudaEventSynchronize(void *event);
CUDART_EXPORT cuda_error_t cudaEventQuery(void *event);
CUDART_EXPORT cuda_error_t cudaEventElapsedTime(float *ms, void *begin, void *end);
CUDART_EXPORT cuda_error_t cudaEventElapsedTime_v2(float *ms, void *begin, void *end);
CUDART_EXPORT cuda_error_t cudaEventDestroy(void *event);

cuda_error_t cudaEventCreateWithFlags(void **event, unsigned flags)
{
    enum { UNTIMED = 2, ALL_FLAGS = 7 };

    if (event == NULL || flags > ALL_FLAGS)
        return cudart_fail(CUDA_ERROR_INVALID_VALUE);
    *event = cudart_event_add((flags & UNTIMED) != 0);
    return CUDA_SUCCESS;
}

cuda_error_t cudaEventCreate(void **event)
{
    return cudaEventCreateWithFlags(event, 0);
}

cuda_error_t cudaEventRecord(void *event, cuda_stream_t stream)
{
    cudart_event_t *e = cudart_event(event);

    if (e == NULL || !cudart_is_stream(stream))
        return cudart_fail(CUDA_ERROR_INVALID_HANDLE);
    if (cudart_capture_record(stream, event))
        return CUDA_SUCCESS;
    cudart_state_t *s = cudart_enter();
    clock_gettime(CLOCK_MONOTONIC, &e->at);
    e->recorded = true;
    cudart_order_record(e, stream);
    cudart_leave(s, CUDA_SUCCESS);
    return CUDA_SUCCESS;
}

cuda_error_t cudaEventRecordWithFlags(void *event, cuda_stream_t stream, unsigned flags)
{
    (void)flags;
    return cudaEventRecord(event, stream);
}

cuda_error_t cudaEventSynchronize(void *event)
{
    const cudart_event_t *e = cudart_event(event);
    cudart_state_t *s = cudart_enter_context();

    if (e == NULL)
        return cudart_leave(s, CUDA_ERROR_INVALID_HANDLE);
    cudart_order_host_event(e);
    return cudart_leave(s, CUDA_SUCCESS);
}

/* What it waits for is always done. */
cuda_error_t cudaEventQuery(void *event)
{
    return cudaEventSynchronize(event);
}

cuda_error_t cudaEventElapsedTime(float *ms, void *begin, void *end)
{
    const cudart_event_t *b = cudart_event(begin), *e = cudart_event(end);

    if (ms == NULL)
        return cudart_fail(CUDA_ERROR_INVALID_VALUE);
    if (b == NULL || e == NULL || !b->recorded || !e->recorded || b->untimed || e->untimed)
        return cudart_fail(CUDA_ERROR_INVALID_HANDLE);
    *ms = (float)((double)(e->at.tv_sec - b->at.tv_sec) * 1e3 +
                  (double)(e->at.tv_nsec - b->at.tv_nsec) * 1e-6);
    return CUDA_SUCCESS;
}

cuda_error_t cudaEventElapsedTime_v2(float *ms, void *begin, void *end)
{
    return cudaEventElapsedTime(ms, begin, end);
}

cuda_error_t cudaEventDestroy(void *event)
{
    cudart_event_t *e = cudart_event_take(event);

    if (e == NULL)
        return cudart_fail(CUDA_ERROR_INVALID_HANDLE);
    stream_tails_free(&e->work);
    free(e);
    return CUDA_SUCCESS;
}
