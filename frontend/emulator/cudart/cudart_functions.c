/* The kernels that the program has registered, found by the address of their host stub. */
#include <stdlib.h>

#include "frontend/emulator/cudart/cudart_calls.h"
#include "sim/core/alloc.h"

/* A hash table of addresses, at most half full; its size is a power of two. Libraries register tens
 * of thousands of kernels. */
static struct {
    struct {
        const void *address;
        cudart_function_t *function;
    } * rows;
    size_t n, cap;
} known;

CUDART_EXPORT cuda_error_t cudaGetFuncBySymbol(const cudart_function_t **function,
                                               const void *host);

/* The row of an address, or the free one where it belongs. */
static size_t row_of(const void *address)
{
    size_t row = (uintptr_t)address * 0x9e3779b97f4a7c15ull >> 20 & (known.cap - 1);

    while (known.rows[row].address != NULL && known.rows[row].address != address)
        row = (row + 1) & (known.cap - 1);
    return row;
}

static void grow(void)
{
    size_t before = known.cap;
    void *old = known.rows;

    known.cap = before > 0 ? 2 * before : 256;
    known.rows = rb_calloc(known.cap, sizeof(*known.rows));
    __typeof__(known.rows) from = old;
    for (size_t i = 0; i < before; i++)
        if (from[i].address != NULL)
            known.rows[row_of(from[i].address)] = from[i];
    free(old);
}

/* The newest registration counts: a library may be loaded where another one was. */
static void know(const void *address, cudart_function_t *f)
{
    if (2 * known.n >= known.cap)
        grow();
    size_t row = row_of(address);
    known.n += known.rows[row].address == NULL;
    known.rows[row].address = address;
    known.rows[row].function = f;
}

cudart_function_t *cudart_function_add(const void *host, const char *name, cudart_unit_t *unit)
{
    cudart_function_t *f = rb_calloc(1, sizeof(*f));

    *f = (cudart_function_t){.name = name, .unit = unit};
    if (host != NULL)
        know(host, f);
    know(f, f);
    return f;
}

cudart_function_t *cudart_function(const void *host)
{
    return known.cap > 0 ? known.rows[row_of(host)].function : NULL;
}

const cubin_kernel_t *cudart_kernel(cudart_state_t *s, const void *host, cudart_unit_t **unit)
{
    cudart_function_t *f = cudart_function(host);

    if (f == NULL)
        return NULL;
    *unit = f->unit;
    if (f->kernel == NULL)
        f->kernel = cubin_find(&cudart_unit_module(s, f->unit)->cubin, f->name);
    return f->kernel;
}

cuda_error_t cudaGetFuncBySymbol(const cudart_function_t **function, const void *host)
{
    cudart_state_t *s = cudart_enter_context();
    cudart_unit_t *unit;

    if (function == NULL)
        return cudart_leave(s, CUDA_ERROR_INVALID_VALUE);
    if (cudart_kernel(s, host, &unit) == NULL)
        return cudart_leave(s, CUDA_ERROR_INVALID_DEVICE_FUNCTION);
    *function = cudart_function(host);
    return cudart_leave(s, CUDA_SUCCESS);
}
