/* Modules and functions of the driver API. */
#include "frontend/emulator/cuda/cuda_module.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "frontend/emulator/cuda/cuda_jit.h"
#include "frontend/emulator/cudart/cudart_calls.h"
#include "frontend/emulator/ptx/ptx_tools.h"
#include "sim/core/alloc.h"

CUDART_EXPORT cuda_error_t cuModuleLoadFatBinary(cuda_module_t **module, const void *image);
CUDART_EXPORT cuda_error_t cuModuleGetLoadingMode(int *mode);
CUDART_EXPORT cuda_error_t cuFuncSetSharedMemConfig(cudart_function_t *function, int config);
CUDART_EXPORT cuda_error_t cudaFuncGetAttributes(void *attributes, const void *host);

enum {
    WRAPPER_MAGIC = 0x466243b1,
    CONTAINER_BYTES = 16,
    ENTRY_BYTES = 64,
    KIND_PTX = 1,
    KIND_ELF = 2
};

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

/* A fat binary around an image. Free with free(). */
static uint8_t *wrap(unsigned kind, uint32_t arch, const void *image, size_t size)
{
    uint8_t *p = rb_calloc(CONTAINER_BYTES + ENTRY_BYTES + size, 1);
    uint8_t *entry = p + CONTAINER_BYTES;

    put(p, 0xba55ed50u, 4);
    put(p + 4, 1, 2);
    put(p + 6, CONTAINER_BYTES, 2);
    put(p + 8, ENTRY_BYTES + size, 8);
    put(entry, kind, 2);
    put(entry + 4, ENTRY_BYTES, 4);
    put(entry + 8, size, 8);
    put(entry + 28, arch, 4);
    memcpy(entry + ENTRY_BYTES, image, size);
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

/* A text of PTX, which ends with a zero byte, as a fat binary. */
static uint8_t *wrap_text(const char *text)
{
    const uint32_t arch = ptx_target(text);

    return arch != 0 ? wrap(KIND_PTX, arch, text, strlen(text) + 1) : NULL;
}

/* A copy of an image of up to limit bytes as a fat binary. NULL: it is neither a cubin, a fat
 * binary nor PTX, or reaches past the limit. Free with free(). */
static uint8_t *as_fatbin(const uint8_t *image, size_t limit)
{
    if (limit == unknown_size && elf_u32(image) == WRAPPER_MAGIC)
        image = ((const cuda_fatbin_wrapper_t *)(const void *)image)->data;
    if (elf_is(image, limit)) {
        size_t size = elf_bytes(image, limit);
        const uint32_t arch = cubin_arch(elf_u32(image + 0x30), image[8]);
        return size > 0 ? wrap(KIND_ELF, arch, image, size) : NULL;
    }
    return fatbin_is(image, limit) ? copy_fatbin(image, limit) : wrap_text((const char *)image);
}

/* --- modules --------------------------------------------------------------------------------- */

static void say(const char *what)
{
    fprintf(stderr, "rubato: a module that the program loads cannot be used: %s\n", what);
}

static cuda_error_t refuse(uint32_t arch)
{
    fprintf(stderr,
            "rubato: a module that the program loads has no machine code for sm_%u; compile it "
            "with nvcc -cubin -arch=sm_%u\n",
            arch, arch);
    return CUDA_ERROR_NO_BINARY_FOR_GPU;
}

static cuda_error_t load_unit(cudart_state_t *s, cudart_unit_t *u, const cuda_jit_t *jit)
{
    rb_err_t err = {0};

    u->jit = jit->ptx;
    if (!cudart_unit_fits(s, u))
        return refuse(cudart_arch(s));
    const bool compiles = cudart_unit_compiles(s, u);
    const rb_code_t rc = cudart_unit_load(s, u, &err);
    if (rc != RB_OK)
        say(err.text);
    if (compiles)
        cuda_jit_log(jit, err.text);
    return rc == RB_OK ? CUDA_SUCCESS
           : compiles  ? cuda_jit_error(rc, &err)
                       : CUDA_ERROR_INVALID_IMAGE;
}

/* Loads a fat binary, which it takes over. The state is locked. */
static cuda_error_t load_fatbin(cudart_state_t *s, cuda_module_t **module, uint8_t *data,
                                const cuda_jit_t *jit)
{
    cuda_module_t *m = rb_calloc(1, sizeof(*m));

    m->data = data;
    m->wrapper = (cuda_fatbin_wrapper_t){.magic = WRAPPER_MAGIC, .version = 1, .data = data};
    m->unit = cudart_unit_add(s, &m->wrapper);
    cuda_error_t e = load_unit(s, m->unit, jit);
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
static cuda_error_t load(cuda_module_t **module, const uint8_t *image, size_t limit,
                         const cuda_jit_t *jit)
{
    cudart_state_t *s = cudart_enter();
    uint8_t *data = as_fatbin(image, limit);

    return cudart_leave(s, data != NULL ? load_fatbin(s, module, data, jit)
                                        : CUDA_ERROR_INVALID_IMAGE);
}

cuda_error_t cuModuleLoadDataEx(cuda_module_t **module, const void *image, unsigned n, int *options,
                                void **values)
{
    cuda_jit_t jit;

    if (module == NULL || image == NULL || !cuda_jit_read(&jit, n, options, values))
        return CUDA_ERROR_INVALID_VALUE;
    return load(module, image, unknown_size, &jit);
}

cuda_error_t cuModuleLoadData(cuda_module_t **module, const void *image)
{
    return cuModuleLoadDataEx(module, image, 0, NULL, NULL);
}

cuda_error_t cuModuleLoadFatBinary(cuda_module_t **module, const void *image)
{
    return cuModuleLoadData(module, image);
}

cuda_error_t cuModuleLoad(cuda_module_t **module, const char *path)
{
    static const cuda_jit_t none;
    size_t size = 0;

    if (path == NULL || module == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    if (access(path, R_OK) != 0)
        return CUDA_ERROR_FILE_NOT_FOUND;
    uint8_t *image = ptx_read_file(path, &size);
    cuda_error_t e = image != NULL ? load(module, image, size, &none) : CUDA_ERROR_INVALID_IMAGE;
    free(image);
    return e;
}

/* Its kernels may still be in a trace, so the code stays. */
cuda_error_t cuModuleUnload(cuda_module_t *module)
{
    return cudart_invalid_if(module == NULL);
}

cuda_error_t cuModuleGetLoadingMode(int *mode)
{
    if (mode != NULL)
        *mode = 1; /* eager */
    return cudart_invalid_if(mode == NULL);
}

cuda_error_t cuModuleGetFunction(cudart_function_t **function, cuda_module_t *module,
                                 const char *name)
{
    if (function == NULL || module == NULL || name == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    cudart_state_t *s = cudart_enter();
    const cubin_kernel_t *k = cubin_find(&cudart_unit_module(s, module->unit)->cubin, name);
    if (k != NULL)
        *function = cudart_function_add(NULL, k->name, module->unit);
    return cudart_leave(s, k != NULL ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND);
}

cuda_error_t cuModuleGetGlobal_v2(cuda_pointer_t *p, size_t *bytes, cuda_module_t *module,
                                  const char *name)
{
    emu_variable_t v;

    if (module == NULL || name == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    cudart_state_t *s = cudart_enter();
    const bool found = emu_module_variable(cudart_unit_module(s, module->unit), name, &v);
    if (found && p != NULL)
        *p = v.addr;
    if (found && bytes != NULL)
        *bytes = v.bytes;
    return cudart_leave(s, found ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND);
}

const cubin_t *cuda_module_cubin(const cuda_module_t *module)
{
    cudart_state_t *s = cudart_enter();
    const cubin_t *cubin = &cudart_unit_module(s, module->unit)->cubin;

    cudart_leave(s, CUDA_SUCCESS);
    return cubin;
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
