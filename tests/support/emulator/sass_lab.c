#include "tests/support/emulator/sass_lab.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/test.h"

enum { FILE_BYTES = 1 << 20, MEMORY_BYTES = 256 << 20, PAGE_SHIFT = 9 };

void sass_lab_open(sass_lab_t *lab, const char *unit, unsigned arch)
{
    sass_lab_open_at(lab, unit, arch, 0x7f0000000000ull);
}

void sass_lab_open_at(sass_lab_t *lab, const char *unit, unsigned arch, uint64_t base)
{
    char path[512];

    *lab = (sass_lab_t){.file = malloc(FILE_BYTES)};
    snprintf(path, sizeof(path), RUBATO_ROOT "/traces/cubin/%s.sm%u.cubin", unit, arch);
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    size_t n = fread(lab->file, 1, FILE_BYTES, in);
    fclose(in);
    assert_int_equal(emu_mem_init(&lab->mem, base, MEMORY_BYTES, PAGE_SHIFT, false, &lab->err),
                     RB_OK);
    if (emu_module_open(&lab->module, &lab->mem, unit, lab->file, n, &lab->err) != RB_OK)
        fail_msg("%s", lab->err.text);
}

void sass_lab_close(sass_lab_t *lab)
{
    emu_module_close(&lab->module);
    emu_mem_free(&lab->mem);
    free(lab->file);
}

void sass_lab_kernel(sass_lab_t *lab, const char *kernel)
{
    lab->kernel = cubin_find(&lab->module.cubin, kernel);
    assert_non_null(lab->kernel);
    assert_true(lab->kernel->param_bytes <= SASS_LAB_MAX_PARAMS);
    lab->n_params = 0;
    memset(lab->params, 0, sizeof(lab->params));
}

void sass_lab_param(sass_lab_t *lab, const void *value)
{
    assert_true(lab->n_params < lab->kernel->n_params);
    const cubin_param_t *p = &lab->kernel->params[lab->n_params++];
    memcpy(lab->params + p->offset, value, p->bytes);
}

void sass_lab_int(sass_lab_t *lab, int32_t value)
{
    assert_int_equal(lab->kernel->params[lab->n_params].bytes, sizeof(value));
    sass_lab_param(lab, &value);
}

void sass_lab_pointer(sass_lab_t *lab, uint64_t addr)
{
    assert_int_equal(lab->kernel->params[lab->n_params].bytes, sizeof(addr));
    sass_lab_param(lab, &addr);
}

uint64_t sass_lab_put(sass_lab_t *lab, const void *data, size_t bytes)
{
    uint64_t addr = emu_mem_alloc(&lab->mem, bytes);

    assert_true(addr != 0);
    if (data != NULL)
        memcpy(sass_lab_at(lab, addr), data, bytes);
    return addr;
}

void *sass_lab_at(sass_lab_t *lab, uint64_t addr)
{
    return emu_mem_at(&lab->mem, addr, 1);
}

void sass_lab_code(sass_lab_t *lab, const sass_code_t *code, size_t n)
{
    const sass_code_t end = {0x794d, 0x3800000};
    uint8_t *to = lab->file + (lab->kernel->code - lab->file);

    assert_true((n + 1) * sizeof(end) <= lab->kernel->code_bytes);
    memcpy(to, code, n * sizeof(*code));
    memcpy(to + n * sizeof(*code), &end, sizeof(end));
}

rb_code_t sass_lab_run(sass_lab_t *lab, const uint32_t grid[3], const uint32_t block[3],
                       uint32_t shared, emu_block_fn on_block, void *ctx)
{
    emu_launch_t l = {.module = &lab->module,
                      .mem = &lab->mem,
                      .kernel = lab->kernel,
                      .grid = {grid[0], grid[1], grid[2]},
                      .block = {block[0], block[1], block[2]},
                      .dynamic_shared = shared,
                      .sms = SASS_LAB_SMS,
                      .number = SASS_LAB_NUMBER,
                      .heap_bytes = lab->heap_bytes,
                      .stack_bytes = lab->stack_bytes,
                      .params = lab->params,
                      .max_insts = 1u << 30,
                      .on_block = on_block,
                      .ctx = ctx,
                      .record_bytes = lab->record_bytes,
                      .workspace = lab->workspace,
                      .out = lab->out,
                      .workers = lab->workers};

    assert_int_equal(lab->n_params, lab->kernel->n_params);
    lab->err = (rb_err_t){0};
    return emu_run(&l, &lab->totals, &lab->err);
}

void sass_lab_must_run(sass_lab_t *lab, uint32_t blocks, uint32_t threads, uint32_t shared)
{
    if (sass_lab_run(lab, (uint32_t[]){blocks, 1, 1}, (uint32_t[]){threads, 1, 1}, shared, NULL,
                     NULL) != RB_OK)
        fail_msg("%s", lab->err.text);
}

void sass_lab_never_ends(uint32_t blocks, unsigned workers, uint64_t max_insts)
{
    sass_lab_t lab;
    int32_t one = 1;

    sass_lab_open(&lab, "diverge", 70);
    sass_lab_kernel(&lab, "spinlock");
    sass_lab_pointer(&lab, sass_lab_put(&lab, &one, 4)); /* locked for ever */
    sass_lab_pointer(&lab, sass_lab_put(&lab, NULL, 4));
    sass_lab_int(&lab, 1);
    emu_launch_t l = {.module = &lab.module,
                      .mem = &lab.mem,
                      .kernel = lab.kernel,
                      .grid = {blocks, 1, 1},
                      .block = {32, 1, 1},
                      .params = lab.params,
                      .max_insts = max_insts,
                      .workers = workers};
    assert_int_equal(emu_run(&l, NULL, &lab.err), RB_TRACE);
    assert_non_null(strstr(lab.err.text, "endless loop"));
    sass_lab_close(&lab);
}

uint64_t sass_lab_random(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed * 0x2545f4914f6cdd1dull;
}

float sass_lab_float(uint64_t *seed)
{
    return (float)(sass_lab_random(seed) >> 40) * 0x1p-24f;
}

float *sass_lab_floats(size_t n, uint64_t *seed)
{
    float *v = malloc(n * sizeof(*v));

    for (size_t i = 0; i < n; i++)
        v[i] = sass_lab_float(seed);
    return v;
}

void sass_lab_assert_close(double got, double expected, double tolerance)
{
    double scale = fmax(fabs(expected), 1e-3);

    if (!(fabs(got - expected) <= tolerance * scale))
        fail_msg("%.17g, expected %.17g", got, expected);
}
