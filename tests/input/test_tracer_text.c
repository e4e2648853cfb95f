/*
 * Emulated launches as Accel-Sim's tracer writes them: equal line by line to a trace from a Turing
 * GPU, and equal in the fields of the bundled traces.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/emulator/exec/sass_tracer_text.h"
#include "frontend/input/accelsim/accelsim.h"
#include "frontend/input/accelsim/write/accelsim_writer.h"
#include "frontend/input/rbt/read/rbt_source.h"
#include "frontend/input/rbt/write/rbt_writer.h"
#include "tests/support/emulator/sass_lab.h"
#include "tests/support/temp_folder.h"
#include "tests/support/test.h"

enum { BLOCKS = 98, THREADS = 1024, WARPS = THREADS / 32, LINES_MAX = 16, LINE_BYTES = 512 };

static rb_code_t write_block(void *ctx, const trace_block_t *block, rb_err_t *err)
{
    return rbt_writer_block(ctx, block, err);
}

/* Runs the launch of the lab and writes it as text. */
static void write_launch(sass_lab_t *lab, const uint32_t grid[3], const uint32_t block[3])
{
    const emu_code_t *code;
    rb_err_t err = {0};
    rbt_writer_t *w = rbt_writer_create(temp_path("a.rbt"), NULL, &err);
    launch_info_t info = {.id = 1,
                          .trace_id = 1,
                          .name = lab->kernel->name,
                          .file = "test",
                          .regs = lab->kernel->regs,
                          .arch = lab->module.cubin.arch,
                          .n_blocks = (uint64_t)grid[0] * grid[1] * grid[2]};

    memcpy(info.grid, grid, sizeof(info.grid));
    memcpy(info.block, block, sizeof(info.block));
    assert_int_equal(emu_module_code(&lab->module, lab->kernel, &code, &err), RB_OK);
    assert_int_equal(
        rbt_writer_launch(w, &info, 1, sass_tracer_text, (void *)(uintptr_t)code, &err), RB_OK);
    if (sass_lab_run(lab, grid, block, 0, write_block, w) != RB_OK)
        fail_msg("%s", lab->err.text);
    assert_int_equal(rbt_writer_launch_end(w, &err), RB_OK);
    assert_int_equal(rbt_writer_finish(w, &err), RB_OK);
    trace_source_t *source = rbt_open(temp_path("a.rbt"), &err);
    assert_non_null(source);
    if (accelsim_write(source, temp_path("text"), NULL, &err) != RB_OK)
        fail_msg("%s", err.text);
    source->ops->destroy(source);
}

/* The lines of each warp. */
typedef struct {
    char text[BLOCKS][WARPS][LINES_MAX][LINE_BYTES];
    unsigned n[BLOCKS][WARPS];
} lines_t;

static void read_written(lines_t *lines)
{
    char line[LINE_BYTES];
    unsigned block = 0, warp = 0, x;
    FILE *in = fopen(temp_path("text/kernel-1.traceg"), "r");

    assert_non_null(in);
    while (fgets(line, sizeof(line), in) != NULL) {
        if (sscanf(line, "thread block = %u", &x) == 1)
            block = x;
        else if (sscanf(line, "warp = %u", &x) == 1)
            warp = x;
        else if (sscanf(line, "%4x ", &x) == 1 && line[0] != '-')
            strcpy(lines->text[block][warp][lines->n[block][warp]++], line);
    }
    fclose(in);
}

/* Addresses of the vectors in the tracer's run. */
#define VECTOR_A UINT64_C(0x7fceb2a00000)
#define VECTOR_B UINT64_C(0x7fceb2ac3600)
#define VECTOR_C UINT64_C(0x7fceb2c00000)
enum { ELEMENTS = 100000, GUARD = 5 };

/*
 * The output of the tracer (NVBit 1.7.4, tracer version 5) for one warp of this kernel on a Turing
 * GPU. For memory instructions, the width and the addresses as base and stride follow.
 */
static const struct {
    const char *text;
    uint64_t vector; /* of the elements accessed; 0: none */
} tracer_lines[] = {
    {"0000 ffffffff 1 R1 MOV 0 0 0 ", 0},
    {"0010 ffffffff 1 R8 S2R 0 0 0 ", 0},
    {"0020 ffffffff 1 R3 S2R 0 0 0 ", 0},
    {"0030 ffffffff 1 R8 IMAD 2 R8 R3 0 0 ", 0},
    {"0040 ffffffff 0 ISETP.GE.AND 1 R8 0 0 ", 0},
    {"0050 00000000 0 EXIT 0 0 0 ", 0}, /* predicated off, except in warps beyond the vectors */
    {"0060 ffffffff 1 R9 MOV 0 0 8 ", 0},
    {"0070 ffffffff 1 R4 IMAD.WIDE 2 R8 R9 0 0 ", 0},
    {"0080 ffffffff 1 R2 IMAD.WIDE 2 R8 R9 0 0 ", 0},
    {"0090 ffffffff 1 R4 LDG.E.64.SYS 1 R4 8 1 ", VECTOR_B},
    {"00a0 ffffffff 1 R2 LDG.E.64.SYS 1 R2 8 1 ", VECTOR_A},
    {"00b0 ffffffff 1 R8 IMAD.WIDE 2 R8 R9 0 0 ", 0},
    {"00c0 ffffffff 1 R6 DADD 2 R4 R2 0 0 ", 0},
    {"00d0 ffffffff 0 STG.E.64.SYS 2 R8 R6 8 1 ", VECTOR_C},
    {"00e0 ffffffff 0 EXIT 0 0 0 ", 0},
};

