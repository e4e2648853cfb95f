/* Waiting for the device, and errors. Work is done immediately, so nothing has to wait. */
#include "frontend/emulator/cudart/cudart_calls.h"
#include "frontend/emulator/cudart/stream/cudart_order.h"

/* A call after which the host knows that work is complete. */
#define WAITS(enter, name, what, ...)                                                              \
    CUDART_EXPORT cuda_error_t name(__VA_ARGS__);                                                  \
    cuda_error_t name(__VA_ARGS__)                                                                 \
    {                                                                                              \
        cudart_state_t *s = enter();                                                               \
        what;                                                                                      \
        return cudart_leave(s, CUDA_SUCCESS);                                                      \
    }
#define DONE_AFTER(enter, name, ...) WAITS(enter, name, (void)0, __VA_ARGS__)
#define NOTHING_TO_DO(name, ...)     DONE_AFTER(cudart_enter_context, name, __VA_ARGS__)
#define NEEDS_NO_CONTEXT(name, ...)  DONE_AFTER(cudart_enter, name, __VA_ARGS__)

WAITS(cudart_enter_context, cudaDeviceSynchronize, cudart_order_host_all(), void)
WAITS(cudart_enter_context, cudaThreadSynchronize, cudart_order_host_all(), void)
WAITS(cudart_enter, cudaThreadExit, cudart_order_host_all(), void)
WAITS(cudart_enter, cudaDeviceReset, (cudart_order_host_all(), cudart_limits_reset(s)), void)
NEEDS_NO_CONTEXT(cudaProfilerStart, void)
NEEDS_NO_CONTEXT(cudaProfilerStop, void)

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
NOTHING_TO_DO(cudaDeviceSetCacheConfig, int config)
NOTHING_TO_DO(cudaDeviceSetSharedMemConfig, int config)
NOTHING_TO_DO(cudaThreadSetCacheConfig, int config)
#pragma GCC diagnostic pop

/* --- errors ---------------------------------------------------------------------------------- */

CUDART_EXPORT cuda_error_t cudaGetLastError(void);
CUDART_EXPORT cuda_error_t cudaPeekAtLastError(void);

cuda_error_t cudaGetLastError(void)
{
    cudart_state_t *s = cudart_enter();
    cuda_error_t last = s->last;

    s->last = CUDA_SUCCESS;
    cudart_leave(s, CUDA_SUCCESS);
    return last;
}

cuda_error_t cudaPeekAtLastError(void)
{
    cudart_state_t *s = cudart_enter();
    cuda_error_t last = s->last;

    cudart_leave(s, CUDA_SUCCESS);
    return last;
}
