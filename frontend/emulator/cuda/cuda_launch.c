/* Launches and occupancy of the driver API. */
#include "frontend/emulator/cuda/cuda_launch.h"

#include <stdlib.h>
#include <string.h>

#include "frontend/emulator/cudart/cudart_calls.h"
#include "sim/core/alloc.h"

/* struct CUlaunchAttribute and CUlaunchConfig */
typedef struct {
    int id;
    union {
        int number;
        char bytes[64];
    } value __attribute__((aligned(8)));
} launch_attribute_t;

typedef struct {
    unsigned grid[3], block[3], shared;
    cuda_stream_t stream;
    launch_attribute_t *attributes;
    unsigned n_attributes;
} launch_config_t;

CUDART_EXPORT cuda_error_t cuLaunchKernelEx(const launch_config_t *c, const cudart_function_t *f,
                                            void **args, void **extra);
CUDART_EXPORT cuda_error_t cuLaunchCooperativeKernel(const cudart_function_t *f, unsigned gx,
                                                     unsigned gy, unsigned gz, unsigned bx,
                                                     unsigned by, unsigned bz, unsigned shared,
                                                     cuda_stream_t stream, void **args);
CUDART_EXPORT cuda_error_t cuLaunchHostFunc(cuda_stream_t stream, void (*fn)(void *), void *data);
CUDART_EXPORT cuda_error_t cuOccupancyMaxActiveBlocksPerMultiprocessor(int *n,
                                                                       const cudart_function_t *f,
                                                                       int threads, size_t shared);
CUDART_EXPORT cuda_error_t cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *n, const cudart_function_t *f, int threads, size_t shared, unsigned flags);
CUDART_EXPORT cuda_error_t cuOccupancyAvailableDynamicSMemPerBlock(size_t *bytes,
                                                                   const cudart_function_t *f,
                                                                   int blocks, int threads);
CUDART_EXPORT cuda_error_t cuOccupancyMaxPotentialBlockSize(int *grid, int *block,
                                                            const cudart_function_t *f,
                                                            size_t (*shared_of)(int), size_t shared,
                                                            int limit);

CUDART_EXPORT cuda_error_t cudaLaunchKernel(const void *host, cuda_dim3_t grid, cuda_dim3_t block,
                                            void **args, size_t shared, cuda_stream_t stream);
CUDART_EXPORT cuda_error_t cudaLaunchCooperativeKernel(const void *host, cuda_dim3_t grid,
                                                       cuda_dim3_t block, void **args,
                                                       size_t shared, cuda_stream_t stream);
CUDART_EXPORT cuda_error_t cudaLaunchHostFunc(cuda_stream_t stream, void (*fn)(void *), void *data);
CUDART_EXPORT cuda_error_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *n, const void *host,
                                                                         int threads,
                                                                         size_t shared);
CUDART_EXPORT cuda_error_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes,
                                                                     const void *host, int blocks,
                                                                     int threads);

/* --- launches -------------------------------------------------------------------------------- */

/* The driver's error for one of the runtime. */
static cuda_error_t driver_error(cuda_error_t e)
{
    if (e == CUDA_ERROR_INVALID_CONFIGURATION)
        return CUDA_ERROR_INVALID_VALUE;
    return e == CUDA_ERROR_INVALID_DEVICE_FUNCTION ? CUDA_ERROR_INVALID_HANDLE : e;
}

/* The error after which no call succeeds. */
static cuda_error_t lasting_error(void)
{
    cudart_state_t *s = cudart_enter();
    const cuda_error_t e = s->sticky;

    cudart_leave(s, CUDA_SUCCESS);
    return e;
}

/* The buffer in a list of keys and values: all parameters as the kernel wants them; NULL: none. */
static uint8_t *packed_params(void **extra, size_t *bytes)
{
    uint8_t *buffer = NULL;

    for (unsigned i = 0; extra != NULL && extra[i] != NULL; i += 2)
        if ((uintptr_t)extra[i] == CUDA_LAUNCH_BUFFER)
            buffer = extra[i + 1];
        else if ((uintptr_t)extra[i] == CUDA_LAUNCH_BYTES)
            memcpy(bytes, extra[i + 1], sizeof(*bytes));
    return buffer;
}

/* Pointers to the parameters in such a buffer; NULL: it is too short. Free with free(). */
static void **unpack(const cubin_kernel_t *k, uint8_t *buffer, size_t bytes)
{
    void **args = rb_calloc(k->n_params + 1u, sizeof(*args));

    for (uint32_t i = 0; i < k->n_params; i++) {
        if ((size_t)k->params[i].offset + k->params[i].bytes > bytes) {
            free(args);
            return NULL;
        }
        args[i] = buffer + k->params[i].offset;
    }
    return args;
}

static const cubin_kernel_t *kernel_of(const cudart_function_t *f)
{
    cudart_state_t *s = cudart_enter();
    cudart_unit_t *unit;
    const cubin_kernel_t *k = cudart_kernel(s, f, &unit);

    cudart_leave(s, CUDA_SUCCESS);
    return k;
}

