/* Memory of the driver API: allocation, copies, values. */
#include <string.h>

#include "frontend/emulator/cuda/cuda_api.h"
#include "frontend/emulator/cudart/cudart_calls.h"
#include "frontend/emulator/cudart/graph/cudart_graph.h"

CUDART_EXPORT cuda_error_t cudaMallocHost(void **p, size_t n);
CUDART_EXPORT cuda_error_t cudaHostAlloc(void **p, size_t n, unsigned flags);
CUDART_EXPORT cuda_error_t cudaMallocManaged(void **p, size_t n, unsigned flags);
CUDART_EXPORT cuda_error_t cudaHostGetDevicePointer(void **device, void *host, unsigned flags);
CUDART_EXPORT cuda_error_t cudaFreeHost(void *p);
CUDART_EXPORT cuda_error_t cudaMallocPitch(void **p, size_t *pitch, size_t width, size_t height);
CUDART_EXPORT cuda_error_t cudaMallocAsync(void **p, size_t n, cuda_stream_t stream);
CUDART_EXPORT cuda_error_t cudaFreeAsync(void *p, cuda_stream_t stream);
CUDART_EXPORT cuda_error_t cudaMemGetInfo(size_t *free_bytes, size_t *total);
CUDART_EXPORT cuda_error_t cudaMemcpy(void *to, const void *from, size_t n, int kind);
CUDART_EXPORT cuda_error_t cudaMemcpyAsync(void *to, const void *from, size_t n, int kind,
                                           cuda_stream_t stream);

/* --- allocation ------------------------------------------------------------------------------ */

CUDART_EXPORT cuda_error_t cuMemAlloc_v2(cuda_pointer_t *p, size_t n);
CUDART_EXPORT cuda_error_t cuMemFree_v2(cuda_pointer_t p);
CUDART_EXPORT cuda_error_t cuMemAllocPitch_v2(cuda_pointer_t *p, size_t *pitch, size_t width,
                                              size_t height, unsigned element);
CUDART_EXPORT cuda_error_t cuMemAllocHost_v2(void **p, size_t n);
CUDART_EXPORT cuda_error_t cuMemHostAlloc(void **p, size_t n, unsigned flags);
CUDART_EXPORT cuda_error_t cuMemFreeHost(void *p);
CUDART_EXPORT cuda_error_t cuMemAllocManaged(cuda_pointer_t *p, size_t n, unsigned flags);
CUDART_EXPORT cuda_error_t cuMemHostGetDevicePointer_v2(cuda_pointer_t *p, void *host,
                                                        unsigned flags);
CUDART_EXPORT cuda_error_t cuMemAllocAsync(cuda_pointer_t *p, size_t n, cuda_stream_t stream);
CUDART_EXPORT cuda_error_t cuMemFreeAsync(cuda_pointer_t p, cuda_stream_t stream);
CUDART_EXPORT cuda_error_t cuMemGetInfo_v2(size_t *free_bytes, size_t *total);
CUDART_EXPORT cuda_error_t cuMemGetAddressRange_v2(cuda_pointer_t *begin, size_t *bytes,
                                                   cuda_pointer_t p);
CUDART_EXPORT cuda_error_t cuPointerGetAttribute(void *value, int attribute, cuda_pointer_t p);

cuda_error_t cuMemAlloc_v2(cuda_pointer_t *p, size_t n)
{
    void *at = NULL;
    cuda_error_t e = p == NULL || n == 0 ? CUDA_ERROR_INVALID_VALUE : cudaMalloc(&at, n);

    if (e == CUDA_SUCCESS)
        *p = (uintptr_t)at;
    return e;
}

cuda_error_t cuMemFree_v2(cuda_pointer_t p)
{
    return p == 0 ? CUDA_ERROR_INVALID_VALUE : cudaFree(cuda_at(p));
}

cuda_error_t cuMemAllocPitch_v2(cuda_pointer_t *p, size_t *pitch, size_t width, size_t height,
                                unsigned element)
{
    void *at = NULL;

    (void)element;
    if (p == NULL || pitch == NULL || width == 0 || height == 0)
        return CUDA_ERROR_INVALID_VALUE;
    cuda_error_t e = cudaMallocPitch(&at, pitch, width, height);
    *p = (uintptr_t)at;
    return e;
}

cuda_error_t cuMemAllocHost_v2(void **p, size_t n)
{
    return n == 0 ? CUDA_ERROR_INVALID_VALUE : cudaMallocHost(p, n);
}

cuda_error_t cuMemHostAlloc(void **p, size_t n, unsigned flags)
{
    return n == 0 ? CUDA_ERROR_INVALID_VALUE : cudaHostAlloc(p, n, flags);
}

