/* Launches of kernels, and what a program asks about them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/sass/cudart/cudart_calls.h"
#include "frontend/sass/cudart/cudart_graph.h"

/* struct cudaLaunchConfig_t, with its attributes. */
typedef struct {
    int id;
    union {
        int number;
        char bytes[64];
    } value __attribute__((aligned(8)));
} cuda_launch_attribute_t;

typedef struct {
    cuda_dim3_t grid, block;
    size_t shared;
    cuda_stream_t stream;
    const cuda_launch_attribute_t *attributes;
    unsigned n_attributes;
} cuda_launch_config_t;

CUDART_EXPORT unsigned __cudaPushCallConfiguration(cuda_dim3_t grid, cuda_dim3_t block,
                                                   size_t shared, cuda_stream_t stream);
CUDART_EXPORT cuda_error_t __cudaPopCallConfiguration(cuda_dim3_t *grid, cuda_dim3_t *block,
                                                      size_t *shared, void *stream);
CUDART_EXPORT cuda_error_t cudaLaunchKernel(const void *host, cuda_dim3_t grid, cuda_dim3_t block,
                                            void **args, size_t shared, cuda_stream_t stream);
CUDART_EXPORT cuda_error_t cudaLaunchCooperativeKernel(const void *host, cuda_dim3_t grid,
                                                       cuda_dim3_t block, void **args,
                                                       size_t shared, cuda_stream_t stream);
CUDART_EXPORT cuda_error_t cudaLaunchKernelExC(const cuda_launch_config_t *c, const void *host,
                                               void **args);
CUDART_EXPORT cuda_error_t __cudaLaunchKernel(const void *kernel, cuda_dim3_t grid,
                                              cuda_dim3_t block, void **args, size_t shared,
                                              cuda_stream_t stream);
CUDART_EXPORT cuda_error_t __cudaGetKernel(const void **kernel, const void *host);
CUDART_EXPORT cuda_error_t cudaFuncSetCacheConfig(const void *host, int config);
CUDART_EXPORT cuda_error_t cudaFuncSetAttribute(const void *host, int attribute, int value);
CUDART_EXPORT cuda_error_t cudaFuncGetAttributes(void *attributes, const void *host);
CUDART_EXPORT cuda_error_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *n, const void *host,
                                                                         int threads,
                                                                         size_t shared);
CUDART_EXPORT cuda_error_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *n, const void *host, int threads, size_t shared, unsigned flags);

/* The configuration between <<<...>>> and the call of the stub; calls may nest. */
enum { MAX_CONFIGURATIONS = 64 };

static __thread struct {
    cuda_dim3_t grid, block;
    size_t shared;
    cuda_stream_t stream;
} configurations[MAX_CONFIGURATIONS];
static __thread unsigned n_configurations;

unsigned __cudaPushCallConfiguration(cuda_dim3_t grid, cuda_dim3_t block, size_t shared,
                                     cuda_stream_t stream)
{
    if (n_configurations == MAX_CONFIGURATIONS)
        return 1;
    configurations[n_configurations].grid = grid;
    configurations[n_configurations].block = block;
    configurations[n_configurations].shared = shared;
    configurations[n_configurations++].stream = stream;
    return 0;
}

cuda_error_t __cudaPopCallConfiguration(cuda_dim3_t *grid, cuda_dim3_t *block, size_t *shared,
                                        void *stream)
{
    if (n_configurations == 0)
        return CUDA_ERROR_INVALID_CONFIGURATION;
    n_configurations--;
    *grid = configurations[n_configurations].grid;
    *block = configurations[n_configurations].block;
    *shared = configurations[n_configurations].shared;
    *(cuda_stream_t *)stream = configurations[n_configurations].stream;
    return CUDA_SUCCESS;
}

/* Limits of compute capability 7.x ("CUDA C++ Programming Guide", technical specifications). */
enum { MAX_THREADS = 1024, MAX_BLOCK_Z = 64, MAX_GRID_YZ = 65535, MAX_SHARED = 96 << 10 };

static bool legal_configuration(const cubin_kernel_t *k, cuda_dim3_t grid, cuda_dim3_t block,
                                size_t shared)
{
    uint64_t threads = (uint64_t)block.x * block.y * block.z;

    return grid.x > 0 && grid.y > 0 && grid.z > 0 && grid.x <= INT32_MAX && grid.y <= MAX_GRID_YZ &&
           grid.z <= MAX_GRID_YZ && threads > 0 && block.x <= MAX_THREADS &&
           block.y <= MAX_THREADS && block.z <= MAX_BLOCK_Z && threads <= MAX_THREADS &&
           (k->max_threads == 0 || threads <= k->max_threads) &&
           k->shared_bytes + shared <= MAX_SHARED;
}

