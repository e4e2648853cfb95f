/*
 * Libraries of the driver API, which CUDA 12 has beside modules: a library is a module that belongs
 * to no context, and a kernel of it is a function. There is one device, so each is also the other.
 */
#include <string.h>

#include "frontend/emulator/cuda/cuda_module.h"
#include "frontend/emulator/cudart/cudart_calls.h"

CUDART_EXPORT cuda_error_t cuLibraryLoadData(cuda_module_t **library, const void *code,
                                             int *options, void **values, unsigned n,
                                             int *library_options, void **library_values,
                                             unsigned n_library);
CUDART_EXPORT cuda_error_t cuLibraryLoadFromFile(cuda_module_t **library, const char *path,
                                                 int *options, void **values, unsigned n,
                                                 int *library_options, void **library_values,
                                                 unsigned n_library);
CUDART_EXPORT cuda_error_t cuLibraryUnload(cuda_module_t *library);
CUDART_EXPORT cuda_error_t cuLibraryGetModule(cuda_module_t **module, cuda_module_t *library);
CUDART_EXPORT cuda_error_t cuLibraryGetKernel(cudart_function_t **kernel, cuda_module_t *library,
                                              const char *name);
CUDART_EXPORT cuda_error_t cuLibraryGetKernelCount(unsigned *n, const cuda_module_t *library);
CUDART_EXPORT cuda_error_t cuLibraryEnumerateKernels(cudart_function_t **kernels, unsigned n,
                                                     cuda_module_t *library);
CUDART_EXPORT cuda_error_t cuLibraryGetGlobal(cuda_pointer_t *p, size_t *bytes,
                                              cuda_module_t *library, const char *name);
CUDART_EXPORT cuda_error_t cuModuleGetFunctionCount(unsigned *n, const cuda_module_t *module);
CUDART_EXPORT cuda_error_t cuModuleEnumerateFunctions(cudart_function_t **functions, unsigned n,
                                                      cuda_module_t *module);
CUDART_EXPORT cuda_error_t cuKernelGetFunction(cudart_function_t **function,
                                               cudart_function_t *kernel);
CUDART_EXPORT cuda_error_t cuKernelGetAttribute(int *value, int attribute,
                                                const cudart_function_t *kernel, int device);
CUDART_EXPORT cuda_error_t cuKernelSetAttribute(int attribute, int value, cudart_function_t *kernel,
                                                int device);
CUDART_EXPORT cuda_error_t cuKernelSetCacheConfig(cudart_function_t *kernel, int config,
                                                  int device);
CUDART_EXPORT cuda_error_t cuKernelGetName(const char **name, const cudart_function_t *kernel);
CUDART_EXPORT cuda_error_t cuKernelGetParamInfo(const cudart_function_t *kernel, size_t index,
                                                size_t *offset, size_t *size);
CUDART_EXPORT cuda_error_t cuFuncGetParamInfo(const cudart_function_t *function, size_t index,
                                              size_t *offset, size_t *size);

/* --- libraries ------------------------------------------------------------------------------- */

/* The options of libraries say when code is loaded and what is copied, which changes no result. */
cuda_error_t cuLibraryLoadData(cuda_module_t **library, const void *code, int *options,
                               void **values, unsigned n, int *library_options,
                               void **library_values, unsigned n_library)
{
    (void)library_options, (void)library_values, (void)n_library;
    return cuModuleLoadDataEx(library, code, n, options, values);
}

cuda_error_t cuLibraryLoadFromFile(cuda_module_t **library, const char *path, int *options,
                                   void **values, unsigned n, int *library_options,
                                   void **library_values, unsigned n_library)
{
    (void)options, (void)values, (void)n;
    (void)library_options, (void)library_values, (void)n_library;
    return cuModuleLoad(library, path);
}

cuda_error_t cuLibraryUnload(cuda_module_t *library)
{
    return cuModuleUnload(library);
}

