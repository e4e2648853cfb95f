/* Launches of kernels, and queries about them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/emulator/cudart/cudart_calls.h"
#include "frontend/emulator/cudart/graph/cudart_graph.h"
#include "frontend/emulator/cudart/stream/cudart_order.h"
#include "sim/core/alloc.h"

/* struct cudaLaunchConfig_t with its attributes. */
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
CUDART_EXPORT cuda_error_t cudaLaunchKernelExC_ptsz(const cuda_launch_config_t *c, const void *host,
                                                    void **args);
CUDART_EXPORT cuda_error_t __cudaLaunchKernel(const void *kernel, cuda_dim3_t grid,
                                              cuda_dim3_t block, void **args, size_t shared,
                                              cuda_stream_t stream);
CUDART_EXPORT cuda_error_t __cudaGetKernel(const void **kernel, const void *host);
CUDART_EXPORT cuda_error_t cudaFuncSetCacheConfig(const void *host, int config);
CUDART_EXPORT cuda_error_t cudaFuncSetSharedMemConfig(const void *host, int config);
CUDART_EXPORT cuda_error_t cudaFuncSetAttribute(const void *host, int attribute, int value);

/* The configurations between <<<...>>> and the call of the stub; calls may nest. */
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
    if (grid == NULL || block == NULL || shared == NULL || stream == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *grid = configurations[n_configurations].grid;
    *block = configurations[n_configurations].block;
    *shared = configurations[n_configurations].shared;
    *(cuda_stream_t *)stream = configurations[n_configurations].stream;
    return CUDA_SUCCESS;
}

/* Limits of every compute capability ("CUDA C++ Programming Guide", technical specifications). */
enum { MAX_BLOCK_Z = 64, MAX_GRID_YZ = 65535 };

static bool legal_configuration(const shown_device_t *d, const cubin_kernel_t *k, cuda_dim3_t grid,
                                cuda_dim3_t block, size_t shared)
{
    uint64_t threads = (uint64_t)block.x * block.y * block.z, most = shown_device_threads(d);

    return grid.x > 0 && grid.y > 0 && grid.z > 0 && grid.x <= INT32_MAX && grid.y <= MAX_GRID_YZ &&
           grid.z <= MAX_GRID_YZ && threads > 0 && block.x <= most && block.y <= most &&
           block.z <= MAX_BLOCK_Z && threads <= most &&
           (k->max_threads == 0 || threads <= k->max_threads) &&
           shared <= shown_device_block_shared(d) &&
           k->shared_bytes + shared <= shown_device_block_shared(d);
}

/* The runtime's error code for a kernel's fault. */
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

/* What a launch leaves behind: the driver enlarges the stack for a kernel that needs more, and
 * printf() and malloc() fix the sizes of their memory. */
static void note_calls(cudart_state_t *s, const cubin_kernel_t *k, const emu_totals_t *totals)
{
    size_t *stack = &s->limits[CUDART_LIMIT_STACK];

    if (k->stack_bytes != UINT32_MAX && k->stack_bytes > *stack)
        *stack = k->stack_bytes;
    s->printed = s->printed || totals->printed;
    s->allocated = s->allocated || totals->allocated;
}

static cuda_error_t run(cudart_state_t *s, cudart_unit_t *unit, const cubin_kernel_t *k,
                        cuda_dim3_t grid, cuda_dim3_t block, void **args, size_t shared,
                        cuda_stream_t stream, uint64_t workspace)
{
    uint8_t *params = rb_calloc(k->param_bytes + 1u, 1);
    emu_launch_t l = {.module = &unit->module,
                      .mem = &s->mem,
                      .kernel = k,
                      .grid = {grid.x, grid.y, grid.z},
                      .block = {block.x, block.y, block.z},
                      .dynamic_shared = (uint32_t)shared,
                      .number = s->n_launches + 1,
                      .sms = (uint32_t)cudart_device(s)->sms,
                      .stack_bytes = (uint32_t)s->limits[CUDART_LIMIT_STACK],
                      .heap_bytes = s->limits[CUDART_LIMIT_HEAP],
                      .params = params,
                      .max_insts = s->max_insts,
                      .timeout = s->timeout,
                      .tmpdir = s->tmpdir,
                      .workspace = workspace};
    emu_totals_t totals = {0};
    rb_err_t err = {0};

    for (uint32_t i = 0; i < k->n_params; i++)
        if ((uint64_t)k->params[i].offset + k->params[i].bytes <= k->param_bytes)
            memcpy(params + k->params[i].offset, args[i], k->params[i].bytes);
    s->n_launches++;
    cudart_order_launch(s, stream);
    rb_code_t rc = cudart_record_run(s, &l, (uint64_t)(uintptr_t)stream, &totals, &err);
    free(params);
    note_calls(s, k, &totals);
    if (rc == RB_OK)
        return CUDA_SUCCESS;
    if (rc != RB_TRACE || totals.unsupported)
        cudart_give_up("%s%s", err.text,
                       totals.unsupported ? "; --skip-unsupported goes on without such launches"
                                          : "");
    fprintf(stderr, "rubato: %s\n", err.text);
    s->sticky = error_of(totals.fault); /* as on hardware, the context stays unusable */
    return s->sticky;
}

