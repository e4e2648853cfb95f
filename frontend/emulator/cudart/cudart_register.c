/* Registration of what the program has on the device: called by the constructors that nvcc puts into
 * the program. */
#include <stdlib.h>

#include "frontend/emulator/cudart/cudart_state.h"
#include "sim/core/alloc.h"

CUDART_EXPORT void **__cudaRegisterFatBinary(const cuda_fatbin_wrapper_t *wrapper);
CUDART_EXPORT void __cudaRegisterFatBinaryEnd(void **handle);
CUDART_EXPORT void __cudaUnregisterFatBinary(void **handle);
CUDART_EXPORT char __cudaInitModule(void **handle);
CUDART_EXPORT void __cudaRegisterFunction(void **handle, const char *host, char *device,
                                          const char *name, int threads, void *tid, void *bid,
                                          void *block, void *grid, int *warp_size);
CUDART_EXPORT void __cudaRegisterVar(void **handle, char *host, char *device, const char *name,
                                     int ext, size_t size, int constant, int global);
CUDART_EXPORT void __cudaRegisterHostVar(void **handle, const char *name, char *host, size_t size);
CUDART_EXPORT void __cudaRegisterManagedVar(void **handle, void **host, char *device,
                                            const char *name, int ext, size_t size, int constant,
                                            int global);

void **__cudaRegisterFatBinary(const cuda_fatbin_wrapper_t *wrapper)
{
    cudart_state_t *s = cudart_enter();
    cudart_unit_t *u = cudart_unit_add(s, wrapper);

    cudart_leave(s, CUDA_SUCCESS);
    return (void **)u;
}

void __cudaRegisterFatBinaryEnd(void **handle)
{
    (void)handle;
}

/* The program is about to end; its memory is freed with it. */
void __cudaUnregisterFatBinary(void **handle)
{
    (void)handle;
}

/* Sets the addresses of a unit's managed variables before main() uses them. */
char __cudaInitModule(void **handle)
{
    cudart_state_t *s = cudart_enter();

    for (size_t i = 0; i < s->n_variables; i++) {
        cudart_variable_t *v = &s->variables[i];
        emu_variable_t place;
        if (v->managed == NULL || v->unit != (cudart_unit_t *)handle)
            continue;
        if (emu_module_variable(cudart_unit_module(s, v->unit), v->name, &place))
            *v->managed = (void *)(uintptr_t)place.addr;
    }
    cudart_leave(s, CUDA_SUCCESS);
    return 1;
}

void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
                            int threads, void *tid, void *bid, void *block, void *grid,
                            int *warp_size)
{
    cudart_state_t *s = cudart_enter();

    (void)device, (void)threads, (void)tid, (void)bid, (void)block, (void)grid, (void)warp_size;
    cudart_function_add(host, name, (cudart_unit_t *)handle);
    cudart_leave(s, CUDA_SUCCESS);
}

static void register_variable(void **handle, const void *host, const char *name, void **managed)
{
    cudart_state_t *s = cudart_enter();

    rb_grow(&s->variables, &s->cap_variables, s->n_variables + 1, sizeof(*s->variables));
    s->variables[s->n_variables++] = (cudart_variable_t){
        .host = host, .name = name, .unit = (cudart_unit_t *)handle, .managed = managed};
    cudart_leave(s, CUDA_SUCCESS);
}

void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int ext,
                       size_t size, int constant, int global)
{
    (void)device, (void)ext, (void)size, (void)constant, (void)global;
    register_variable(handle, host, name, NULL);
}

/* A host variable that kernels may use by name. Their machine code never does. */
void __cudaRegisterHostVar(void **handle, const char *name, char *host, size_t size)
{
    (void)handle, (void)name, (void)host, (void)size;
}

void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name, int ext,
                              size_t size, int constant, int global)
{
    (void)device, (void)ext, (void)size, (void)constant, (void)global;
    register_variable(handle, host, name, host);
}
