/*
 * Calls without a visible effect here: hints, attributes of pointers, and functions of the host in
 * streams, whose work is already done.
 */
#include <string.h>

#include "frontend/emulator/cudart/cudart_context.h"
#include "frontend/emulator/cudart/graph/cudart_graph.h"
#include "frontend/emulator/cudart/stream/cudart_order.h"

typedef void (*cuda_host_fn_t)(void *data);

CUDART_EXPORT cuda_error_t cudaLaunchHostFunc(cuda_stream_t stream, cuda_host_fn_t fn, void *data);
CUDART_EXPORT cuda_error_t cudaDeviceCanAccessPeer(int *can, int device, int peer);
CUDART_EXPORT cuda_error_t cudaDeviceGetCacheConfig(int *config);
CUDART_EXPORT cuda_error_t cudaDeviceGetSharedMemConfig(int *config);
CUDART_EXPORT cuda_error_t cudaSetDeviceFlags(unsigned flags);
CUDART_EXPORT cuda_error_t cudaGetDeviceFlags(unsigned *flags);
CUDART_EXPORT cuda_error_t cudaInitDevice(int device, unsigned device_flags, unsigned flags);
CUDART_EXPORT cuda_error_t cudaSetValidDevices(int *devices, int n);
CUDART_EXPORT cuda_error_t cudaDeviceFlushGPUDirectRDMAWrites(int target, int scope);
CUDART_EXPORT cuda_error_t cudaMemAdvise(const void *p, size_t n, int advice, int device);
CUDART_EXPORT cuda_error_t cudaMemAdvise_v2(const void *p, size_t n, int advice, uint64_t location);
CUDART_EXPORT cuda_error_t cudaHostGetFlags(unsigned *flags, void *p);
CUDART_EXPORT cuda_error_t cudaPointerGetAttributes(void *attributes, const void *p);

#define HINT(name, ...)                                                                            \
    CUDART_EXPORT cuda_error_t name(__VA_ARGS__);                                                  \
    cuda_error_t name(__VA_ARGS__)                                                                 \
    {                                                                                              \
        return cudart_leave(cudart_enter(), CUDA_SUCCESS);                                         \
    }

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
HINT(cudaCtxResetPersistingL2Cache, void)
HINT(cudaProfilerInitialize, const char *config, const char *output, int mode)
HINT(cudaSetDoubleForDevice, double *value)
HINT(cudaSetDoubleForHost, double *value)
#pragma GCC diagnostic pop

cuda_error_t cudaLaunchHostFunc(cuda_stream_t stream, cuda_host_fn_t fn, void *data)
{
    const cudart_node_t model = {.type = CUDA_NODE_HOST, .host = {fn, data}};
    cuda_error_t sticky = cudart_leave(cudart_enter(), CUDA_SUCCESS), e;

    if (fn == NULL)
        return cudart_fail(CUDA_ERROR_INVALID_VALUE);
    if (cudart_capture(stream, &model, &e))
        return e;
    if (sticky == CUDA_SUCCESS)
        fn(data);
    return sticky;
}

cuda_error_t cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
    if (can == NULL)
        return cudart_fail(CUDA_ERROR_INVALID_VALUE);
    if (device != 0 || peer != 0)
        return cudart_fail(CUDA_ERROR_INVALID_DEVICE);
    *can = 0;
    return CUDA_SUCCESS;
}

cuda_error_t cudaDeviceGetCacheConfig(int *config)
{
    if (config != NULL)
        *config = 0;
    return cudart_fail_if(config == NULL);
}

cuda_error_t cudaDeviceGetSharedMemConfig(int *config)
{
    if (config != NULL)
        *config = 1; /* banks of four bytes */
    return cudart_fail_if(config == NULL);
}

cuda_error_t cudaSetDeviceFlags(unsigned flags)
{
    enum { ALL_FLAGS = 0x9f }; /* of how the host waits, and of memory */

    if ((flags & ~(unsigned)ALL_FLAGS) != 0)
        return cudart_fail(CUDA_ERROR_INVALID_VALUE);
    cudart_primary_context()->flags = flags;
    return CUDA_SUCCESS;
}

cuda_error_t cudaGetDeviceFlags(unsigned *flags)
{
    if (flags != NULL)
        *flags = cudart_primary_context()->flags;
    return cudart_fail_if(flags == NULL);
}

cuda_error_t cudaInitDevice(int device, unsigned device_flags, unsigned flags)
{
    if (device != 0)
        return cudart_fail(CUDA_ERROR_INVALID_DEVICE);
    return flags != 0 ? cudaSetDeviceFlags(device_flags) : CUDA_SUCCESS;
}

cuda_error_t cudaSetValidDevices(int *devices, int n)
{
    if (n < 0 || (n > 0 && devices == NULL))
        return cudart_fail(CUDA_ERROR_INVALID_VALUE);
    for (int i = 0; i < n; i++)
        if (devices[i] != 0)
            return cudart_fail(CUDA_ERROR_INVALID_DEVICE);
    return CUDA_SUCCESS;
}

/* No other device writes to this one's memory. */
cuda_error_t cudaDeviceFlushGPUDirectRDMAWrites(int target, int scope)
{
    (void)target, (void)scope;
    return cudart_fail(CUDA_ERROR_NOT_SUPPORTED);
}

cuda_error_t cudaMemAdvise(const void *p, size_t n, int advice, int device)
{
    (void)advice, (void)device;
    return cudart_fail_if(p == NULL || n == 0);
}

cuda_error_t cudaMemAdvise_v2(const void *p, size_t n, int advice, uint64_t location)
{
    (void)location;
    return cudaMemAdvise(p, n, advice, 0);
}

cuda_error_t cudaHostGetFlags(unsigned *flags, void *p)
{
    cudart_state_t *s = cudart_enter();
    const emu_foreign_t *f = emu_mem_foreign(&s->mem, (uint64_t)(uintptr_t)p, 1);

    if (flags == NULL || (f == NULL && !cudart_is_device(s, p)))
        return cudart_leave(s, CUDA_ERROR_INVALID_VALUE);
    *flags = f != NULL ? f->flags : 0;
    return cudart_leave(s, CUDA_SUCCESS);
}

/* struct cudaPointerAttributes: type, device, both pointers. */
cuda_error_t cudaPointerGetAttributes(void *attributes, const void *p)
{
    enum { UNREGISTERED, HOST, DEVICE, MANAGED, NO_DEVICE = -2 };
    const uint64_t addr = (uint64_t)(uintptr_t)p;
    cudart_state_t *s = cudart_enter();
    const emu_range_t *r = emu_mem_range(&s->mem, addr);
    struct {
        int type, device;
        const void *on_device, *on_host;
    } a = {UNREGISTERED, NO_DEVICE, NULL, p};

    if (attributes == NULL)
        return cudart_leave(s, CUDA_ERROR_INVALID_VALUE);
    if (r != NULL || emu_mem_foreign(&s->mem, addr, 1) != NULL) {
        a.type = r == NULL ? HOST : r->managed ? MANAGED : r->of_host ? HOST : DEVICE;
        a.device = 0;
        a.on_device = p;
        a.on_host = a.type == DEVICE ? NULL : p;
    }
    memcpy(attributes, &a, sizeof(a));
    return cudart_leave(s, CUDA_SUCCESS);
}
