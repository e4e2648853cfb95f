/* Queries about a kernel on the emulated GPU: limits and occupancy. */
#include <string.h>

#include "frontend/emulator/cudart/cudart_state.h"

CUDART_EXPORT cuda_error_t cudaFuncGetAttributes(void *attributes, const void *host);
CUDART_EXPORT cuda_error_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *n, const void *host,
                                                                         int threads,
                                                                         size_t shared);
CUDART_EXPORT cuda_error_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *n, const void *host, int threads, size_t shared, unsigned flags);
CUDART_EXPORT cuda_error_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes,
                                                                     const void *host, int blocks,
                                                                     int threads);

/* Threads of the largest block that fits on an SM. */
static int most_threads(const shown_device_t *d, const cubin_kernel_t *k)
{
    uint32_t threads = shown_device_threads(d);

    if (k->max_threads != 0 && k->max_threads < threads)
        threads = k->max_threads;
    while (threads > 32 && shown_device_blocks(d, threads, k->regs, k->shared_bytes) == 0)
        threads = (threads - 1) / 32 * 32;
    return (int)threads;
}

/* struct cudaFuncAttributes: three size_t, then ints. */
typedef struct {
    size_t shared, constant, local;
    int max_threads, regs, ptx, binary, cache_ca, max_dynamic_shared, carveout;
} function_attributes_t;

cuda_error_t cudaFuncGetAttributes(void *attributes, const void *host)
{
    cudart_state_t *s = cudart_enter_context();
    cudart_unit_t *unit = NULL;
    const cubin_kernel_t *k = cudart_kernel(s, host, &unit);

    if (attributes == NULL)
        return cudart_leave(s, CUDA_ERROR_INVALID_VALUE);
    if (k == NULL)
        return cudart_leave(s, CUDA_ERROR_INVALID_DEVICE_FUNCTION);
    const shown_device_t *d = cudart_device(s);
    uint64_t shared = shown_device_plain_shared(d);
    function_attributes_t a = {.shared = k->shared_bytes,
                               .local = k->stack_bytes == UINT32_MAX ? 0 : k->stack_bytes,
                               .max_threads = most_threads(d, k),
                               .regs = (int)k->regs,
                               .ptx = (int)unit->module.cubin.arch,
                               .binary = (int)unit->module.cubin.arch,
                               .max_dynamic_shared =
                                   shared > k->shared_bytes ? (int)(shared - k->shared_bytes) : 0,
                               .carveout = -1};
    memcpy(attributes, &a, sizeof(a));
    return cudart_leave(s, CUDA_SUCCESS);
}

cuda_error_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *n, const void *host, int threads,
                                                           size_t shared)
{
    cudart_state_t *s = cudart_enter_context();
    cudart_unit_t *unit = NULL;
    const cubin_kernel_t *k = cudart_kernel(s, host, &unit);

    if (k == NULL)
        return cudart_leave(s, CUDA_ERROR_INVALID_DEVICE_FUNCTION);
    const shown_device_t *d = cudart_device(s);
    if (n == NULL || threads <= 0 || (uint32_t)threads > shown_device_threads(d))
        return cudart_leave(s, CUDA_ERROR_INVALID_VALUE);
    bool fits = shared <= shown_device_block_shared(d);
    *n = fits ? (int)shown_device_blocks(d, (uint32_t)threads, k->regs, k->shared_bytes + shared)
              : 0;
    return cudart_leave(s, CUDA_SUCCESS);
}

cuda_error_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *n, const void *host,
                                                                    int threads, size_t shared,
                                                                    unsigned flags)
{
    (void)flags;
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(n, host, threads, shared);
}

/* A block's share in whole allocation units, minus its static and reserved parts. */
cuda_error_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *host, int blocks,
                                                       int threads)
{
    cudart_state_t *s = cudart_enter_context();
    cudart_unit_t *unit = NULL;
    const cubin_kernel_t *k = cudart_kernel(s, host, &unit);

    (void)threads;
    if (k == NULL || blocks <= 0 || bytes == NULL)
        return cudart_leave(s, k == NULL ? CUDA_ERROR_INVALID_DEVICE_FUNCTION
                                         : CUDA_ERROR_INVALID_VALUE);
    const shown_device_t *d = cudart_device(s);
    uint64_t share = d->shared / (uint64_t)blocks / d->shared_unit * d->shared_unit;
    uint64_t taken = d->shared_reserved + k->shared_bytes;
    *bytes = share > taken ? share - taken : 0;
    return cudart_leave(s, CUDA_SUCCESS);
}