/* Blocks of a kernel that an SM holds at once. */
static uint64_t resident_blocks(const cudart_state_t *s, const cubin_kernel_t *k, uint64_t threads,
                                size_t shared)
{
    bool turing = s->arch >= 75;
    uint64_t warps = (threads + 31) / 32, regs = (k->regs + 7u) / 8 * 8 * 32 * warps;
    uint64_t limit = turing ? 16 : 32, bytes = k->shared_bytes + shared;
    uint64_t by_warps = (turing ? 32 : 64) / warps, by_regs = regs > 0 ? 65536 / regs : limit;
    uint64_t by_shared = bytes > 0 ? ((turing ? 64u : 96u) << 10) / bytes : limit;

    limit = by_warps < limit ? by_warps : limit;
    limit = by_regs < limit ? by_regs : limit;
    return by_shared < limit ? by_shared : limit;
}

/* The error of the runtime for what a kernel was at fault with. */
static cuda_error_t error_of(emu_fault_t fault)
{
    switch (fault) {
    case EMU_FAULT_MISALIGNED:
        return CUDA_ERROR_MISALIGNED_ADDRESS;
    case EMU_FAULT_ASSERT:
        return CUDA_ERROR_ASSERT;
    case EMU_FAULT_TRAP:
        return CUDA_ERROR_LAUNCH_FAILURE;
    case EMU_FAULT_TIMEOUT:
        return CUDA_ERROR_LAUNCH_TIMEOUT;
    case EMU_FAULT_PC:
        return CUDA_ERROR_INVALID_PC;
    default:
        return CUDA_ERROR_ILLEGAL_ADDRESS;
    }
}

static cuda_error_t run(cudart_state_t *s, cudart_unit_t *unit, const cubin_kernel_t *k,
                        cuda_dim3_t grid, cuda_dim3_t block, void **args, size_t shared,
                        cuda_stream_t stream, uint64_t workspace)
{
    uint8_t *params = calloc(k->param_bytes + 1u, 1);
    emu_launch_t l = {.module = &unit->module,
                      .mem = &s->mem,
                      .kernel = k,
                      .grid = {grid.x, grid.y, grid.z},
                      .block = {block.x, block.y, block.z},
                      .dynamic_shared = (uint32_t)shared,
                      .params = params,
                      .max_insts = s->max_insts,
                      .timeout = s->timeout,
                      .workspace = workspace};
    emu_totals_t totals = {0};
    rb_err_t err = {0};

    for (uint32_t i = 0; i < k->n_params; i++)
        if ((uint64_t)k->params[i].offset + k->params[i].bytes <= k->param_bytes)
            memcpy(params + k->params[i].offset, args[i], k->params[i].bytes);
    s->n_launches++;
    rb_code_t rc = cudart_record_run(s, &l, (uint64_t)(uintptr_t)stream, &totals, &err);
    free(params);
    if (rc == RB_OK)
        return CUDA_SUCCESS;
    if (rc != RB_TRACE || totals.unsupported)
        cudart_give_up("%s", err.text);
    fprintf(stderr, "rubato: %s\n", err.text);
    s->sticky = error_of(totals.fault); /* as on the hardware, the context is lost */
    return s->sticky;
}

/* What the barrier of a cooperative launch is kept in: the size of it, and the arrivals. */
enum { WORKSPACE_BYTES = 512 };

static cuda_error_t run_cooperative(cudart_state_t *s, cudart_unit_t *unit, const cubin_kernel_t *k,
                                    cuda_dim3_t grid, cuda_dim3_t block, void **args, size_t shared,
                                    cuda_stream_t stream)
{
    uint64_t blocks = (uint64_t)grid.x * grid.y * grid.z;
    uint32_t bytes = WORKSPACE_BYTES;

    if (blocks > (uint64_t)cudart_sms(s) *
                     resident_blocks(s, k, (uint64_t)block.x * block.y * block.z, shared))
        return CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE;
    uint64_t workspace = emu_mem_alloc(&s->mem, bytes);
    if (workspace == 0)
        return CUDA_ERROR_MEMORY_ALLOCATION;
    memcpy((void *)(uintptr_t)workspace, &bytes, sizeof(bytes));
    cuda_error_t e = run(s, unit, k, grid, block, args, shared, stream, workspace);
    emu_mem_release(&s->mem, workspace);
    return e;
}

cuda_error_t cudart_launch(const void *host, cuda_dim3_t grid, cuda_dim3_t block, void **args,
                           size_t shared, cuda_stream_t stream, bool cooperative)
{
    cudart_state_t *s = cudart_enter();
    cudart_unit_t *unit = NULL;

    if (s->sticky != CUDA_SUCCESS)
        return cudart_leave(s, s->sticky);
    const cubin_kernel_t *k = cudart_kernel(s, host, &unit);
    if (k == NULL)
        return cudart_leave(s, CUDA_ERROR_INVALID_DEVICE_FUNCTION);
    if (!legal_configuration(k, grid, block, shared))
        return cudart_leave(s, CUDA_ERROR_INVALID_CONFIGURATION);
    return cudart_leave(s, cooperative
                               ? run_cooperative(s, unit, k, grid, block, args, shared, stream)
                               : run(s, unit, k, grid, block, args, shared, stream, 0));
}

