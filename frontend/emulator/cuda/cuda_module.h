/* What other files use of modules. */
#ifndef RUBATO_CUDA_MODULE_H
#define RUBATO_CUDA_MODULE_H

#include "frontend/emulator/cuda/cuda_api.h"

/* The object behind a CUmodule. */
typedef struct {
    cuda_fatbin_wrapper_t wrapper;
    cudart_unit_t *unit;
    uint8_t *data; /* the fat binary */
} cuda_module_t;

CUDART_EXPORT cuda_error_t cuModuleLoad(cuda_module_t **module, const char *path);
CUDART_EXPORT cuda_error_t cuModuleLoadData(cuda_module_t **module, const void *image);
CUDART_EXPORT cuda_error_t cuModuleLoadDataEx(cuda_module_t **module, const void *image, unsigned n,
                                              int *options, void **values);
CUDART_EXPORT cuda_error_t cuModuleUnload(cuda_module_t *module);
CUDART_EXPORT cuda_error_t cuModuleGetFunction(cudart_function_t **function, cuda_module_t *module,
                                               const char *name);
CUDART_EXPORT cuda_error_t cuModuleGetGlobal_v2(cuda_pointer_t *p, size_t *bytes,
                                                cuda_module_t *module, const char *name);
CUDART_EXPORT cuda_error_t cuFuncGetAttribute(int *value, int attribute,
                                              const cudart_function_t *function);
CUDART_EXPORT cuda_error_t cuFuncSetAttribute(cudart_function_t *function, int attribute,
                                              int value);
CUDART_EXPORT cuda_error_t cuFuncSetCacheConfig(cudart_function_t *function, int config);
CUDART_EXPORT cuda_error_t cuFuncGetName(const char **name, const cudart_function_t *function);

/* The cubin of a module. */
const cubin_t *cuda_module_cubin(const cuda_module_t *module);

#endif