cuda_error_t cuLibraryGetModule(cuda_module_t **module, cuda_module_t *library)
{
    if (module == NULL || library == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *module = library;
    return CUDA_SUCCESS;
}

cuda_error_t cuLibraryGetKernel(cudart_function_t **kernel, cuda_module_t *library,
                                const char *name)
{
    return cuModuleGetFunction(kernel, library, name);
}

cuda_error_t cuLibraryGetGlobal(cuda_pointer_t *p, size_t *bytes, cuda_module_t *library,
                                const char *name)
{
    return cuModuleGetGlobal_v2(p, bytes, library, name);
}

cuda_error_t cuModuleGetFunctionCount(unsigned *n, const cuda_module_t *module)
{
    if (n == NULL || module == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *n = cuda_module_cubin(module)->n_kernels;
    return CUDA_SUCCESS;
}

cuda_error_t cuModuleEnumerateFunctions(cudart_function_t **functions, unsigned n,
                                        cuda_module_t *module)
{
    cuda_error_t e = cudart_invalid_if(functions == NULL || module == NULL);

    for (unsigned i = 0; e == CUDA_SUCCESS && i < n; i++) {
        const cubin_t *cubin = cuda_module_cubin(module);
        if (i < cubin->n_kernels)
            e = cuModuleGetFunction(&functions[i], module, cubin->kernels[i].name);
    }
    return e;
}

cuda_error_t cuLibraryGetKernelCount(unsigned *n, const cuda_module_t *library)
{
    return cuModuleGetFunctionCount(n, library);
}

cuda_error_t cuLibraryEnumerateKernels(cudart_function_t **kernels, unsigned n,
                                       cuda_module_t *library)
{
    return cuModuleEnumerateFunctions(kernels, n, library);
}

/* --- kernels --------------------------------------------------------------------------------- */

cuda_error_t cuKernelGetFunction(cudart_function_t **function, cudart_function_t *kernel)
{
    if (function == NULL || kernel == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *function = kernel;
    return CUDA_SUCCESS;
}

cuda_error_t cuKernelGetAttribute(int *value, int attribute, const cudart_function_t *kernel,
                                  int device)
{
    return device != 0 ? CUDA_ERROR_INVALID_DEVICE : cuFuncGetAttribute(value, attribute, kernel);
}

cuda_error_t cuKernelSetAttribute(int attribute, int value, cudart_function_t *kernel, int device)
{
    return device != 0 ? CUDA_ERROR_INVALID_DEVICE : cuFuncSetAttribute(kernel, attribute, value);
}

cuda_error_t cuKernelSetCacheConfig(cudart_function_t *kernel, int config, int device)
{
    return device != 0 ? CUDA_ERROR_INVALID_DEVICE : cuFuncSetCacheConfig(kernel, config);
}

cuda_error_t cuKernelGetName(const char **name, const cudart_function_t *kernel)
{
    return cuFuncGetName(name, kernel);
}

cuda_error_t cuKernelGetParamInfo(const cudart_function_t *kernel, size_t index, size_t *offset,
                                  size_t *size)
{
    cudart_state_t *s = cudart_enter();
    cudart_unit_t *unit;
    const cubin_kernel_t *k = cudart_kernel(s, kernel, &unit);

    if (k == NULL)
        return cudart_leave(s, CUDA_ERROR_INVALID_HANDLE);
    if (index >= k->n_params || offset == NULL)
        return cudart_leave(s, CUDA_ERROR_INVALID_VALUE);
    *offset = k->params[index].offset;
    if (size != NULL)
        *size = k->params[index].bytes;
    return cudart_leave(s, CUDA_SUCCESS);
}

cuda_error_t cuFuncGetParamInfo(const cudart_function_t *function, size_t index, size_t *offset,
                                size_t *size)
{
    return cuKernelGetParamInfo(function, index, offset, size);
}