static cuda_error_t launch(const void *host, cuda_dim3_t grid, cuda_dim3_t block, void **args,
                           size_t shared, cuda_stream_t stream, bool cooperative)
{
    const cudart_node_t model = {
        .type = CUDA_NODE_KERNEL,
        .cooperative = cooperative,
        .kernel = {
            .host = host, .grid = grid, .block = block, .shared = (unsigned)shared, .args = args}};
    cuda_error_t e;

    if (cudart_capture(stream, &model, &e))
        return e;
    return cudart_launch(host, grid, block, args, shared, stream, cooperative);
}

cuda_error_t cudaLaunchKernel(const void *host, cuda_dim3_t grid, cuda_dim3_t block, void **args,
                              size_t shared, cuda_stream_t stream)
{
    return launch(host, grid, block, args, shared, stream, false);
}

cuda_error_t cudaLaunchCooperativeKernel(const void *host, cuda_dim3_t grid, cuda_dim3_t block,
                                         void **args, size_t shared, cuda_stream_t stream)
{
    return launch(host, grid, block, args, shared, stream, true);
}

/* Of the attributes only cooperation changes what a kernel computes on these architectures. */
cuda_error_t cudaLaunchKernelExC(const cuda_launch_config_t *c, const void *host, void **args)
{
    enum { COOPERATIVE = 2 };
    bool cooperative = false;

    if (c == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    for (unsigned i = 0; i < c->n_attributes; i++)
        if (c->attributes[i].id == COOPERATIVE)
            cooperative = c->attributes[i].value.number != 0;
    return launch(host, c->grid, c->block, args, c->shared, c->stream, cooperative);
}

/* From CUDA 13 on a stub asks for its kernel first; the host address serves as its handle. */
cuda_error_t __cudaGetKernel(const void **kernel, const void *host)
{
    *kernel = host;
    return CUDA_SUCCESS;
}

cuda_error_t __cudaLaunchKernel(const void *kernel, cuda_dim3_t grid, cuda_dim3_t block,
                                void **args, size_t shared, cuda_stream_t stream)
{
    return cudaLaunchKernel(kernel, grid, block, args, shared, stream);
}

/* --- what is asked ---------------------------------------------------------------------------- */

/* Preferences of the cache, the carve-out and the like change no result. */
cuda_error_t cudaFuncSetCacheConfig(const void *host, int config)
{
    (void)host, (void)config;
    return CUDA_SUCCESS;
}

cuda_error_t cudaFuncSetAttribute(const void *host, int attribute, int value)
{
    (void)host, (void)attribute, (void)value;
    return CUDA_SUCCESS;
}

/* struct cudaFuncAttributes: three size_t, then ints. */
typedef struct {
    size_t shared, constant, local;
    int max_threads, regs, ptx, binary, cache_ca, max_dynamic_shared, carveout;
} function_attributes_t;

cuda_error_t cudaFuncGetAttributes(void *attributes, const void *host)
{
    cudart_state_t *s = cudart_enter();
    cudart_unit_t *unit = NULL;
    const cubin_kernel_t *k = cudart_kernel(s, host, &unit);

    if (k == NULL)
        return cudart_leave(s, CUDA_ERROR_INVALID_DEVICE_FUNCTION);
    function_attributes_t a = {.shared = k->shared_bytes,
                               .local = k->stack_bytes == UINT32_MAX ? 0 : k->stack_bytes,
                               .max_threads = MAX_THREADS,
                               .regs = (int)k->regs,
                               .ptx = (int)s->arch,
                               .binary = (int)s->arch,
                               .max_dynamic_shared = 48 << 10,
                               .carveout = -1};
    memcpy(attributes, &a, sizeof(a));
    return cudart_leave(s, CUDA_SUCCESS);
}

cuda_error_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *n, const void *host, int threads,
                                                           size_t shared)
{
    cudart_state_t *s = cudart_enter();
    cudart_unit_t *unit = NULL;
    const cubin_kernel_t *k = cudart_kernel(s, host, &unit);

    if (k == NULL)
        return cudart_leave(s, CUDA_ERROR_INVALID_DEVICE_FUNCTION);
    if (threads <= 0 || threads > MAX_THREADS)
        return cudart_leave(s, CUDA_ERROR_INVALID_VALUE);
    *n = (int)resident_blocks(s, k, (uint64_t)threads, shared);
    return cudart_leave(s, CUDA_SUCCESS);
}

cuda_error_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *n, const void *host,
                                                                    int threads, size_t shared,
                                                                    unsigned flags)
{
    (void)flags;
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(n, host, threads, shared);
}
