/* Streams, events, pools, captured graphs, and the addresses of functions in the driver API. */
#include <dlfcn.h>
#include <stdio.h>

#include "frontend/emulator/cuda/cuda_api.h"
#include "frontend/emulator/cudart/cudart_calls.h"

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
    (void)stream;
    if (context == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *context = cudart_context();
    return CUDA_SUCCESS;
}

/* --- addresses of functions ------------------------------------------------------------------ */

CUDART_EXPORT cuda_error_t cuGetProcAddress(const char *name, void **function, int version,
                                            uint64_t flags);
CUDART_EXPORT cuda_error_t cuGetProcAddress_v2(const char *name, void **function, int version,
                                               uint64_t flags, int *found);

static const char anchor[1]; /* an address in this library */

/* The newest variant of a function, in this library. */
static void *find(const char *name)
{
    static const char *const suffixes[] = {"_v4", "_v3", "_v2", ""};
    char full[128];
    Dl_info self;
    void *library =
        dladdr(&anchor, &self) != 0 ? dlopen(self.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    void *found = NULL;

    for (unsigned i = 0; i < 4 && found == NULL && library != NULL; i++) {
        snprintf(full, sizeof(full), "%s%s", name, suffixes[i]);
        found = dlsym(library, full);
    }
    if (library != NULL)
        dlclose(library);
    return found;
}

cuda_error_t cuGetProcAddress_v2(const char *name, void **function, int version, uint64_t flags,
                                 int *found)
{
    enum { FOUND, NOT_FOUND };

    (void)version, (void)flags;
    if (name == NULL || function == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *function = find(name);
    if (found != NULL)
        *found = *function != NULL ? FOUND : NOT_FOUND;
    return *function != NULL ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

cuda_error_t cuGetProcAddress(const char *name, void **function, int version, uint64_t flags)
{
    return cuGetProcAddress_v2(name, function, version, flags, NULL);
}
