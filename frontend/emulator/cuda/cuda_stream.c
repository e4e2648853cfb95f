/* Streams, events, pools and captured graphs in the driver API. */
#include "frontend/emulator/cuda/cuda_api.h"
#include "frontend/emulator/cudart/cudart_calls.h"
#include "frontend/emulator/cudart/cudart_handle.h"

typedef void (*callback_t)(cuda_stream_t stream, cuda_error_t status, void *data);

/* Calls that are those of the runtime by another name. */
#define SAME(name, runtime, params, args)                                                          \
    CUDART_EXPORT cuda_error_t runtime params;                                                     \
    CUDART_EXPORT cuda_error_t name params;                                                        \
    cuda_error_t name params                                                                       \
    {                                                                                              \
        return runtime args;                                                                       \
    }

SAME(cuStreamCreate, cudaStreamCreateWithFlags, (cuda_stream_t * stream, unsigned flags),
     (stream, flags))
SAME(cuStreamCreateWithPriority, cudaStreamCreateWithPriority,
     (cuda_stream_t * stream, unsigned flags, int priority), (stream, flags, priority))
SAME(cuStreamDestroy_v2, cudaStreamDestroy, (cuda_stream_t stream), (stream))
SAME(cuStreamSynchronize, cudaStreamSynchronize, (cuda_stream_t stream), (stream))
SAME(cuStreamQuery, cudaStreamQuery, (cuda_stream_t stream), (stream))
SAME(cuStreamGetPriority, cudaStreamGetPriority, (cuda_stream_t stream, int *priority),
     (stream, priority))
SAME(cuStreamGetFlags, cudaStreamGetFlags, (cuda_stream_t stream, unsigned *flags), (stream, flags))
SAME(cuStreamWaitEvent, cudaStreamWaitEvent, (cuda_stream_t stream, void *event, unsigned flags),
     (stream, event, flags))
SAME(cuStreamAddCallback, cudaStreamAddCallback,
     (cuda_stream_t stream, callback_t callback, void *data, unsigned flags),
     (stream, callback, data, flags))
SAME(cuStreamIsCapturing, cudaStreamIsCapturing, (cuda_stream_t stream, int *status),
     (stream, status))
SAME(cuEventCreate, cudaEventCreateWithFlags, (void **event, unsigned flags), (event, flags))
SAME(cuEventDestroy_v2, cudaEventDestroy, (void *event), (event))
SAME(cuEventRecord, cudaEventRecord, (void *event, cuda_stream_t stream), (event, stream))
SAME(cuEventSynchronize, cudaEventSynchronize, (void *event), (event))
SAME(cuEventQuery, cudaEventQuery, (void *event), (event))
SAME(cuEventElapsedTime, cudaEventElapsedTime, (float *ms, void *begin, void *end),
     (ms, begin, end))
SAME(cuMemHostRegister_v2, cudaHostRegister, (void *p, size_t n, unsigned flags), (p, n, flags))
SAME(cuMemHostUnregister, cudaHostUnregister, (void *p), (p))
SAME(cuStreamBeginCapture_v2, cudaStreamBeginCapture, (cuda_stream_t stream, int mode),
     (stream, mode))
SAME(cuStreamEndCapture, cudaStreamEndCapture, (cuda_stream_t stream, void **graph),
     (stream, graph))
SAME(cuThreadExchangeStreamCaptureMode, cudaThreadExchangeStreamCaptureMode, (int *mode), (mode))
SAME(cuMemPoolCreate, cudaMemPoolCreate, (void **pool, const void *properties), (pool, properties))
SAME(cuMemPoolDestroy, cudaMemPoolDestroy, (void *pool), (pool))
SAME(cuMemPoolTrimTo, cudaMemPoolTrimTo, (void *pool, size_t bytes), (pool, bytes))
SAME(cuMemPoolSetAttribute, cudaMemPoolSetAttribute, (void *pool, int attribute, void *value),
     (pool, attribute, value))
SAME(cuMemPoolGetAttribute, cudaMemPoolGetAttribute, (void *pool, int attribute, void *value),
     (pool, attribute, value))
SAME(cuMemPoolSetAccess, cudaMemPoolSetAccess, (void *pool, const void *access, size_t n),
     (pool, access, n))
SAME(cuMemPoolGetAccess, cudaMemPoolGetAccess, (int *flags, void *pool, void *location),
     (flags, pool, location))
SAME(cuDeviceGetDefaultMemPool, cudaDeviceGetDefaultMemPool, (void **pool, int device),
     (pool, device))
SAME(cuDeviceGetMemPool, cudaDeviceGetMemPool, (void **pool, int device), (pool, device))
SAME(cuDeviceSetMemPool, cudaDeviceSetMemPool, (int device, void *pool), (device, pool))
SAME(cuGraphLaunch, cudaGraphLaunch, (void *exec, cuda_stream_t stream), (exec, stream))
SAME(cuGraphDestroy, cudaGraphDestroy, (void *graph), (graph))
SAME(cuGraphExecDestroy, cudaGraphExecDestroy, (void *exec), (exec))
SAME(cuGraphInstantiateWithFlags, cudaGraphInstantiateWithFlags,
     (void **exec, void *graph, unsigned long long flags), (exec, graph, flags))
SAME(cuProfilerStart, cudaProfilerStart, (void), ())
SAME(cuProfilerStop, cudaProfilerStop, (void), ())

CUDART_EXPORT cuda_error_t cuStreamGetCtx(cuda_stream_t stream, cudart_context_t **context);

cuda_error_t cuStreamGetCtx(cuda_stream_t stream, cudart_context_t **context)
{
    if (context == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    if (!cudart_is_stream(stream))
        return CUDA_ERROR_INVALID_HANDLE;
    *context = cudart_context();
    return CUDA_SUCCESS;
}

/* Since 12.5: with the green context of the stream, which has none here. */
CUDART_EXPORT cuda_error_t cuStreamGetCtx_v2(cuda_stream_t stream, cudart_context_t **context,
                                             void **green);

cuda_error_t cuStreamGetCtx_v2(cuda_stream_t stream, cudart_context_t **context, void **green)
{
    if (green != NULL)
        *green = NULL;
    return cuStreamGetCtx(stream, context);
}
