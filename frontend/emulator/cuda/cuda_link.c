/* The linker of the driver API: PTX, cubins, fat binaries, objects and libraries become a cubin. */
#include <stdlib.h>
#include <string.h>

#include "frontend/emulator/cuda/cuda_jit.h"
#include "frontend/emulator/ptx/ptx_tools.h"
#include "sim/core/alloc.h"

/* CUjitInputType */
enum { INPUT_CUBIN, INPUT_PTX, INPUT_FATBIN, INPUT_OBJECT, INPUT_LIBRARY };

typedef struct {
    int kind;
    uint8_t *data; /* owned; a zero byte follows */
    size_t size;
} input_t;

/* The object behind a CUlinkState. */
typedef struct {
    input_t *inputs; /* owned */
    size_t n, cap;
    cuda_jit_t jit;
    uint8_t *cubin; /* owned; the result */
} linker_t;

CUDART_EXPORT cuda_error_t cuLinkCreate_v2(unsigned n, int *options, void **values,
                                           linker_t **linker);
CUDART_EXPORT cuda_error_t cuLinkAddData_v2(linker_t *l, int kind, void *data, size_t size,
                                            const char *name, unsigned n, int *options,
                                            void **values);
CUDART_EXPORT cuda_error_t cuLinkAddFile_v2(linker_t *l, int kind, const char *path, unsigned n,
                                            int *options, void **values);
CUDART_EXPORT cuda_error_t cuLinkComplete(linker_t *l, void **cubin, size_t *size);
CUDART_EXPORT cuda_error_t cuLinkDestroy(linker_t *l);

cuda_error_t cuLinkCreate_v2(unsigned n, int *options, void **values, linker_t **linker)
{
    cuda_jit_t jit;

    if (linker == NULL || !cuda_jit_read(&jit, n, options, values))
        return CUDA_ERROR_INVALID_VALUE;
    *linker = rb_calloc(1, sizeof(**linker));
    (*linker)->jit = jit;
    return CUDA_SUCCESS;
}

/* Adds bytes, which it takes over. */
static cuda_error_t add_input(linker_t *l, int kind, uint8_t *data, size_t size)
{
    rb_grow(&l->inputs, &l->cap, l->n + 1, sizeof(*l->inputs));
    l->inputs[l->n++] = (input_t){.kind = kind, .data = data, .size = size};
    return CUDA_SUCCESS;
}

/* The name and the options of a part are not needed: names are for messages. */
cuda_error_t cuLinkAddData_v2(linker_t *l, int kind, void *data, size_t size, const char *name,
                              unsigned n, int *options, void **values)
{
    (void)name, (void)n, (void)options, (void)values;
    if (l == NULL || data == NULL || size == 0 || kind < INPUT_CUBIN || kind > INPUT_LIBRARY)
        return CUDA_ERROR_INVALID_VALUE;
    uint8_t *copy = rb_calloc(size + 1, 1);
    memcpy(copy, data, size);
    return add_input(l, kind, copy, size);
}

cuda_error_t cuLinkAddFile_v2(linker_t *l, int kind, const char *path, unsigned n, int *options,
                              void **values)
{
    size_t size = 0;

    (void)n, (void)options, (void)values;
    if (l == NULL || path == NULL || kind < INPUT_CUBIN || kind > INPUT_LIBRARY)
        return CUDA_ERROR_INVALID_VALUE;
    uint8_t *data = ptx_read_file(path, &size);
    return data != NULL ? add_input(l, kind, data, size) : CUDA_ERROR_FILE_NOT_FOUND;
}

/* Whether a cubin is complete, so that it needs no linker. */
static bool is_executable(const input_t *in)
{
    enum { TYPE = 16, EXECUTABLE = 2 };

    return in->kind == INPUT_CUBIN && elf_is(in->data, in->size) && in->size > TYPE + 2 &&
           elf_u16(in->data + TYPE) == EXECUTABLE;
}

/* Text may be given with its zero byte. */
static rb_code_t compile(const input_t *in, const ptx_options_t *options, uint8_t **cubin,
                         size_t *size, rb_err_t *err)
{
    return ptx_compile((const char *)in->data, strnlen((const char *)in->data, in->size), options,
                       cubin, size, err);
}

static rb_code_t link_parts(const linker_t *l, const ptx_options_t *options, uint8_t **cubin,
                            size_t *size, rb_err_t *err)
{
    static const char *const suffixes[] = {"cubin", "cubin", "fatbin", "o", "a"};
    ptx_part_t *parts = rb_calloc(l->n, sizeof(*parts));
    uint8_t **compiled = rb_calloc(l->n, sizeof(*compiled));
    rb_code_t rc = RB_OK;

    for (size_t i = 0; i < l->n && rc == RB_OK; i++) {
        const input_t *in = &l->inputs[i];
        parts[i] = (ptx_part_t){.data = in->data, .size = in->size, .suffix = suffixes[in->kind]};
        if (in->kind != INPUT_PTX)
            continue;
        rc = compile(in, options, &compiled[i], &parts[i].size, err);
        parts[i].data = compiled[i];
    }
    if (rc == RB_OK)
        rc = ptx_link(parts, l->n, options->arch, cubin, size, err);
    for (size_t i = 0; i < l->n; i++)
        free(compiled[i]);
    free(compiled);
    free(parts);
    return rc;
}

static rb_code_t complete(linker_t *l, size_t *size, rb_err_t *err)
{
    ptx_options_t options = l->jit.ptx;
    cudart_state_t *s = cudart_enter();

    options.arch = cudart_arch(s);
    cudart_leave(s, CUDA_SUCCESS);
    if (l->n == 1 && is_executable(&l->inputs[0])) {
        l->cubin = rb_calloc(l->inputs[0].size, 1);
        memcpy(l->cubin, l->inputs[0].data, l->inputs[0].size);
        *size = l->inputs[0].size;
        return RB_OK;
    }
    if (l->n == 1 && l->inputs[0].kind == INPUT_PTX)
        return compile(&l->inputs[0], &options, &l->cubin, size, err);
    options.relocatable = true;
    return link_parts(l, &options, &l->cubin, size, err);
}

cuda_error_t cuLinkComplete(linker_t *l, void **cubin, size_t *size)
{
    size_t bytes = 0;
    rb_err_t err = {0};

    if (l == NULL || cubin == NULL || l->n == 0)
        return CUDA_ERROR_INVALID_VALUE;
    free(l->cubin);
    l->cubin = NULL;
    cuda_error_t e = cuda_jit_error(complete(l, &bytes, &err), &err);
    cuda_jit_log(&l->jit, err.text);
    if (e != CUDA_SUCCESS) {
        fprintf(stderr, "rubato: what the program links cannot be used: %s\n", err.text);
        return e;
    }
    *cubin = l->cubin;
    if (size != NULL)
        *size = bytes;
    return CUDA_SUCCESS;
}

/* The result is freed, too, as documented. */
cuda_error_t cuLinkDestroy(linker_t *l)
{
    if (l == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < l->n; i++)
        free(l->inputs[i].data);
    free(l->inputs);
    free(l->cubin);
    free(l);
    return CUDA_SUCCESS;
}
