/* Modules and functions of the driver API. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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

/* Bytes of an image of which only the beginning is known: one in the memory of the program. */
static const size_t unknown_size = SIZE_MAX;

/* Grows end to the end of a part of an image; false: the part reaches past the limit. */
static bool reach(uint64_t offset, uint64_t bytes, size_t limit, uint64_t *end)
{
    if (offset > limit || bytes > limit - offset)
        return false;
    if (offset + bytes > *end)
        *end = offset + bytes;
    return true;
}

/* The bytes of an ELF file, which ends with the last of its tables and sections; 0: one of them
 * reaches past the limit. */
static size_t elf_bytes(const uint8_t *p, size_t limit)
{
    enum { EHDR_BYTES = 64, SHDR_BYTES = 64, UNUSED = 0, NO_BITS = 8 };
    uint64_t end = EHDR_BYTES;

    if (limit < EHDR_BYTES)
        return 0;
    uint64_t sections = elf_u64(p + 0x28), segments = elf_u64(p + 0x20);
    unsigned n = elf_u16(p + 0x3c);
    if ((n > 0 && elf_u16(p + 0x3a) != SHDR_BYTES) ||
        !reach(sections, (uint64_t)n * SHDR_BYTES, limit, &end) ||
        !reach(segments, (uint64_t)elf_u16(p + 0x36) * elf_u16(p + 0x38), limit, &end))
        return 0;
    for (unsigned i = 0; i < n; i++) {
        const uint8_t *s = p + sections + (size_t)i * SHDR_BYTES;
        uint32_t type = elf_u32(s + 4);
        if (type != UNUSED && type != NO_BITS &&
            !reach(elf_u64(s + 0x18), elf_u64(s + 0x20), limit, &end))
            return 0;
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

/* Whether all entries of a container are inside it. */
static bool entries_fit(const uint8_t *data, size_t size)
{
    fatbin_t f;
    rb_err_t err = {0};

    if (fatbin_open(&f, "the module", data, size, FATBIN_NONE, &err) != RB_OK)
        return false;
    fatbin_close(&f);
    return true;
}

static uint8_t *copy_fatbin(const uint8_t *image, size_t limit)
{
    uint64_t end = 0;

    if (!reach(elf_u16(image + 6), elf_u64(image + 8), limit, &end) || !entries_fit(image, end))
        return NULL;
    uint8_t *copy = rb_calloc(end, 1);
    memcpy(copy, image, end);
    return copy;
}

/* A copy of an image of up to limit bytes as a fat binary. NULL: it is neither a cubin nor a fat
 * binary, or reaches past the limit. Free with free(). */
static uint8_t *as_fatbin(const uint8_t *image, size_t limit)
{
    if (limit == unknown_size && elf_u32(image) == WRAPPER_MAGIC)
        image = ((const cuda_fatbin_wrapper_t *)(const void *)image)->data;
    if (elf_is(image, limit)) {
        size_t size = elf_bytes(image, limit);
        return size > 0 ? wrap_cubin(image, size) : NULL;
    }
    return fatbin_is(image, limit) ? copy_fatbin(image, limit) : NULL;
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

/* Loads a fat binary, which it takes over. The state is locked. */
static cuda_error_t load_fatbin(cudart_state_t *s, module_t **module, uint8_t *data)
{
    module_t *m = rb_calloc(1, sizeof(*m));
    rb_err_t err = {0};
    bool ptx;

    m->data = data;
    m->wrapper = (cuda_fatbin_wrapper_t){.magic = WRAPPER_MAGIC, .version = 1, .data = data};
    m->unit = cudart_unit_add(s, &m->wrapper);
    cuda_error_t e = !cudart_unit_fits(s, m->unit, &ptx)           ? refuse(ptx, cudart_arch(s))
                     : cudart_unit_load(s, m->unit, &err) != RB_OK ? CUDA_ERROR_INVALID_IMAGE
                                                                   : CUDA_SUCCESS;
    if (e == CUDA_SUCCESS) {
        *module = m;
        return e;
    }
    cudart_unit_remove(s);
    free(data);
    free(m);
    return e;
}

/* Loads an image of up to limit bytes. If it is text, a zero byte follows it. */
static cuda_error_t load(module_t **module, const uint8_t *image, size_t limit)
{
    cudart_state_t *s = cudart_enter();
    uint8_t *data = as_fatbin(image, limit);

    if (data != NULL)
        return cudart_leave(s, load_fatbin(s, module, data));
    bool ptx = strstr((const char *)image, ".version") != NULL;
    return cudart_leave(s, ptx ? refuse(ptx, cudart_arch(s)) : CUDA_ERROR_INVALID_IMAGE);
}

cuda_error_t cuModuleLoadData(module_t **module, const void *image)
{
    return module == NULL || image == NULL ? CUDA_ERROR_INVALID_VALUE
                                           : load(module, image, unknown_size);
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

/* The bytes of a file and a zero byte. NULL: they cannot be read. Free with free(). */
static uint8_t *read_file(FILE *in, size_t *size)
{
    struct stat st;

    if (fstat(fileno(in), &st) != 0 || !S_ISREG(st.st_mode))
        return NULL;
    *size = (size_t)st.st_size;
    uint8_t *image = rb_calloc(*size + 1, 1);
    if (fread(image, 1, *size, in) == *size)
        return image;
    free(image);
    return NULL;
}

cuda_error_t cuModuleLoad(module_t **module, const char *path)
{
    size_t size = 0;

    if (path == NULL || module == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    FILE *in = fopen(path, "rbe");
    if (in == NULL)
        return CUDA_ERROR_FILE_NOT_FOUND;
    uint8_t *image = read_file(in, &size);
    fclose(in);
    cuda_error_t e = image != NULL ? load(module, image, size) : CUDA_ERROR_INVALID_IMAGE;
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
