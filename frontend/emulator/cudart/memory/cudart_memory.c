/* Device memory: allocation, copies, symbols. Copies are done immediately, so streams keep their
 * order. */
#include <stdlib.h>
#include <string.h>

#include "frontend/emulator/cudart/cudart_calls.h"
#include "frontend/emulator/cudart/graph/cudart_graph.h"
#include "frontend/emulator/cudart/stream/cudart_order.h"

CUDART_EXPORT cuda_error_t cudaMallocManaged(void **p, size_t n, unsigned flags);
CUDART_EXPORT cuda_error_t cudaMallocHost(void **p, size_t n);
CUDART_EXPORT cuda_error_t cudaHostAlloc(void **p, size_t n, unsigned flags);
CUDART_EXPORT cuda_error_t cudaHostRegister(void *p, size_t n, unsigned flags);
CUDART_EXPORT cuda_error_t cudaHostUnregister(void *p);
CUDART_EXPORT cuda_error_t cudaHostGetDevicePointer(void **device, void *host, unsigned flags);
CUDART_EXPORT cuda_error_t cudaMallocPitch(void **p, size_t *pitch, size_t width, size_t height);
CUDART_EXPORT cuda_error_t cudaMemcpy(void *to, const void *from, size_t n, int kind);
CUDART_EXPORT cuda_error_t cudaMemcpyAsync(void *to, const void *from, size_t n, int kind,
                                           cuda_stream_t stream);
CUDART_EXPORT cuda_error_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from,
                                        size_t from_pitch, size_t width, size_t height, int kind);
CUDART_EXPORT cuda_error_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from,
                                             size_t from_pitch, size_t width, size_t height,
                                             int kind, cuda_stream_t stream);
CUDART_EXPORT cuda_error_t cudaMemGetInfo(size_t *free_bytes, size_t *total);
CUDART_EXPORT cuda_error_t cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t n,
                                                   size_t offset, int kind, cuda_stream_t stream);
CUDART_EXPORT cuda_error_t cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t n,
                                                     size_t offset, int kind, cuda_stream_t stream);
CUDART_EXPORT cuda_error_t cudaGetSymbolAddress(void **p, const void *symbol);
CUDART_EXPORT cuda_error_t cudaGetSymbolSize(size_t *n, const void *symbol);

/* --- allocation ------------------------------------------------------------------------------ */

cuda_error_t cudaMalloc(void **p, size_t n)
{
    cudart_state_t *s = cudart_enter_context();

    if (p == NULL)
        return cudart_leave(s, CUDA_ERROR_INVALID_VALUE);
    uint64_t addr = n > 0 ? cudart_alloc(s, n) : 0;
    *p = (void *)(uintptr_t)addr;
    return cudart_leave(s, n > 0 && addr == 0 ? CUDA_ERROR_MEMORY_ALLOCATION : CUDA_SUCCESS);
}

/* Kernels can read pinned memory: it is in the same address range, but not counted as the
 * card's. */
cuda_error_t cudaMallocHost(void **p, size_t n)
{
    cudart_state_t *s = cudart_enter_context();

    if (p == NULL)
        return cudart_leave(s, CUDA_ERROR_INVALID_VALUE);
    uint64_t addr = n > 0 ? emu_mem_alloc_host(&s->mem, n) : 0;
    *p = (void *)(uintptr_t)addr;
    return cudart_leave(s, n > 0 && addr == 0 ? CUDA_ERROR_MEMORY_ALLOCATION : CUDA_SUCCESS);
}

cuda_error_t cudaHostAlloc(void **p, size_t n, unsigned flags)
{
    enum { ALL_FLAGS = 7 };

    return flags > ALL_FLAGS ? cudart_fail(CUDA_ERROR_INVALID_VALUE) : cudaMallocHost(p, n);
}

/* Managed memory may exceed the card's. */
cuda_error_t cudaMallocManaged(void **p, size_t n, unsigned flags)
{
    enum { GLOBAL = 1, OF_HOST = 2 };
    cudart_state_t *s = cudart_enter_context();

    if (p == NULL || n == 0 || (flags != GLOBAL && flags != OF_HOST))
        return cudart_leave(s, CUDA_ERROR_INVALID_VALUE);
    *p = (void *)(uintptr_t)emu_mem_alloc_managed(&s->mem, n);
    return cudart_leave(s, *p == NULL ? CUDA_ERROR_MEMORY_ALLOCATION : CUDA_SUCCESS);
}

/* Kernels access the memory at its host address. */
cuda_error_t cudaHostRegister(void *p, size_t n, unsigned flags)
{
    const uint64_t addr = (uint64_t)(uintptr_t)p;
    cudart_state_t *s = cudart_enter_context();

    if (p == NULL || n == 0 || n > UINT64_MAX - addr)
        return cudart_leave(s, CUDA_ERROR_INVALID_VALUE);
    if (cudart_is_device(s, p) || !emu_mem_register(&s->mem, addr, n, flags))
        return cudart_leave(s, CUDA_ERROR_ALREADY_REGISTERED);
    return cudart_leave(s, CUDA_SUCCESS);
}

