/* Modules and functions of the driver API. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/emulator/cuda/cuda_api.h"
#include "frontend/emulator/cudart/cudart_calls.h"
#include "sim/core/alloc.h"

/* The object behind a CUmodule. */
typedef struct {
    cuda_fatbin_wrapper_t wrapper;
    cudart_unit_t *unit;
    uint8_t *data; /* the fat binary */
} module_t;

CUDART_EXPORT cuda_error_t cuModuleLoad(module_t **module, const char *path);
CUDART_EXPORT cuda_error_t cuModuleLoadData(module_t **module, const void *image);
CUDART_EXPORT cuda_error_t cuModuleLoadDataEx(module_t **module, const void *image, unsigned n,
                                              int *options, void **values);
CUDART_EXPORT cuda_error_t cuModuleLoadFatBinary(module_t **module, const void *image);
CUDART_EXPORT cuda_error_t cuModuleUnload(module_t *module);
CUDART_EXPORT cuda_error_t cuModuleGetLoadingMode(int *mode);
CUDART_EXPORT cuda_error_t cuModuleGetFunction(cudart_function_t **function, module_t *module,
                                               const char *name);
CUDART_EXPORT cuda_error_t cuModuleGetGlobal_v2(cuda_pointer_t *p, size_t *bytes, module_t *module,
                                                const char *name);
CUDART_EXPORT cuda_error_t cuFuncGetAttribute(int *value, int attribute,
                                              const cudart_function_t *function);
CUDART_EXPORT cuda_error_t cuFuncSetAttribute(cudart_function_t *function, int attribute,
                                              int value);
CUDART_EXPORT cuda_error_t cuFuncSetCacheConfig(cudart_function_t *function, int config);
CUDART_EXPORT cuda_error_t cuFuncSetSharedMemConfig(cudart_function_t *function, int config);
CUDART_EXPORT cuda_error_t cuFuncGetName(const char **name, const cudart_function_t *function);
CUDART_EXPORT cuda_error_t cudaFuncGetAttributes(void *attributes, const void *host);

enum { WRAPPER_MAGIC = 0x466243b1, CONTAINER_BYTES = 16, ENTRY_BYTES = 64, KIND_ELF = 2 };

/* --- images ---------------------------------------------------------------------------------- */

static void put(uint8_t *p, uint64_t value, unsigned bytes)
{
    memcpy(p, &value, bytes);
}

/* The bytes of an ELF file in memory, which ends with the last of its tables and sections. */
static size_t elf_bytes(const uint8_t *p)
{
    uint64_t sections = elf_u64(p + 0x28), segments = elf_u64(p + 0x20);
    uint64_t end = sections + (uint64_t)elf_u16(p + 0x3a) * elf_u16(p + 0x3c);
    uint64_t segments_end = segments + (uint64_t)elf_u16(p + 0x36) * elf_u16(p + 0x38);
    enum { NO_BITS = 8 };

    if (segments_end > end)
        end = segments_end;
    for (unsigned i = 0; i < elf_u16(p + 0x3c); i++) {
        const uint8_t *s = p + sections + (size_t)i * elf_u16(p + 0x3a);
        uint64_t last = elf_u64(s + 0x18) + elf_u64(s + 0x20);
        if (elf_u32(s + 4) != NO_BITS && last > end)
            end = last;
    }
    return end;
}

/* A fat binary around a cubin. Free with free(). */
static uint8_t *wrap_cubin(const uint8_t *cubin, size_t size)
{
    uint8_t *p = rb_calloc(CONTAINER_BYTES + ENTRY_BYTES + size, 1);
    uint8_t *entry = p + CONTAINER_BYTES;

    put(p, 0xba55ed50u, 4);
    put(p + 4, 1, 2);
    put(p + 6, CONTAINER_BYTES, 2);
    put(p + 8, ENTRY_BYTES + size, 8);
    put(entry, KIND_ELF, 2);
    put(entry + 4, ENTRY_BYTES, 4);
    put(entry + 8, size, 8);
    put(entry + 28, elf_u32(cubin + 0x30) & 0xff, 4); /* the flags hold the architecture */
    memcpy(entry + ENTRY_BYTES, cubin, size);
    return p;
}

/* A copy of an image as a fat binary; NULL: it is neither a cubin nor a fat binary. */
static uint8_t *as_fatbin(const uint8_t *image)
{
    if (elf_u32(image) == WRAPPER_MAGIC)
        image = ((const cuda_fatbin_wrapper_t *)(const void *)image)->data;
    if (memcmp(image, "\177ELF", 4) == 0)
        return wrap_cubin(image, elf_bytes(image));
    if (!fatbin_is(image, CONTAINER_BYTES))
        return NULL;
    uint8_t *copy = rb_calloc(fatbin_container_bytes(image), 1);
    memcpy(copy, image, fatbin_container_bytes(image));
    return copy;
}

/* --- modules --------------------------------------------------------------------------------- */

static cuda_error_t refuse(bool ptx, uint32_t arch)
{
    fprintf(stderr,
            "rubato: a module that the program loads has no machine code for sm_%u%s; compile it "
            "with nvcc -cubin -arch=sm_%u\n",
            arch, ptx ? ", only PTX, which is not translated" : "", arch);
    return CUDA_ERROR_NO_BINARY_FOR_GPU;
}

