/*
 * Cubins beside a trace: its instructions get control words and complete operands, and the executed
 * instructions do not change; a cubin of another build is refused.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "frontend/emulator/sass/cubin.h"
#include "frontend/emulator/sass/machine_code.h"
#include "frontend/input/accelsim/accelsim.h"
#include "frontend/tool/library/open_trace.h"
#include "tests/support/temp_folder.h"
#include "tests/support/test.h"

static const char *const bundled[] = {"vecadd",  "matmul",      "transpose_tiled",
                                      "softmax", "spmv_vector", "histo"};

typedef struct {
    trace_source_t *source;
    trace_launch_t *launch;
} reading_t;

static reading_t start(trace_source_t *source)
{
    reading_t r = {.source = source};
    rb_err_t err = {0};

    assert_non_null(source);
    assert_int_equal(source->ops->open(source, 1, &r.launch, &err), RB_OK);
    return r;
}

static void stop(reading_t *r)
{
    r->source->ops->close(r->launch);
    r->source->ops->destroy(r->source);
}

static void check_inst(const inst_t *plain, const inst_t *full)
{
    assert_int_equal(full->pc, plain->pc);
    assert_int_equal(full->opcode, plain->opcode);
    assert_int_equal(full->space, plain->space);
    assert_int_equal(full->width, plain->width);
    assert_true(full->flags & INST_CONTROL_WORD && full->flags & INST_FULL_REGS);
    assert_false(plain->flags & (INST_CONTROL_WORD | INST_FULL_REGS));
    assert_int_not_equal(full->ctl, 0);
    /* All operands in the trace are among the exact operands. */
    for (unsigned i = 0; i < plain->n_dst; i++) {
        bool found = false;
        for (unsigned k = 0; k < full->n_dst; k++)
            found |=
                full->dst[k].file == plain->dst[i].file && full->dst[k].num == plain->dst[i].num;
        assert_true(found);
    }
}

static void check_warp(const warp_stream_t *plain, const warp_stream_t *full)
{
    assert_int_equal(full->n_insts, plain->n_insts);
    assert_int_equal(full->n_runs, plain->n_runs);
    assert_int_equal(full->n_addr_words, plain->n_addr_words);
    assert_memory_equal(full->addrs, plain->addrs, plain->n_addr_words * sizeof(*plain->addrs));
    for (uint32_t i = 0; i < plain->n_runs; i++) {
        assert_int_equal(full->runs[i].mask, plain->runs[i].mask);
        assert_int_equal(full->runs[i].count, plain->runs[i].count);
        for (uint32_t k = 0; k < plain->runs[i].count; k++)
            check_inst(plain->runs[i].first + k, full->runs[i].first + k);
    }
}

static void check_trace(const char *name, unsigned arch)
{
    char path[512];
    rb_err_t err = {0};

    snprintf(path, sizeof(path), RUBATO_ROOT "/traces/%s-sm%u", name, arch);
    reading_t plain = start(accelsim_open(path, NULL, &err));
    reading_t full = start(open_trace(path, NULL, &err));
    for (uint64_t i = 0; i < 8; i++) {
        trace_block_t *a, *b;

        assert_int_equal(plain.source->ops->get_block(plain.launch, i, &a, &err), RB_OK);
        assert_int_equal(full.source->ops->get_block(full.launch, i, &b, &err), RB_OK);
        assert_int_equal(a->n_warps, b->n_warps);
        for (uint32_t w = 0; w < a->n_warps; w++)
            check_warp(&a->warps[w], &b->warps[w]);
        plain.source->ops->free_block(plain.launch, a);
        full.source->ops->free_block(full.launch, b);
    }
    stop(&plain);
    stop(&full);
}

static void bundled_traces_take_control_words_from_the_cubins_beside_them(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(bundled) / sizeof(bundled[0]); i++) {
        check_trace(bundled[i], 70);
        check_trace(bundled[i], 75);
    }
}

static uint8_t *read_file(const char *path, size_t *n)
{
    enum { ROOM = 1 << 20 };
    uint8_t *data = malloc(ROOM);
    FILE *f = fopen(path, "rb");

    assert_non_null(f);
    *n = fread(data, 1, ROOM, f);
    fclose(f);
    return data;
}

/* A folder with the trace of vecadd for sm_70 and a cubin; patch: changes its second
 * instruction. */
static void make_folder(const char *cubin, bool patch)
{
    size_t n;
    char path[512];

    temp_folder_create();
    uint8_t *data = read_file(RUBATO_ROOT "/traces/vecadd-sm70/kernel-1.traceg.xz", &n);
    temp_write_bytes("kernel-1.traceg.xz", data, n);
    free(data);
    snprintf(path, sizeof(path), RUBATO_ROOT "/traces/cubin/%s", cubin);
    data = read_file(path, &n);
    if (patch) {
        cubin_t c;
        rb_err_t err = {0};

        assert_int_equal(cubin_open(&c, path, data, n, &err), RB_OK);
        const uint8_t nop[2] = {0x18, 0x79};
        size_t at = (size_t)(c.kernels[0].code - data) + 16;
        memcpy(data + at, nop, sizeof(nop));
        cubin_close(&c);
    }
    temp_write_bytes("code.cubin", data, n);
    free(data);
}

static rb_code_t first_block(rb_err_t *err, bool *controlled)
{
    trace_block_t *b = NULL;
    trace_source_t *s = open_trace(temp_path("kernel-1.traceg.xz"), NULL, err);

    if (s == NULL)
        return err->code;
    reading_t r = start(s);
    rb_code_t rc = r.source->ops->get_block(r.launch, 0, &b, err);
    if (rc == RB_OK) {
        *controlled = b->warps[0].runs[0].first->flags & INST_CONTROL_WORD;
        r.source->ops->free_block(r.launch, b);
    }
    stop(&r);
    return rc;
}