cuda_error_t cudaHostUnregister(void *p)
{
    cudart_state_t *s = cudart_enter_context();

    if (p == NULL)
        return cudart_leave(s, CUDA_ERROR_INVALID_VALUE);
    return cudart_leave(s, emu_mem_unregister(&s->mem, (uint64_t)(uintptr_t)p)
                               ? CUDA_SUCCESS
                               : CUDA_ERROR_NOT_REGISTERED);
}

cuda_error_t cudaHostGetDevicePointer(void **device, void *host, unsigned flags)
{
    cudart_state_t *s = cudart_enter_context();

    (void)flags;
    if (device == NULL || !cudart_legal(s, host, 1, true))
        return cudart_leave(s, CUDA_ERROR_INVALID_VALUE);
    *device = host;
    return cudart_leave(s, CUDA_SUCCESS);
}

cuda_error_t cudaMallocPitch(void **p, size_t *pitch, size_t width, size_t height)
{
    size_t bytes, row = (width + EMU_ALLOC_BYTES - 1) / EMU_ALLOC_BYTES * EMU_ALLOC_BYTES;

    if (p == NULL || pitch == NULL)
        return cudart_leave(cudart_enter_context(), CUDA_ERROR_INVALID_VALUE);
    if (row < width || __builtin_mul_overflow(row, height, &bytes))
        return cudart_leave(cudart_enter_context(), CUDA_ERROR_MEMORY_ALLOCATION);
    *pitch = row;
    return cudaMalloc(p, bytes);
}

cuda_error_t cudaMemGetInfo(size_t *free_bytes, size_t *total)
{
    cudart_state_t *s = cudart_enter_context();

    if (free_bytes == NULL || total == NULL)
        return cudart_leave(s, CUDA_ERROR_INVALID_VALUE);
    uint64_t all = cudart_device(s)->memory, used = emu_mem_in_use(&s->mem);
    *total = all;
    *free_bytes = used < all ? all - used : 0;
    return cudart_leave(s, CUDA_SUCCESS);
}

/* --- copies ---------------------------------------------------------------------------------- */

bool cudart_legal(const cudart_state_t *s, const void *p, size_t n, bool must_be_device)
{
    if (!cudart_is_device(s, p))
        return must_be_device ? emu_mem_foreign(&s->mem, (uint64_t)(uintptr_t)p, n) != NULL
                              : p != NULL;
    return emu_mem_at(&s->mem, (uint64_t)(uintptr_t)p, n) != NULL;
}

cuda_error_t cudart_copy(cudart_state_t *s, void *to, const void *from, size_t n, int kind)
{
    bool to_device = kind == CUDA_H2D || kind == CUDA_D2D;
    bool from_device = kind == CUDA_D2H || kind == CUDA_D2D;

    if (kind < CUDA_H2H || kind > CUDA_DEFAULT)
        return CUDA_ERROR_INVALID_DIRECTION;
    if (n == 0)
        return CUDA_SUCCESS;
    if (!cudart_legal(s, to, n, to_device) || !cudart_legal(s, from, n, from_device))
        return CUDA_ERROR_INVALID_VALUE;
    if (s->sticky == CUDA_SUCCESS)
        memmove(to, from, n);
    if (kind == CUDA_H2D || (kind == CUDA_DEFAULT && cudart_is_device(s, to)))
        cudart_record_copy((uint64_t)(uintptr_t)to, n);
    cudart_order_copy(s, to, from, n, kind);
    return CUDA_SUCCESS;
}

cuda_error_t cudaMemcpy(void *to, const void *from, size_t n, int kind)
{
    cudart_state_t *s = cudart_enter_context();

    return cudart_leave(s, cudart_copy(s, to, from, n, kind));
}

cuda_error_t cudaMemcpyAsync(void *to, const void *from, size_t n, int kind, cuda_stream_t stream)
{
    const cuda_copy3d_t row = cudart_copy_row(to, from, n, kind);
    cuda_error_t e;

    if (cudart_capture(stream, &(cudart_node_t){.type = CUDA_NODE_COPY, .copy = row}, &e))
        return e;
    return CUDART_ON(stream, cudaMemcpy(to, from, n, kind));
}

cuda_error_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                          size_t width, size_t height, int kind)
{
    cudart_state_t *s = cudart_enter_context();
    const size_t rows = width > 0 ? height : 0;
    size_t last;
    cuda_error_t e = cudart_invalid_if(__builtin_mul_overflow(rows, to_pitch, &last) ||
                                       __builtin_mul_overflow(rows, from_pitch, &last));

    if (width > to_pitch || width > from_pitch)
        return cudart_leave(s, CUDA_ERROR_INVALID_PITCH);
    for (size_t i = 0; i < rows && e == CUDA_SUCCESS; i++)
        e = cudart_copy(s, (char *)to + i * to_pitch, (const char *)from + i * from_pitch, width,
                        kind);
    return cudart_leave(s, e);
}

