/*
 * The calls of programs compiled with --default-stream per-thread, as far as the order of their work is
 * recorded: stream 0 is the calling thread's own.
 */
#include "frontend/emulator/cudart/stream/cudart_order.h"

#define OWN(name, suffix, params, args)                                                            \
    CUDART_EXPORT cuda_error_t name params;                                                        \
    CUDART_EXPORT cuda_error_t name##suffix params;                                                \
    cuda_error_t name##suffix params                                                               \
    {                                                                                              \
        return name args;                                                                          \
    }

/* A call without a stream. */
#define OWN_DEFAULT(name, suffix, params, args)                                                    \
    CUDART_EXPORT cuda_error_t name params;                                                        \
    CUDART_EXPORT cuda_error_t name##suffix params;                                                \
    cuda_error_t name##suffix params                                                               \
    {                                                                                              \
        cudart_per_thread();                                                                       \
        return cudart_off(name args);                                                              \
    }

OWN(cudaLaunchKernel, _ptsz,
    (const void *host, cuda_dim3_t grid, cuda_dim3_t block, void **args, size_t shared,
     cuda_stream_t stream),
    (host, grid, block, args, shared, cudart_own_stream(stream)))
OWN(__cudaLaunchKernel, _ptsz,
    (const void *kernel, cuda_dim3_t grid, cuda_dim3_t block, void **args, size_t shared,
     cuda_stream_t stream),
    (kernel, grid, block, args, shared, cudart_own_stream(stream)))
OWN(cudaLaunchCooperativeKernel, _ptsz,
    (const void *host, cuda_dim3_t grid, cuda_dim3_t block, void **args, size_t shared,
     cuda_stream_t stream),
    (host, grid, block, args, shared, cudart_own_stream(stream)))
OWN(cudaMemcpyAsync, _ptsz, (void *to, const void *from, size_t n, int kind, cuda_stream_t stream),
    (to, from, n, kind, cudart_own_stream(stream)))
OWN(cudaMemcpy2DAsync, _ptsz,
    (void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
     int kind, cuda_stream_t stream),
    (to, to_pitch, from, from_pitch, width, height, kind, cudart_own_stream(stream)))
OWN(cudaMemsetAsync, _ptsz, (void *p, int value, size_t n, cuda_stream_t stream),
    (p, value, n, cudart_own_stream(stream)))
OWN(cudaEventRecord, _ptsz, (void *event, cuda_stream_t stream), (event, cudart_own_stream(stream)))
OWN(cudaEventRecordWithFlags, _ptsz, (void *event, cuda_stream_t stream, unsigned flags),
    (event, cudart_own_stream(stream), flags))
OWN(cudaStreamWaitEvent, _ptsz, (cuda_stream_t stream, void *event, unsigned flags),
    (cudart_own_stream(stream), event, flags))
OWN(cudaStreamSynchronize, _ptsz, (cuda_stream_t stream), (cudart_own_stream(stream)))
OWN(cudaStreamQuery, _ptsz, (cuda_stream_t stream), (cudart_own_stream(stream)))
OWN(cudaGraphLaunch, _ptsz, (void *exec, cuda_stream_t stream), (exec, cudart_own_stream(stream)))
OWN_DEFAULT(cudaMemcpy, _ptds, (void *to, const void *from, size_t n, int kind),
            (to, from, n, kind))
OWN_DEFAULT(cudaMemset, _ptds, (void *p, int value, size_t n), (p, value, n))
