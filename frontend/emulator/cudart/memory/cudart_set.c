/* Sets memory of the device: for the runtime, the driver and graphs. */
#include <string.h>

#include "frontend/emulator/cudart/graph/cudart_graph.h"
#include "frontend/emulator/cudart/stream/cudart_order.h"

CUDART_EXPORT cuda_error_t cudaMemset(void *p, int value, size_t n);
CUDART_EXPORT cuda_error_t cudaMemsetAsync(void *p, int value, size_t n, cuda_stream_t stream);
CUDART_EXPORT cuda_error_t cudaMemset2D(void *p, size_t pitch, int value, size_t width,
                                        size_t height);
CUDART_EXPORT cuda_error_t cudaMemset2DAsync(void *p, size_t pitch, int value, size_t width,
                                             size_t height, cuda_stream_t stream);

static void set_row(uint8_t *row, const cuda_set_node_t *m)
{
    if (m->element_bytes == 1)
        memset(row, (int)(m->value & 0xff), m->width);
    else
        for (size_t x = 0; x < m->width; x++)
            memcpy(row + x * m->element_bytes, &m->value, m->element_bytes);
}

cuda_error_t cudart_set(const cuda_set_node_t *m)
{
    cudart_state_t *s = cudart_enter_context();
    size_t bytes, all;

    if (__builtin_mul_overflow(m->width, m->element_bytes, &bytes))
        return cudart_leave(s, CUDA_ERROR_INVALID_VALUE);
    if (bytes == 0 || m->height == 0)
        return cudart_leave(s, CUDA_SUCCESS);
    if ((m->height > 1 && m->pitch < bytes) ||
        __builtin_mul_overflow(m->height - 1, m->pitch, &all) ||
        __builtin_add_overflow(all, bytes, &all))
        return cudart_leave(s, CUDA_ERROR_INVALID_VALUE);
    for (size_t y = 0; y < m->height; y++) {
        uint8_t *row = (uint8_t *)m->p + y * m->pitch;
        if (!cudart_legal(s, row, bytes, true))
            return cudart_leave(s, CUDA_ERROR_INVALID_VALUE);
        set_row(row, m);
    }
    cudart_order_set(m->p, bytes * m->height);
    return cudart_leave(s, CUDA_SUCCESS);
}

cuda_error_t cudart_set_async(const cuda_set_node_t *m, cuda_stream_t stream)
{
    cuda_error_t e;

    if (cudart_capture(stream, &(cudart_node_t){.type = CUDA_NODE_SET, .set = *m}, &e))
        return e;
    return CUDART_ON(stream, cudart_set(m));
}

cuda_error_t cudaMemset(void *p, int value, size_t n)
{
    return cudaMemset2D(p, n, value, n, 1);
}

cuda_error_t cudaMemsetAsync(void *p, int value, size_t n, cuda_stream_t stream)
{
    return cudaMemset2DAsync(p, n, value, n, 1, stream);
}

cuda_error_t cudaMemset2D(void *p, size_t pitch, int value, size_t width, size_t height)
{
    return cudart_set(&(cuda_set_node_t){p, pitch, (unsigned)value, 1, width, height});
}

cuda_error_t cudaMemset2DAsync(void *p, size_t pitch, int value, size_t width, size_t height,
                               cuda_stream_t stream)
{
    const cuda_set_node_t bytes = {p, pitch, (unsigned)value, 1, width, height};

    return cudart_set_async(&bytes, stream);
}
