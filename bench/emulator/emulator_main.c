/*
 * rubato_emulator: warp instructions per second and core that the SASS emulator executes, kernel by
 * kernel, when it only runs, when it hands over what it traces, and when that is written to a
 * native trace file. Each rate is that of the fastest repeat.
 *
 *   rubato_emulator [--arch 70|75] [--repeats N] [--threads N] [KERNEL]
 *
 * With threads, launches that only run are also executed by that number at once; their rate is that of
 * all of them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "frontend/emulator/exec/emu_launch.h"
#include "frontend/emulator/exec/memory/emu_texture.h"
#include "frontend/input/rbt/write/rbt_writer.h"

enum { FILE_BYTES = 1 << 20, PARAM_BYTES = 512, PAGE_SHIFT = 21 };
static const uint64_t memory_base = 0x7f0000000000ull, memory_bytes = 512ull << 20;

/* Parameters in order: 'p' a new array of this many floats, 'H' of pairs of halves, 'P' the previous array again, 'i' an
 * integer, 'f' a float, 'd' a double, 'h' two halves, 't' a square texture with this many texels
 * per side. */
typedef struct {
    char kind;
    double value;
} param_t;

typedef struct {
    const char *unit, *kernel;
    uint32_t grid[3], block[3], shared;
    param_t params[8];
} case_t;

static const case_t cases[] = {
    {"vecadd",
     "vecadd",
     {4096, 1, 1},
     {256, 1, 1},
     0,
     {{'p', 1 << 20}, {'p', 1 << 20}, {'p', 1 << 20}, {'i', 1 << 20}}},
    {"matmul",
     "matmul",
     {16, 16, 1},
     {16, 16, 1},
     0,
     {{'p', 65536}, {'p', 65536}, {'p', 65536}, {'i', 256}}},
    {"transpose",
     "transpose_tiled",
     {32, 32, 1},
     {32, 8, 1},
     0,
     {{'p', 1 << 20}, {'p', 1 << 20}, {'i', 1024}, {'i', 1024}}},
    {"softmax",
     "softmax",
     {256, 1, 1},
     {128, 1, 1},
     0,
     {{'p', 1 << 18}, {'p', 1 << 18}, {'i', 1024}}},
    {"histo", "histo", {64, 1, 1}, {128, 1, 1}, 0, {{'p', 1 << 20}, {'p', 256}, {'i', 1 << 20}}},
    {"reduce",
     "reduce_atomic",
     {256, 1, 1},
     {256, 1, 1},
     0,
     {{'p', 1 << 20}, {'p', 1}, {'i', 1 << 20}}},
    {"scan",
     "scan_blocks",
     {2048, 1, 1},
     {256, 1, 1},
     0,
     {{'p', 1 << 19}, {'p', 1 << 19}, {'p', 2048}, {'i', 1 << 19}}},
    {"stencil",
     "stencil",
     {8, 64, 1},
     {32, 4, 1},
     0,
     {{'p', 1 << 21}, {'p', 1 << 21}, {'f', 0.4}, {'f', 0.1}, {'i', 256}, {'i', 256}, {'i', 32}}},
    {"fft", "fft", {256, 1, 1}, {256, 1, 1}, 0, {{'p', 1 << 18}, {'p', 1 << 18}}},
    {"nbody",
     "nbody",
     {8, 1, 1},
     {128, 1, 1},
     0,
     {{'p', 4096}, {'p', 4096}, {'f', 0.01}, {'i', 1024}}},
    {"sort", "sort_blocks", {128, 1, 1}, {512, 1, 1}, 0, {{'p', 1 << 17}}},
    {"hgemm",
     "hgemm",
     {8, 8, 1},
     {128, 1, 1},
     0,
     {{'H', 1 << 17}, {'H', 1 << 17}, {'p', 1 << 18}, {'i', 512}}},
    {"misc",
     "daxpy",
     {2048, 1, 1},
     {256, 1, 1},
     0,
     {{'d', 1.5}, {'p', 1 << 20}, {'p', 1 << 20}, {'i', 1 << 19}}},
    {"misc",
     "haxpy",
     {4096, 1, 1},
     {256, 1, 1},
     0,
     {{'h', 1.5}, {'p', 1 << 20}, {'p', 1 << 20}, {'i', 1 << 20}}},
    {"misc",
     "trig",
     {1024, 1, 1},
     {256, 1, 1},
     0,
     {{'p', 1 << 18}, {'p', 1 << 18}, {'i', 1 << 18}}},
    {"misc",
     "i64",
     {1024, 1, 1},
     {256, 1, 1},
     0,
     {{'p', 1 << 19}, {'p', 1 << 19}, {'p', 1 << 19}, {'i', 1 << 18}}},
    {"misc",
     "dp4",
     {4096, 1, 1},
     {256, 1, 1},
     0,
     {{'p', 1 << 20}, {'p', 1 << 20}, {'p', 1 << 20}, {'i', 1 << 20}}},
    {"texture",
     "sample_2d",
     {4096, 1, 1},
     {256, 1, 1},
     0,
     {{'p', 1 << 20}, {'t', 512}, {'p', 1 << 20}, {'p', 1 << 20}}},
};

