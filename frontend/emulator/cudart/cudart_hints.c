/*
 * Calls without a visible effect here: hints, attributes of pointers, and functions of the host in
 * streams, whose work is already done.
 */
#include <string.h>

#include "frontend/emulator/cudart/cudart_graph.h"
#include "frontend/emulator/cudart/cudart_order.h"

typedef void (*cuda_host_fn_t)(void *data);

CUDART_EXPORT cuda_error_t cudaLaunchHostFunc(cuda_stream_t stream, cuda_host_fn_t fn, void *data);
CUDART_EXPORT cuda_error_t cudaDeviceCanAccessPeer(int *can, int device, int peer);
CUDART_EXPORT cuda_error_t cudaDeviceGetCacheConfig(int *config);
CUDART_EXPORT cuda_error_t cudaDeviceGetSharedMemConfig(int *config);
CUDART_EXPORT cuda_error_t cudaGetDeviceFlags(unsigned *flags);
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
HINT(cudaMemAdvise, const void *p, size_t n, int advice, int device)
HINT(cudaMemAdvise_v2, const void *p, size_t n, int advice, uint64_t location)
HINT(cudaCtxResetPersistingL2Cache, void)
HINT(cudaDeviceFlushGPUDirectRDMAWrites, int target, int scope)
HINT(cudaInitDevice, int device, unsigned device_flags, unsigned flags)
HINT(cudaProfilerInitialize, const char *config, const char *output, int mode)
HINT(cudaSetDoubleForDevice, double *value)
HINT(cudaSetDoubleForHost, double *value)
HINT(cudaSetValidDevices, int *devices, int n)
#pragma GCC diagnostic pop

cuda_error_t cudaLaunchHostFunc(cuda_stream_t stream, cuda_host_fn_t fn, void *data)
{
    const cudart_node_t model = {.type = CUDA_NODE_HOST, .host = {fn, data}};
    cuda_error_t sticky = cudart_leave(cudart_enter(), CUDA_SUCCESS), e;

    if (fn == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    if (cudart_capture(stream, &model, &e))
        return e;
    if (sticky == CUDA_SUCCESS)
        fn(data);
    return sticky;
}

cuda_error_t cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
    (void)device, (void)peer;
    *can = 0;
    return CUDA_SUCCESS;
}

cuda_error_t cudaDeviceGetCacheConfig(int *config)
{
    *config = 0;
    return CUDA_SUCCESS;
}

cuda_error_t cudaDeviceGetSharedMemConfig(int *config)
{
    *config = 1; /* banks of four bytes */
    return CUDA_SUCCESS;
}

cuda_error_t cudaGetDeviceFlags(unsigned *flags)
{
    *flags = 0;
    return CUDA_SUCCESS;
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