static void a_cubin_in_the_folder_of_a_single_file_counts(void **state)
{
    rb_err_t err = {0};
    bool controlled = false;

    (void)state;
    make_folder("vecadd.sm70.cubin", false);
    assert_int_equal(first_block(&err, &controlled), RB_OK);
    assert_true(controlled);
    temp_folder_remove();
}

static void code_of_other_kernels_and_architectures_is_left_alone(void **state)
{
    static const char *const others[] = {"vecadd.sm75.cubin", "matmul.sm70.cubin"};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        rb_err_t err = {0};
        bool controlled = true;

        make_folder(others[i], false);
        assert_int_equal(first_block(&err, &controlled), RB_OK);
        assert_false(controlled);
        temp_folder_remove();
    }
}

static void a_cubin_of_another_build_is_refused(void **state)
{
    rb_err_t err = {0};
    bool controlled;

    (void)state;
    make_folder("vecadd.sm70.cubin", true);
    assert_int_equal(first_block(&err, &controlled), RB_TRACE);
    assert_non_null(strstr(err.text, "pc 0010"));
    assert_non_null(strstr(err.text, "another build"));
    temp_folder_remove();
}

static void a_file_that_is_no_machine_code_is_refused(void **state)
{
    rb_err_t err = {0};
    bool controlled;

    (void)state;
    make_folder("vecadd.sm70.cubin", false);
    temp_write("broken.cubin", "no code");
    assert_int_equal(first_block(&err, &controlled), RB_TRACE);
    assert_non_null(strstr(err.text, "broken.cubin"));
    temp_folder_remove();
}

/* The warning names it; the program's tests read warnings, here only that the trace is read. */
static void a_link_to_nothing_is_left_out(void **state)
{
    rb_err_t err = {0};
    machine_code_t *m;
    bool controlled = false;

    (void)state;
    make_folder("vecadd.sm70.cubin", false);
    assert_int_equal(symlink("../cubin/gone.cubin", temp_path("a.cubin")), 0);
    assert_int_equal(first_block(&err, &controlled), RB_OK);
    assert_true(controlled);
    assert_int_equal(unlink(temp_path("code.cubin")), 0);
    assert_int_equal(first_block(&err, &controlled), RB_OK);
    assert_false(controlled);
    assert_int_equal(machine_code_open(temp_path(""), &m, &err), RB_OK);
    assert_null(m);
    temp_folder_remove();
}

/* A bundled trace can be copied without what is beside it. */
static void bundled_traces_hold_copies_of_the_cubins(void **state)
{
    static const char *const cubins[] = {"vecadd",  "matmul", "transpose",
                                         "softmax", "spmv",   "histo"};

    (void)state;
    for (size_t i = 0; i < 2 * sizeof(cubins) / sizeof(cubins[0]); i++) {
        const int arch = i % 2 == 0 ? 70 : 75;
        char copy[512], original[512];
        struct stat st;
        size_t n, n_original;

        snprintf(copy, sizeof(copy), RUBATO_ROOT "/traces/%s-sm%d/%s.sm%d.cubin", bundled[i / 2],
                 arch, cubins[i / 2], arch);
        snprintf(original, sizeof(original), RUBATO_ROOT "/traces/cubin/%s.sm%d.cubin",
                 cubins[i / 2], arch);
        assert_int_equal(lstat(copy, &st), 0);
        assert_true(S_ISREG(st.st_mode));
        uint8_t *a = read_file(copy, &n), *b = read_file(original, &n_original);
        assert_int_equal(n, n_original);
        assert_memory_equal(a, b, n);
        free(a);
        free(b);
    }
}

static void a_pc_outside_the_code_is_not_completed(void **state)
{
    rb_err_t err = {0};
    machine_code_t *m;
    inst_t in = {.pc = 0};

    (void)state;
    make_folder("vecadd.sm70.cubin", false);
    assert_int_equal(machine_code_open(temp_path(""), &m, &err), RB_OK);
    const machine_kernel_t *k = machine_code_kernel(m, "vecadd", 70);
    assert_null(machine_code_kernel(m, "vecadd", 75));
    assert_null(machine_code_kernel(m, "other", 70));
    assert_non_null(k);
    for (uint32_t pc = 1; pc != 0; pc = pc < 1u << 20 ? pc * 2 : pc < UINT32_MAX / 2 ? pc * 7 : 0) {
        in = (inst_t){.pc = pc, .opcode = UINT16_MAX};
        assert_false(machine_kernel_complete(k, &in));
    }
    in.pc = UINT32_MAX - 15;
    assert_false(machine_kernel_complete(k, &in));
    machine_code_close(m);
    temp_folder_remove();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bundled_traces_take_control_words_from_the_cubins_beside_them),
        cmocka_unit_test(a_cubin_in_the_folder_of_a_single_file_counts),
        cmocka_unit_test(code_of_other_kernels_and_architectures_is_left_alone),
        cmocka_unit_test(a_cubin_of_another_build_is_refused),
        cmocka_unit_test(a_file_that_is_no_machine_code_is_refused),
        cmocka_unit_test(a_link_to_nothing_is_left_out),
        cmocka_unit_test(bundled_traces_hold_copies_of_the_cubins),
        cmocka_unit_test(a_pc_outside_the_code_is_not_completed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