/* The barrier of a cooperative launch: its size and the arrivals. */
enum { WORKSPACE_BYTES = 512 };

static cuda_error_t run_cooperative(cudart_state_t *s, cudart_unit_t *unit, const cubin_kernel_t *k,
                                    cuda_dim3_t grid, cuda_dim3_t block, void **args, size_t shared,
                                    cuda_stream_t stream, uint64_t resident)
{
    uint64_t blocks = (uint64_t)grid.x * grid.y * grid.z;
    uint32_t bytes = WORKSPACE_BYTES;

    if (blocks > resident * cudart_device(s)->sms)
        return CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE;
    uint64_t workspace = cudart_alloc(s, bytes);
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
    cudart_state_t *s = cudart_enter_context();
    cudart_unit_t *unit = NULL;

    if (s->sticky != CUDA_SUCCESS)
        return cudart_leave(s, s->sticky);
    const cubin_kernel_t *k = cudart_kernel(s, host, &unit);
    if (k == NULL)
        return cudart_leave(s, CUDA_ERROR_INVALID_DEVICE_FUNCTION);
    const shown_device_t *d = cudart_device(s);
    if (!legal_configuration(d, k, grid, block, shared))
        return cudart_leave(s, CUDA_ERROR_INVALID_CONFIGURATION);
    if (k->n_params > 0 && args == NULL)
        return cudart_leave(s, CUDA_ERROR_INVALID_VALUE);
    uint32_t resident =
        shown_device_blocks(d, block.x * block.y * block.z, k->regs, k->shared_bytes + shared);
    if (resident == 0)
        return cudart_leave(s, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
    return cudart_leave(
        s, cooperative ? run_cooperative(s, unit, k, grid, block, args, shared, stream, resident)
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

/* The only attribute that changes results on these architectures is cooperation. */
cuda_error_t cudaLaunchKernelExC(const cuda_launch_config_t *c, const void *host, void **args)
{
    enum { COOPERATIVE = 2 };
    bool cooperative = false;

    if (c == NULL)
        return cudart_fail(CUDA_ERROR_INVALID_VALUE);
    for (unsigned i = 0; i < c->n_attributes; i++)
        if (c->attributes[i].id == COOPERATIVE)
            cooperative = c->attributes[i].value.number != 0;
    return launch(host, c->grid, c->block, args, c->shared, c->stream, cooperative);
}

/* Of programs whose threads have default streams of their own (cudart_own_stream.c). */
cuda_error_t cudaLaunchKernelExC_ptsz(const cuda_launch_config_t *c, const void *host, void **args)
{
    if (c == NULL)
        return cudaLaunchKernelExC(c, host, args);
    cuda_launch_config_t mine = *c;
    mine.stream = cudart_own_stream(mine.stream);
    return cudaLaunchKernelExC(&mine, host, args);
}

/* From CUDA 13 on a stub asks for its kernel first; the host address serves as handle. */
cuda_error_t __cudaGetKernel(const void **kernel, const void *host)
{
    if (kernel == NULL)
        return cudart_fail(CUDA_ERROR_INVALID_VALUE);
    *kernel = host;
    return CUDA_SUCCESS;
}

cuda_error_t __cudaLaunchKernel(const void *kernel, cuda_dim3_t grid, cuda_dim3_t block,
                                void **args, size_t shared, cuda_stream_t stream)
{
    return cudaLaunchKernel(kernel, grid, block, args, shared, stream);
}

/* --- hints -------------------------------------------------------------------------------------
 */

/* Cache preferences, carve-outs and the like do not change results. */
static cuda_error_t hint(const void *host, bool wrong)
{
    cudart_state_t *s = cudart_enter_context();

    return cudart_leave(s, cudart_function(host) == NULL ? CUDA_ERROR_INVALID_DEVICE_FUNCTION
                                                         : cudart_invalid_if(wrong));
}

cuda_error_t cudaFuncSetCacheConfig(const void *host, int config)
{
    enum { LAST_CONFIG = 3 };

    return hint(host, config < 0 || config > LAST_CONFIG);
}

cuda_error_t cudaFuncSetSharedMemConfig(const void *host, int config)
{
    enum { LAST_CONFIG = 2 };

    return hint(host, config < 0 || config > LAST_CONFIG);
}

/* enum cudaFuncAttribute: the carve-out may be -1 or a share of 100. */
cuda_error_t cudaFuncSetAttribute(const void *host, int attribute, int value)
{
    enum { DYNAMIC_SHARED = 8, CARVE_OUT, LAST_ATTRIBUTE = 14 };

    return hint(host, attribute < DYNAMIC_SHARED || attribute > LAST_ATTRIBUTE ||
                          (attribute == DYNAMIC_SHARED && value < 0) ||
                          (attribute == CARVE_OUT && (value < -1 || value > 100)));
}
