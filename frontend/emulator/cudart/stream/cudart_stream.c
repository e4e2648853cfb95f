/* Streams: which there are, what is known of each, and hints about them. */
#include "frontend/emulator/cudart/cudart_handle.h"
#include "frontend/emulator/cudart/stream/cudart_order.h"

typedef void (*cuda_callback_t)(cuda_stream_t stream, cuda_error_t status, void *data);

CUDART_EXPORT cuda_error_t cudaStreamCreate(cuda_stream_t *stream);
CUDART_EXPORT cuda_error_t cudaStreamCreateWithFlags(cuda_stream_t *stream, unsigned flags);
CUDART_EXPORT cuda_error_t cudaStreamCreateWithPriority(cuda_stream_t *stream, unsigned flags,
                                                        int priority);
CUDART_EXPORT cuda_error_t cudaStreamDestroy(cuda_stream_t stream);
CUDART_EXPORT cuda_error_t cudaStreamSynchronize(cuda_stream_t stream);
CUDART_EXPORT cuda_error_t cudaStreamQuery(cuda_stream_t stream);
CUDART_EXPORT cuda_error_t cudaStreamAddCallback(cuda_stream_t stream, cuda_callback_t callback,
                                                 void *data, unsigned flags);
CUDART_EXPORT cuda_error_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest);
CUDART_EXPORT cuda_error_t cudaStreamGetPriority(cuda_stream_t stream, int *priority);
CUDART_EXPORT cuda_error_t cudaStreamGetFlags(cuda_stream_t stream, unsigned *flags);

enum { LEAST_PRIORITY = 0, GREATEST_PRIORITY = -5 };

cuda_error_t cudaStreamCreateWithPriority(cuda_stream_t *stream, unsigned flags, int priority)
{
    enum { NON_BLOCKING = 1 };
    cudart_state_t *s = cudart_enter_context();

    if (stream == NULL || flags > NON_BLOCKING)
        return cudart_leave(s, CUDA_ERROR_INVALID_VALUE);
    if (priority > LEAST_PRIORITY)
        priority = LEAST_PRIORITY;
    if (priority < GREATEST_PRIORITY)
        priority = GREATEST_PRIORITY;
    *stream = cudart_stream_add(flags, priority);
    cudart_order_new_stream(*stream, (flags & NON_BLOCKING) == 0, priority);
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

/* What comes after the work of a stream is known from its events, so nothing else has to stay. */
cuda_error_t cudaStreamDestroy(cuda_stream_t stream)
{
    cudart_stream_t known;

    return cudart_leave(cudart_enter_context(), cudart_stream_find(stream, &known, true)
                                                    ? CUDA_SUCCESS
                                                    : CUDA_ERROR_INVALID_HANDLE);
}

cuda_error_t cudaStreamSynchronize(cuda_stream_t stream)
{
    cudart_state_t *s = cudart_enter_context();

    if (!cudart_is_stream(stream))
        return cudart_leave(s, CUDA_ERROR_INVALID_HANDLE);
    cudart_order_host_stream(stream);
    return cudart_leave(s, CUDA_SUCCESS);
}

/* A stream has always done its work. */
cuda_error_t cudaStreamQuery(cuda_stream_t stream)
{
    return cudaStreamSynchronize(stream);
}

cuda_error_t cudaStreamAddCallback(cuda_stream_t stream, cuda_callback_t callback, void *data,
                                   unsigned flags)
{
    if (!cudart_is_stream(stream))
        return cudart_fail(CUDA_ERROR_INVALID_HANDLE);
    if (flags != 0 || callback == NULL)
        return cudart_fail(CUDA_ERROR_INVALID_VALUE);
    const cuda_error_t sticky = cudart_leave(cudart_enter(), CUDA_SUCCESS);
    callback(stream, sticky, data);
    return sticky;
}

cuda_error_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    if (least != NULL)
        *least = LEAST_PRIORITY;
    if (greatest != NULL)
        *greatest = GREATEST_PRIORITY;
    return CUDA_SUCCESS;
}

cuda_error_t cudaStreamGetPriority(cuda_stream_t stream, int *priority)
{
    cudart_stream_t known;

    if (!cudart_stream_find(stream, &known, false))
        return cudart_fail(CUDA_ERROR_INVALID_HANDLE);
    if (priority == NULL)
        return cudart_fail(CUDA_ERROR_INVALID_VALUE);
    *priority = known.priority;
    return CUDA_SUCCESS;
}

cuda_error_t cudaStreamGetFlags(cuda_stream_t stream, unsigned *flags)
{
    cudart_stream_t known;

    if (!cudart_stream_find(stream, &known, false))
        return cudart_fail(CUDA_ERROR_INVALID_HANDLE);
    if (flags == NULL)
        return cudart_fail(CUDA_ERROR_INVALID_VALUE);
    *flags = known.flags;
    return CUDA_SUCCESS;
}

/* --- hints ----------------------------------------------------------------------------------- */

/* A call without effect, if its stream is one and its other arguments are not wrong. */
#define OF_STREAM(name, wrong, ...)                                                                \
    CUDART_EXPORT cuda_error_t name(__VA_ARGS__);                                                  \
    cuda_error_t name(__VA_ARGS__)                                                                 \
    {                                                                                              \
        return cudart_leave(cudart_enter(), !cudart_is_stream(stream) ? CUDA_ERROR_INVALID_HANDLE  \
                                            : (wrong)                 ? CUDA_ERROR_INVALID_VALUE   \
                                                                      : CUDA_SUCCESS);                             \
    }

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
OF_STREAM(cudaMemPrefetchAsync_v2, p == NULL || n == 0, const void *p, size_t n, uint64_t location,
          unsigned flags, cuda_stream_t stream)
OF_STREAM(cudaMemPrefetchAsync, p == NULL || n == 0, const void *p, size_t n, int device,
          cuda_stream_t stream)
OF_STREAM(cudaStreamAttachMemAsync, p == NULL, cuda_stream_t stream, void *p, size_t n,
          unsigned flags)
OF_STREAM(cudaStreamSetAttribute, value == NULL, cuda_stream_t stream, int attribute,
          const void *value)
OF_STREAM(cudaStreamCopyAttributes, !cudart_is_stream(from), cuda_stream_t stream,
          cuda_stream_t from)
#pragma GCC diagnostic pop