static void line_of_tracer(unsigned i, uint64_t element, char line[LINE_BYTES])
{
    const uint64_t vector = tracer_lines[i].vector;

    if (vector != 0)
        snprintf(line, LINE_BYTES, "%s0x%" PRIx64 " 8 0 \n", tracer_lines[i].text,
                 vector + 8 * element);
    else if (i == GUARD && element >= ELEMENTS)
        strcpy(line, "0050 ffffffff 0 EXIT 0 0 0 \n");
    else
        snprintf(line, LINE_BYTES, "%s\n", tracer_lines[i].text);
}

static void launches_are_written_as_the_tracer_writes_them(void **state)
{
    enum { LINES = sizeof(tracer_lines) / sizeof(tracer_lines[0]) };
    lines_t *lines = calloc(1, sizeof(*lines));
    char wanted[LINE_BYTES];
    sass_lab_t lab;

    (void)state;
    /* destinations of the copies before the launch, and of its stores */
    sass_lab_open_at(&lab, "vecadd_double", 75, VECTOR_A - 0x200000);
    sass_lab_put(&lab, NULL, 8 << 20);
    sass_lab_kernel(&lab, "_Z6vecAddPdS_S_i");
    sass_lab_pointer(&lab, VECTOR_A);
    sass_lab_pointer(&lab, VECTOR_B);
    sass_lab_pointer(&lab, VECTOR_C);
    sass_lab_int(&lab, ELEMENTS);
    write_launch(&lab, (uint32_t[]){BLOCKS, 1, 1}, (uint32_t[]){THREADS, 1, 1});
    sass_lab_close(&lab);
    read_written(lines);
    for (unsigned block = 0; block < BLOCKS; block++) {
        for (unsigned warp = 0; warp < WARPS; warp++) {
            const uint64_t element = (uint64_t)block * THREADS + 32 * warp;
            const unsigned n = element < ELEMENTS ? LINES : GUARD + 1;
            assert_int_equal(lines->n[block][warp], n);
            for (unsigned i = 0; i < n; i++) {
                line_of_tracer(i, element, wanted);
                assert_string_equal(lines->text[block][warp][i], wanted);
            }
        }
    }
    free(lines);
}

/*
 * The bundled traces were written by another program, whose fields were compared with traces of
 * real GPUs. They have no immediates.
 */
static void compare_fields(const char *unit, const char *kernel, unsigned arch)
{
    char path[512];
    const emu_code_t *code;
    trace_source_t *source;
    trace_launch_t *launch;
    trace_block_t *block;
    rb_err_t err = {0};
    sass_lab_t lab;

    sass_lab_open(&lab, unit, arch);
    sass_lab_kernel(&lab, kernel);
    assert_int_equal(emu_module_code(&lab.module, lab.kernel, &code, &err), RB_OK);
    snprintf(path, sizeof(path), RUBATO_ROOT "/traces/%s-sm%u", kernel, arch);
    source = accelsim_open(path, NULL, &err);
    assert_non_null(source);
    assert_int_equal(source->ops->open(source, 1, &launch, &err), RB_OK);
    assert_int_equal(source->ops->get_block(launch, 0, &block, &err), RB_OK);
    for (uint32_t i = 0; i < block->warps[0].n_runs; i++) {
        const trace_run_t *run = &block->warps[0].runs[i];
        for (uint32_t k = 0; k < run->count; k++) {
            uint32_t n, n_wanted;
            const char *wanted = source->ops->inst_text(launch, run->first + k, &n_wanted);
            const char *got = sass_tracer_text((void *)(uintptr_t)code,
                                               &code->static_code[run->first[k].pc / 16], &n);
            if (n < n_wanted || memcmp(got, wanted, n_wanted) != 0)
                fail_msg("%s, pc 0x%x: '%s', not '%.*s'", kernel, run->first[k].pc, got,
                         (int)n_wanted, wanted);
        }
    }
    source->ops->free_block(launch, block);
    source->ops->close(launch);
    source->ops->destroy(source);
    sass_lab_close(&lab);
}

static void fields_are_those_of_the_bundled_traces(void **state)
{
    (void)state;
    for (unsigned arch = 70; arch <= 75; arch += 5) {
        compare_fields("vecadd", "vecadd", arch);
        compare_fields("matmul", "matmul", arch);
        compare_fields("transpose", "transpose_tiled", arch);
        compare_fields("spmv", "spmv_vector", arch);
        compare_fields("softmax", "softmax", arch);
        compare_fields("histo", "histo", arch);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(launches_are_written_as_the_tracer_writes_them),
        cmocka_unit_test(fields_are_those_of_the_bundled_traces),
    };
    return cmocka_run_group_tests(tests, temp_folder_begin, temp_folder_end);
}