cuda_error_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                               size_t width, size_t height, int kind, cuda_stream_t stream)
{
    const cuda_copy3d_t rows = {.from = {(void *)(uintptr_t)from, from_pitch, width, height},
                                .to = {to, to_pitch, width, height},
                                .extent = {width, height, 1},
                                .kind = kind};
    cuda_error_t e;

    if (cudart_capture(stream, &(cudart_node_t){.type = CUDA_NODE_COPY, .copy = rows}, &e))
        return e;
    return CUDART_ON(stream, cudaMemcpy2D(to, to_pitch, from, from_pitch, width, height, kind));
}

/* --- variables ------------------------------------------------------------------------------- */

/* Address of n bytes at an offset of a variable, or NULL. */
static uint8_t *symbol_bytes(cudart_state_t *s, const void *symbol, size_t n, size_t offset,
                             bool *constant)
{
    emu_variable_t v;

    if (!cudart_symbol(s, symbol, &v) || offset > v.bytes || n > v.bytes - offset)
        return NULL;
    *constant = v.constant;
    return (uint8_t *)(uintptr_t)v.addr + offset;
}

cuda_error_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t n, size_t offset,
                                int kind)
{
    cudart_state_t *s = cudart_enter_context();
    bool constant;
    uint8_t *to = symbol_bytes(s, symbol, n, offset, &constant);

    if (to == NULL)
        return cudart_leave(s, CUDA_ERROR_INVALID_SYMBOL);
    if (kind != CUDA_H2D && kind != CUDA_D2D && kind != CUDA_DEFAULT)
        return cudart_leave(s, CUDA_ERROR_INVALID_DIRECTION);
    if (!cudart_legal(s, from, n, kind == CUDA_D2D))
        return cudart_leave(s, CUDA_ERROR_INVALID_VALUE);
    memmove(to, from, n);
    if (!constant && kind != CUDA_D2D)
        cudart_record_copy((uintptr_t)to, n);
    cudart_order_copy(s, constant ? NULL : to, from, n, kind == CUDA_D2D ? CUDA_D2D : CUDA_H2D);
    return cudart_leave(s, CUDA_SUCCESS);
}

static bool capture_symbol(cuda_stream_t stream, const symbol_copy_t *c, cuda_error_t *e)
{
    return cudart_capture(
        stream, &(cudart_node_t){.type = CUDA_NODE_COPY, .is_symbol = true, .symbol = *c}, e);
}

cuda_error_t cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t n, size_t offset,
                                     int kind, cuda_stream_t stream)
{
    const symbol_copy_t c = {(void *)(uintptr_t)from, symbol, n, offset, kind, true};
    cuda_error_t e;

    if (capture_symbol(stream, &c, &e))
        return e;
    return CUDART_ON(stream, cudaMemcpyToSymbol(symbol, from, n, offset, kind));
}

cuda_error_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t n, size_t offset, int kind)
{
    cudart_state_t *s = cudart_enter_context();
    bool constant;
    const uint8_t *from = symbol_bytes(s, symbol, n, offset, &constant);

    if (from == NULL)
        return cudart_leave(s, CUDA_ERROR_INVALID_SYMBOL);
    if (kind != CUDA_D2H && kind != CUDA_D2D && kind != CUDA_DEFAULT)
        return cudart_leave(s, CUDA_ERROR_INVALID_DIRECTION);
    if (!cudart_legal(s, to, n, kind == CUDA_D2D))
        return cudart_leave(s, CUDA_ERROR_INVALID_VALUE);
    memmove(to, from, n);
    cudart_order_copy(s, to, from, n, kind == CUDA_D2D ? CUDA_D2D : CUDA_D2H);
    return cudart_leave(s, CUDA_SUCCESS);
}

cuda_error_t cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t n, size_t offset,
                                       int kind, cuda_stream_t stream)
{
    const symbol_copy_t c = {to, symbol, n, offset, kind, false};
    cuda_error_t e;

    if (capture_symbol(stream, &c, &e))
        return e;
    return CUDART_ON(stream, cudaMemcpyFromSymbol(to, symbol, n, offset, kind));
}

cuda_error_t cudaGetSymbolAddress(void **p, const void *symbol)
{
    cudart_state_t *s = cudart_enter_context();
    emu_variable_t v;

    if (p == NULL || !cudart_symbol(s, symbol, &v))
        return cudart_leave(s, p == NULL ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_SYMBOL);
    *p = (void *)(uintptr_t)v.addr;
    return cudart_leave(s, CUDA_SUCCESS);
}

cuda_error_t cudaGetSymbolSize(size_t *n, const void *symbol)
{
    cudart_state_t *s = cudart_enter_context();
    emu_variable_t v;

    if (n == NULL || !cudart_symbol(s, symbol, &v))
        return cudart_leave(s, n == NULL ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_SYMBOL);
    *n = v.bytes;
    return cudart_leave(s, CUDA_SUCCESS);
}