cuda_error_t cuMemFreeHost(void *p)
{
    return p == NULL ? CUDA_ERROR_INVALID_VALUE : cudaFreeHost(p);
}

cuda_error_t cuMemAllocManaged(cuda_pointer_t *p, size_t n, unsigned flags)
{
    void *at = NULL;

    if (p == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    cuda_error_t e = cudaMallocManaged(&at, n, flags);
    *p = (uintptr_t)at;
    return e;
}

cuda_error_t cuMemHostGetDevicePointer_v2(cuda_pointer_t *p, void *host, unsigned flags)
{
    void *at = NULL;
    cuda_error_t e = p == NULL || flags != 0 ? CUDA_ERROR_INVALID_VALUE
                                             : cudaHostGetDevicePointer(&at, host, flags);

    if (e == CUDA_SUCCESS)
        *p = (uintptr_t)at;
    return e;
}

cuda_error_t cuMemAllocAsync(cuda_pointer_t *p, size_t n, cuda_stream_t stream)
{
    void *at = NULL;
    cuda_error_t e = p == NULL ? CUDA_ERROR_INVALID_VALUE : cudaMallocAsync(&at, n, stream);

    if (e == CUDA_SUCCESS)
        *p = (uintptr_t)at;
    return e;
}

cuda_error_t cuMemFreeAsync(cuda_pointer_t p, cuda_stream_t stream)
{
    return p == 0 ? CUDA_ERROR_INVALID_VALUE : cudaFreeAsync(cuda_at(p), stream);
}

cuda_error_t cuMemGetInfo_v2(size_t *free_bytes, size_t *total)
{
    if (free_bytes == NULL || total == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    return cudaMemGetInfo(free_bytes, total);
}

cuda_error_t cuMemGetAddressRange_v2(cuda_pointer_t *begin, size_t *bytes, cuda_pointer_t p)
{
    cudart_state_t *s = cudart_enter();
    uint64_t first, size;
    bool found = emu_mem_find(&s->mem, p, &first, &size);

    if (found && begin != NULL)
        *begin = first;
    if (found && bytes != NULL)
        *bytes = size;
    return cudart_leave(s, found ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND);
}

/* CU_POINTER_ATTRIBUTE_* */
cuda_error_t cuPointerGetAttribute(void *value, int attribute, cuda_pointer_t p)
{
    enum { CONTEXT = 1, MEMORY_TYPE, DEVICE_POINTER, HOST_POINTER, BUFFER_ID = 7, IS_MANAGED };
    enum { ORDINAL = 9, LEGACY_IPC, RANGE_START, RANGE_BYTES };
    enum { HOST = 1, DEVICE }; /* CUmemorytype */
    cudart_state_t *s = cudart_enter();
    const emu_range_t *r = emu_mem_range(&s->mem, p);
    const emu_foreign_t *f = emu_mem_foreign(&s->mem, p, 1);

    if (value == NULL || (r == NULL && f == NULL))
        return cudart_leave(s, CUDA_ERROR_INVALID_VALUE);
    const uint64_t begin = r != NULL ? s->mem.base + r->offset : f->addr;
    const uint64_t bytes = r != NULL ? r->bytes : f->bytes;
    const bool managed = r != NULL && r->managed, of_host = r == NULL || r->of_host;
    const uint64_t long_values[] = {
        [CONTEXT] = (uintptr_t)cudart_context(), [DEVICE_POINTER] = p,  [HOST_POINTER] = p,
        [BUFFER_ID] = emu_mem_id(&s->mem, p),    [RANGE_START] = begin, [RANGE_BYTES] = bytes};
    const unsigned values[] = {[MEMORY_TYPE] = of_host && !managed ? HOST : DEVICE,
                               [IS_MANAGED] = managed,
                               [ORDINAL] = 0,
                               [LEGACY_IPC] = 0};
    switch (attribute) {
    case CONTEXT:
    case DEVICE_POINTER:
    case HOST_POINTER:
    case BUFFER_ID:
    case RANGE_START:
    case RANGE_BYTES:
        memcpy(value, &long_values[attribute], sizeof(long_values[0]));
        return cudart_leave(s, CUDA_SUCCESS);
    case MEMORY_TYPE:
    case IS_MANAGED:
    case ORDINAL:
    case LEGACY_IPC:
        memcpy(value, &values[attribute], sizeof(values[0]));
        return cudart_leave(s, CUDA_SUCCESS);
    default:
        return cudart_leave(s, CUDA_ERROR_NOT_SUPPORTED);
    }
}

/* --- copies ---------------------------------------------------------------------------------- */

/* The kind is that of any memory: the addresses tell which. */
#define COPY(name, TO, to_at, FROM, from_at)                                                       \
    CUDART_EXPORT cuda_error_t name##_v2(TO to, FROM from, size_t n);                              \
    CUDART_EXPORT cuda_error_t name##Async_v2(TO to, FROM from, size_t n, cuda_stream_t stream);   \
    cuda_error_t name##_v2(TO to, FROM from, size_t n)                                             \
    {                                                                                              \
        return cudaMemcpy(to_at, from_at, n, CUDA_DEFAULT);                                        \
    }                                                                                              \
    cuda_error_t name##Async_v2(TO to, FROM from, size_t n, cuda_stream_t stream)                  \
    {                                                                                              \
        return cudaMemcpyAsync(to_at, from_at, n, CUDA_DEFAULT, stream);                           \
    }

COPY(cuMemcpyHtoD, cuda_pointer_t, cuda_at(to), const void *, from)
COPY(cuMemcpyDtoH, void *, to, cuda_pointer_t, cuda_at(from))
COPY(cuMemcpyDtoD, cuda_pointer_t, cuda_at(to), cuda_pointer_t, cuda_at(from))

CUDART_EXPORT cuda_error_t cuMemcpy(cuda_pointer_t to, cuda_pointer_t from, size_t n);
CUDART_EXPORT cuda_error_t cuMemcpyAsync(cuda_pointer_t to, cuda_pointer_t from, size_t n,
                                         cuda_stream_t stream);

cuda_error_t cuMemcpy(cuda_pointer_t to, cuda_pointer_t from, size_t n)
{
    return cudaMemcpy(cuda_at(to), cuda_at(from), n, CUDA_DEFAULT);
}

cuda_error_t cuMemcpyAsync(cuda_pointer_t to, cuda_pointer_t from, size_t n, cuda_stream_t stream)
{
    return cudaMemcpyAsync(cuda_at(to), cuda_at(from), n, CUDA_DEFAULT, stream);
}

/* --- values ---------------------------------------------------------------------------------- */

/* Rows of elements of 1, 2 or 4 bytes. */
static cuda_set_node_t rows(cuda_pointer_t p, size_t pitch, unsigned value, unsigned bytes,
                            size_t width, size_t height)
{
    return (cuda_set_node_t){cuda_at(p), pitch, value, bytes, width, height};
}

#define SET(bits, T)                                                                               \
    CUDART_EXPORT cuda_error_t cuMemsetD##bits##_v2(cuda_pointer_t p, T value, size_t n);          \
    CUDART_EXPORT cuda_error_t cuMemsetD##bits##Async(cuda_pointer_t p, T value, size_t n,         \
                                                      cuda_stream_t stream);                       \
    CUDART_EXPORT cuda_error_t cuMemsetD2D##bits##_v2(cuda_pointer_t p, size_t pitch, T value,     \
                                                      size_t width, size_t height);                \
    CUDART_EXPORT cuda_error_t cuMemsetD2D##bits##Async(cuda_pointer_t p, size_t pitch, T value,   \
                                                        size_t width, size_t height,               \
                                                        cuda_stream_t stream);                     \
    cuda_error_t cuMemsetD##bits##_v2(cuda_pointer_t p, T value, size_t n)                         \
    {                                                                                              \
        const cuda_set_node_t m = rows(p, 0, value, bits / 8, n, 1);                               \
        return cudart_set(&m);                                                                     \
    }                                                                                              \
    cuda_error_t cuMemsetD##bits##Async(cuda_pointer_t p, T value, size_t n, cuda_stream_t stream) \
    {                                                                                              \
        const cuda_set_node_t m = rows(p, 0, value, bits / 8, n, 1);                               \
        return cudart_set_async(&m, stream);                                                       \
    }                                                                                              \
    cuda_error_t cuMemsetD2D##bits##_v2(cuda_pointer_t p, size_t pitch, T value, size_t width,     \
                                        size_t height)                                             \
    {                                                                                              \
        const cuda_set_node_t m = rows(p, pitch, value, bits / 8, width, height);                  \
        return cudart_set(&m);                                                                     \
    }                                                                                              \
    cuda_error_t cuMemsetD2D##bits##Async(cuda_pointer_t p, size_t pitch, T value, size_t width,   \
                                          size_t height, cuda_stream_t stream)                     \
    {                                                                                              \
        const cuda_set_node_t m = rows(p, pitch, value, bits / 8, width, height);                  \
        return cudart_set_async(&m, stream);                                                       \
    }

SET(8, unsigned char)
SET(16, unsigned short)
SET(32, unsigned)
