/* The kernels that the program has registered, found by the address of their host stub. */
#include <stdlib.h>

#include "frontend/emulator/cudart/cudart_calls.h"
#include "sim/core/alloc.h"
#include "sim/core/hash_map.h"

/* Libraries register tens of thousands of kernels. */
static struct {
    struct {
        const void *address;
        cudart_function_t *function;
    } * rows;
    size_t n, cap;
    hash_map_t map;
} known;

CUDART_EXPORT cuda_error_t cudaGetFuncBySymbol(const cudart_function_t **function,
                                               const void *host);

/* The newest registration counts: a library may be loaded where another one was. */
static void know(const void *address, cudart_function_t *f)
{
    for (hash_walk_t w = hash_map_walk(&known.map, (uintptr_t)address); hash_walk_next(&w);)
        if (known.rows[w.number].address == address) {
            known.rows[w.number].function = f;
            return;
        }
    rb_grow(&known.rows, &known.cap, known.n + 1, sizeof(*known.rows));
    known.rows[known.n].address = address;
    known.rows[known.n].function = f;
    hash_map_add(&known.map, (uintptr_t)address, (uint32_t)known.n++);
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
    for (hash_walk_t w = hash_map_walk(&known.map, (uintptr_t)host); hash_walk_next(&w);)
        if (known.rows[w.number].address == host)
            return known.rows[w.number].function;
    return NULL;
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