static cuda_error_t launch(const launch_config_t *c, const cudart_function_t *f, void **args,
                           void **extra, bool cooperative)
{
    const cuda_dim3_t grid = {c->grid[0], c->grid[1], c->grid[2]};
    const cuda_dim3_t block = {c->block[0], c->block[1], c->block[2]};
    const cubin_kernel_t *k = kernel_of(f);
    void **unpacked = NULL;
    size_t bytes = 0;

    if (k == NULL)
        return CUDA_ERROR_INVALID_HANDLE;
    uint8_t *buffer = packed_params(extra, &bytes);
    if (args == NULL && buffer != NULL) {
        args = unpacked = unpack(k, buffer, bytes);
        if (args == NULL)
            return CUDA_ERROR_INVALID_VALUE;
    }
    if (args == NULL && k->n_params > 0)
        return CUDA_ERROR_INVALID_VALUE;
    const cuda_error_t before = lasting_error();
    cuda_error_t e = cooperative
                         ? cudaLaunchCooperativeKernel(f, grid, block, args, c->shared, c->stream)
                         : cudaLaunchKernel(f, grid, block, args, c->shared, c->stream);
    free(unpacked);
    /* What fails in the kernel is the error of a later call. */
    return before == CUDA_SUCCESS && lasting_error() != CUDA_SUCCESS ? CUDA_SUCCESS
                                                                     : driver_error(e);
}

cuda_error_t cuLaunchKernel(const cudart_function_t *f, unsigned gx, unsigned gy, unsigned gz,
                            unsigned bx, unsigned by, unsigned bz, unsigned shared,
                            cuda_stream_t stream, void **args, void **extra)
{
    const launch_config_t c = {{gx, gy, gz}, {bx, by, bz}, shared, stream, NULL, 0};

    return launch(&c, f, args, extra, false);
}

/* The only attribute that changes results on these architectures is cooperation. */
cuda_error_t cuLaunchKernelEx(const launch_config_t *c, const cudart_function_t *f, void **args,
                              void **extra)
{
    enum { COOPERATIVE = 2 };
    bool cooperative = false;

    if (c == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    for (unsigned i = 0; i < c->n_attributes; i++)
        if (c->attributes[i].id == COOPERATIVE)
            cooperative = c->attributes[i].value.number != 0;
    return launch(c, f, args, extra, cooperative);
}

cuda_error_t cuLaunchCooperativeKernel(const cudart_function_t *f, unsigned gx, unsigned gy,
                                       unsigned gz, unsigned bx, unsigned by, unsigned bz,
                                       unsigned shared, cuda_stream_t stream, void **args)
{
    const launch_config_t c = {{gx, gy, gz}, {bx, by, bz}, shared, stream, NULL, 0};

    return launch(&c, f, args, NULL, true);
}

cuda_error_t cuLaunchHostFunc(cuda_stream_t stream, void (*fn)(void *), void *data)
{
    return cudaLaunchHostFunc(stream, fn, data);
}

/* --- occupancy ------------------------------------------------------------------------------- */

cuda_error_t cuOccupancyMaxActiveBlocksPerMultiprocessor(int *n, const cudart_function_t *f,
                                                         int threads, size_t shared)
{
    if (n == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    return driver_error(cudaOccupancyMaxActiveBlocksPerMultiprocessor(n, f, threads, shared));
}

cuda_error_t cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *n,
                                                                  const cudart_function_t *f,
                                                                  int threads, size_t shared,
                                                                  unsigned flags)
{
    (void)flags;
    return cuOccupancyMaxActiveBlocksPerMultiprocessor(n, f, threads, shared);
}

cuda_error_t cuOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const cudart_function_t *f,
                                                     int blocks, int threads)
{
    if (bytes == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    return driver_error(cudaOccupancyAvailableDynamicSMemPerBlock(bytes, f, blocks, threads));
}

/* The block with the most threads on an SM; of several, the largest. */
cuda_error_t cuOccupancyMaxPotentialBlockSize(int *grid, int *block, const cudart_function_t *f,
                                              size_t (*shared_of)(int), size_t shared, int limit)
{
    enum { WARP = 32, MOST = 1024 };
    int best = 0;

    if (grid == NULL || block == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *grid = *block = 0;
    for (int threads = limit > 0 && limit < MOST ? limit / WARP * WARP : MOST; threads > 0;
         threads -= WARP) {
        int n = 0;
        size_t bytes = shared_of != NULL ? shared_of(threads) : shared;
        cuda_error_t e = cuOccupancyMaxActiveBlocksPerMultiprocessor(&n, f, threads, bytes);
        if (e != CUDA_SUCCESS)
            return e;
        if (n * threads <= best)
            continue;
        best = n * threads;
        *block = threads;
        *grid = n;
    }
    cudart_state_t *s = cudart_enter();
    *grid *= (int)cudart_device(s)->sms;
    return cudart_leave(s, CUDA_SUCCESS);
}