static cuda_error_t load(module_t **module, const uint8_t *image)
{
    cudart_state_t *s = cudart_enter();
    uint8_t *data = as_fatbin(image);
    bool ptx = data == NULL && strstr((const char *)image, ".version") != NULL;

    if (data == NULL)
        return cudart_leave(s, ptx ? refuse(ptx, cudart_arch(s)) : CUDA_ERROR_INVALID_IMAGE);
    module_t *m = rb_calloc(1, sizeof(*m));
    m->data = data;
    m->wrapper = (cuda_fatbin_wrapper_t){.magic = WRAPPER_MAGIC, .version = 1, .data = data};
    m->unit = cudart_unit_add(s, &m->wrapper);
    if (!cudart_unit_fits(s, m->unit, &ptx))
        return cudart_leave(s, refuse(ptx, cudart_arch(s)));
    cudart_unit_module(s, m->unit);
    *module = m;
    return cudart_leave(s, CUDA_SUCCESS);
}

cuda_error_t cuModuleLoadData(module_t **module, const void *image)
{
    return module == NULL || image == NULL ? CUDA_ERROR_INVALID_VALUE : load(module, image);
}

/* The options are those of the translation of PTX. */
cuda_error_t cuModuleLoadDataEx(module_t **module, const void *image, unsigned n, int *options,
                                void **values)
{
    (void)n, (void)options, (void)values;
    return cuModuleLoadData(module, image);
}

cuda_error_t cuModuleLoadFatBinary(module_t **module, const void *image)
{
    return cuModuleLoadData(module, image);
}

cuda_error_t cuModuleLoad(module_t **module, const char *path)
{
    FILE *in = path != NULL ? fopen(path, "rbe") : NULL;
    long size = -1;

    if (path == NULL || module == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    if (in == NULL)
        return CUDA_ERROR_FILE_NOT_FOUND;
    if (fseek(in, 0, SEEK_END) == 0)
        size = ftell(in);
    rewind(in);
    uint8_t *image = rb_calloc(size > 0 ? (size_t)size + ENTRY_BYTES : ENTRY_BYTES, 1);
    bool read = size > 0 && fread(image, 1, (size_t)size, in) == (size_t)size;
    fclose(in);
    cuda_error_t e = read ? load(module, image) : CUDA_ERROR_INVALID_IMAGE;
    free(image);
    return e;
}

/* Its kernels may still be in a trace, so the code stays. */
cuda_error_t cuModuleUnload(module_t *module)
{
    return cudart_invalid_if(module == NULL);
}

cuda_error_t cuModuleGetLoadingMode(int *mode)
{
    if (mode != NULL)
        *mode = 1; /* eager */
    return cudart_invalid_if(mode == NULL);
}

cuda_error_t cuModuleGetFunction(cudart_function_t **function, module_t *module, const char *name)
{
    if (function == NULL || module == NULL || name == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    cudart_state_t *s = cudart_enter();
    const cubin_kernel_t *k = cubin_find(&cudart_unit_module(s, module->unit)->cubin, name);
    if (k != NULL)
        *function = cudart_function_add(NULL, k->name, module->unit);
    return cudart_leave(s, k != NULL ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND);
}

/* A __constant__ variable is not in device memory: its address is that of its bytes on the host. */
cuda_error_t cuModuleGetGlobal_v2(cuda_pointer_t *p, size_t *bytes, module_t *module,
                                  const char *name)
{
    uint64_t addr = 0, size = 0;
    uint8_t *constant = NULL;

    if (module == NULL || name == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    cudart_state_t *s = cudart_enter();
    const emu_module_t *m = cudart_unit_module(s, module->unit);
    bool found = emu_module_variable(m, name, &addr, &constant, &size);
    if (found && p != NULL)
        *p = addr != 0 ? addr : (uintptr_t)constant;
    if (found && bytes != NULL)
        *bytes = size;
    return cudart_leave(s, found ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND);
}

/* --- functions ------------------------------------------------------------------------------- */

/* struct cudaFuncAttributes of CUDA 11 */
typedef struct {
    size_t shared, constant, local;
    int max_threads, regs, ptx, binary, cache_ca, max_dynamic_shared, carveout;
} function_attributes_t;

cuda_error_t cuFuncGetAttribute(int *value, int attribute, const cudart_function_t *function)
{
    function_attributes_t a;

    if (value == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    if (cudaFuncGetAttributes(&a, function) != CUDA_SUCCESS)
        return CUDA_ERROR_INVALID_HANDLE;
    const int values[] = {
        a.max_threads, (int)a.shared, (int)a.constant, (int)a.local,         a.regs,
        a.ptx,         a.binary,      a.cache_ca,      a.max_dynamic_shared, a.carveout};
    if (attribute < 0 || (size_t)attribute >= sizeof(values) / sizeof(values[0]))
        return CUDA_ERROR_INVALID_VALUE;
    *value = values[attribute];
    return CUDA_SUCCESS;
}

static cuda_error_t known(const cudart_function_t *function)
{
    cudart_state_t *s = cudart_enter();

    return cudart_leave(s, cudart_function(function) != NULL ? CUDA_SUCCESS
                                                             : CUDA_ERROR_INVALID_HANDLE);
}

cuda_error_t cuFuncSetAttribute(cudart_function_t *function, int attribute, int value)
{
    (void)attribute, (void)value;
    return known(function);
}

cuda_error_t cuFuncSetCacheConfig(cudart_function_t *function, int config)
{
    (void)config;
    return known(function);
}

cuda_error_t cuFuncSetSharedMemConfig(cudart_function_t *function, int config)
{
    (void)config;
    return known(function);
}

cuda_error_t cuFuncGetName(const char **name, const cudart_function_t *function)
{
    if (name == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    cuda_error_t e = known(function);
    if (e == CUDA_SUCCESS)
        *name = function->name;
    return e;
}
