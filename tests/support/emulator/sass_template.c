#include "tests/support/emulator/sass_template.h"

#include <stdio.h>
#include <string.h>

enum { MEMORY_BYTES = 16 << 20, PAGE_SHIFT = 9, WIDTH = 32 };

static const uint64_t memory_base = 0x7f0000000000ull;

static size_t read_cubin(unsigned arch, uint8_t *file, size_t cap)
{
    char path[512];

    snprintf(path, sizeof(path), RUBATO_ROOT "/traces/cubin/matmul.sm%u.cubin", arch);
    FILE *in = fopen(path, "rb");
    RB_INVARIANT(in != NULL, "%s", path);
    size_t n = fread(file, 1, cap, in);
    fclose(in);
    return n;
}

static void replace_code(const cubin_kernel_t *k, uint8_t *file, const uint8_t *code, size_t n)
{
    static const uint8_t exit_inst[SASS_INST_BYTES] = {0x4d, 0x79, 0, 0, 0,    0,    0, 0,
                                                       0,    0,    0, 3, 0x80, 0xea, 3, 0};
    uint8_t *to = file + (k->code - file);

    n = n / SASS_INST_BYTES * SASS_INST_BYTES;
    n = n < k->code_bytes - SASS_INST_BYTES ? n : k->code_bytes - SASS_INST_BYTES;
    memcpy(to, code, n);
    for (size_t at = n; at < k->code_bytes; at += SASS_INST_BYTES)
        memcpy(to + at, exit_inst, SASS_INST_BYTES);
}

void sass_template_load(sass_template_t *t, unsigned arch, const uint8_t *code, size_t n)
{
    rb_err_t err = {0};
    size_t size = read_cubin(arch, t->file, sizeof(t->file));
    rb_code_t rc = emu_mem_init(&t->mem, memory_base, MEMORY_BYTES, PAGE_SHIFT, false, &err);
    if (rc == RB_OK)
        rc = emu_module_open(&t->module, &t->mem, "template", t->file, size, &err);
    RB_INVARIANT(rc == RB_OK, "%s", err.text);
    t->kernel = cubin_find(&t->module.cubin, "matmul");
    RB_INVARIANT(t->kernel->param_bytes <= sizeof(t->params), "parameters");
    memset(t->params, 0, sizeof(t->params));
    for (uint32_t i = 0; i < t->kernel->n_params; i++) {
        bool array = t->kernel->params[i].bytes == sizeof(uint64_t);
        uint64_t value = array ? emu_mem_alloc(&t->mem, SASS_TEMPLATE_ARRAY) : WIDTH;
        memcpy(t->params + t->kernel->params[i].offset, &value, t->kernel->params[i].bytes);
    }
    replace_code(t->kernel, t->file, code, n);
}

void sass_template_free(sass_template_t *t)
{
    emu_module_close(&t->module);
    emu_mem_free(&t->mem);
}

rb_code_t sass_template_run(sass_template_t *t, emu_launch_t *l, rb_err_t *err)
{
    l->module = &t->module;
    l->mem = &t->mem;
    l->kernel = t->kernel;
    l->params = t->params;
    return emu_run(l, NULL, err);
}