static _Noreturn void give_up(const char *what, const rb_err_t *err)
{
    fprintf(stderr, "rubato_emulator: %s: %s\n", what, err->text);
    exit(1);
}

/* Processor time; with several threads, elapsed time. */
static double now(unsigned threads)
{
    struct timespec t;

    clock_gettime(threads > 1 ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Words between 0.5 and 1 as floats, two of them as doubles, or as pairs of halves. */
static uint64_t new_array(emu_mem_t *mem, size_t n, bool halves)
{
    uint64_t addr = emu_mem_alloc(mem, 4 * n);
    uint32_t *words = (uint32_t *)(void *)emu_mem_at(mem, addr, 4 * n), state = 1;

    for (size_t i = 0; i < n; i++) {
        state = state * 1664525u + 1013904223u;
        words[i] = halves ? 0x38003800u | (state >> 9 & 0x03ff03ffu) : 0x3f000000u | state >> 9;
    }
    return addr;
}

/* The handle of a texture of floats with linear filtering. */
static uint64_t new_texture(emu_mem_t *mem, uint32_t side)
{
    const emu_texture_t t = {.bound = true,
                             .addr = new_array(mem, (size_t)side * side, false),
                             .size = {side, side, 1},
                             .n_layers = 1,
                             .pitch = 4ull * side,
                             .kind = EMU_TEX_FLOAT,
                             .bits = 32,
                             .components = 1,
                             .normalized = true,
                             .linear = true};
    const uint32_t handle = emu_texture_add(mem);

    *emu_texture_of(mem, handle) = t;
    return handle;
}

static void set_params(const case_t *c, const cubin_kernel_t *k, emu_mem_t *mem, uint8_t *params)
{
    uint64_t array = 0, texture;

    for (uint32_t i = 0; i < k->n_params && c->params[i].kind != 0; i++) {
        double value = c->params[i].value;
        uint8_t *p = params + k->params[i].offset;
        int32_t n = (int32_t)value;
        float f = (float)value;
        uint32_t halves = 0x3e003e00u; /* 1.5 */
        switch (c->params[i].kind) {
        case 'p':
        case 'H':
            array = new_array(mem, (size_t)value, c->params[i].kind == 'H');
            memcpy(p, &array, sizeof(array));
            break;
        case 't':
            texture = new_texture(mem, (uint32_t)value);
            memcpy(p, &texture, sizeof(texture));
            break;
        case 'i':
            memcpy(p, &n, sizeof(n));
            break;
        case 'f':
            memcpy(p, &f, sizeof(f));
            break;
        case 'h':
            memcpy(p, &halves, sizeof(halves));
            break;
        default:
            memcpy(p, &value, sizeof(value));
        }
    }
}

static rb_code_t take_block(void *ctx, const trace_block_t *block, rb_err_t *err)
{
    uint64_t *insts = ctx;

    (void)err;
    *insts += block->n_insts;
    return RB_OK;
}

static rb_code_t write_block(void *ctx, const trace_block_t *block, rb_err_t *err)
{
    return rbt_writer_block(ctx, block, err);
}

/* Runs a launch and writes it to a file. */
static void record(emu_launch_t l, emu_totals_t *totals)
{
    static const char path[] = "rubato_emulator.rbt";
    const rbt_writer_options_t options = {.overwrite = true};
    rb_err_t err = {0};
    launch_info_t info = {.id = 1,
                          .trace_id = 1,
                          .name = l.kernel->name,
                          .file = path,
                          .regs = l.kernel->regs,
                          .shared_bytes = emu_shared_bytes(&l),
                          .arch = l.module->cubin.arch,
                          .shared_base = EMU_SHARED_BASE,
                          .local_base = EMU_LOCAL_BASE,
                          .n_blocks = (uint64_t)l.grid[0] * l.grid[1] * l.grid[2]};
    rbt_writer_t *w = rbt_writer_create(path, &options, &err);

    memcpy(info.grid, l.grid, sizeof(info.grid));
    memcpy(info.block, l.block, sizeof(info.block));
    l.on_block = write_block;
    l.ctx = w;
    if (w == NULL || rbt_writer_launch(w, &info, 1, NULL, NULL, &err) != RB_OK ||
        emu_run(&l, totals, &err) != RB_OK || rbt_writer_launch_end(w, &err) != RB_OK ||
        rbt_writer_finish(w, &err) != RB_OK)
        give_up(l.kernel->name, &err);
    remove(path);
}

static double measure_record(const emu_launch_t *l, unsigned repeats, emu_totals_t *totals)
{
    double best = 1e9;

    for (unsigned i = 0; i < repeats; i++) {
        double begun = now(1);
        record(*l, totals);
        double seconds = now(1) - begun;
        best = seconds < best ? seconds : best;
    }
    return best;
}

/* Seconds of the fastest repeat. */
static double measure(emu_launch_t l, bool traced, unsigned repeats, emu_totals_t *totals)
{
    rb_err_t err = {0};
    uint64_t insts = 0;
    double best = 1e9;

    l.on_block = traced ? take_block : NULL;
    l.ctx = &insts;
    for (unsigned i = 0; i < repeats; i++) {
        double begun = now(l.workers);
        if (emu_run(&l, totals, &err) != RB_OK)
            give_up(l.kernel->name, &err);
        double seconds = now(l.workers) - begun;
        best = seconds < best ? seconds : best;
    }
    return best;
}

static void run_case(const case_t *c, unsigned arch, unsigned repeats, unsigned threads)
{
    char path[512];
    uint8_t *file = malloc(FILE_BYTES), params[PARAM_BYTES] = {0};
    emu_mem_t mem;
    emu_module_t module;
    emu_totals_t totals;
    rb_err_t err = {0};

    snprintf(path, sizeof(path), RUBATO_ROOT "/traces/cubin/%s.sm%u.cubin", c->unit, arch);
    FILE *in = fopen(path, "rb");
    if (in == NULL || file == NULL) {
        perror(path);
        exit(1);
    }
    size_t n = fread(file, 1, FILE_BYTES, in);
    fclose(in);
    if (emu_mem_init(&mem, memory_base, memory_bytes, PAGE_SHIFT, false, &err) != RB_OK ||
        emu_module_open(&module, &mem, path, file, n, &err) != RB_OK)
        give_up(path, &err);
    emu_launch_t l = {.module = &module,
                      .mem = &mem,
                      .kernel = cubin_find(&module.cubin, c->kernel),
                      .dynamic_shared = c->shared,
                      .params = params};
    memcpy(l.grid, c->grid, sizeof(l.grid));
    memcpy(l.block, c->block, sizeof(l.block));
    set_params(c, l.kernel, &mem, params);
    double run = measure(l, false, repeats, &totals), trace = measure(l, true, repeats, &totals);
    double m = 1e-6 * (double)totals.warp_insts;
    printf("%-16s %9.3f %6.1f %10.1f %10.1f %10.1f", c->kernel, m,
           (double)totals.thread_insts / (double)totals.warp_insts, m / run, m / trace,
           m / measure_record(&l, repeats, &totals));
    l.workers = threads;
    if (threads > 1)
        printf(" %10.1f", m / measure(l, false, repeats, &totals));
    printf("\n");
    fflush(stdout);
    emu_module_close(&module);
    emu_mem_free(&mem);
    free(file);
}

int main(int argc, char **argv)
{
    unsigned arch = 70, repeats = 7, threads = 1;
    const char *only = NULL;

    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--arch") == 0 && i + 1 < argc)
            arch = (unsigned)atoi(argv[++i]);
        else if (strcmp(argv[i], "--repeats") == 0 && i + 1 < argc)
            repeats = (unsigned)atoi(argv[++i]);
        else if (strcmp(argv[i], "--threads") == 0 && i + 1 < argc)
            threads = (unsigned)atoi(argv[++i]);
        else
            only = argv[i];
    }
    printf("sm_%u\n%-16s %9s %6s %10s %10s %10s%s\n", arch, "kernel", "M insts", "lanes", "M/s run",
           "M/s trace", "M/s file", threads > 1 ? "   M/s all" : "");
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        if (only == NULL || strcmp(only, cases[i].kernel) == 0)
            run_case(&cases[i], arch, repeats, threads);
    return 0;
}
