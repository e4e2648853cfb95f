/*
 * Whole traces written as Accel-Sim text and read again: text comes back field by field, other
 * traces read the same.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/input/macsim/macsim.h"
#include "tests/support/input/accelsim_compare.h"
#include "tests/support/input/accelsim_lab.h"
#include "tests/support/input/macsim_files.h"
#include "tests/support/mix.h"
#include "tests/support/temp_folder.h"
#include "tests/support/test.h"
#include "tests/support/trace/rbt_lab.h"
#include "tests/support/trace/real_traces.h"
#include "tests/support/trace/trace_files.h"

typedef enum { DIRECTLY, THROUGH_RBT } way_t;

/* Reads, writes, reads again; returns the number of instructions compared as text. */
static uint64_t comes_back(const char *path, const accelsim_writer_options_t *opts, bool as_text,
                           way_t way)
{
    char folder[256];
    uint64_t insts = 0;
    trace_source_t *a = accelsim_lab_open(path),
                   *stored = way == THROUGH_RBT ? rbt_lab_open(rbt_lab_store_temp(a)) : NULL;

    snprintf(folder, sizeof(folder), "%s", temp_path("out"));
    accelsim_lab_write(stored != NULL ? stored : a, folder, opts);
    if (stored != NULL)
        stored->ops->destroy(stored);
    trace_source_t *b = accelsim_lab_open(folder);

    rbt_lab_same(a, b);
    for (uint64_t id = 1; as_text && id <= a->ops->n_launches(a); id++) {
        rb_err_t err = {0};
        launch_info_t x, y;

        assert_int_equal(a->ops->launch_info(a, id, &x, &err), RB_OK);
        assert_int_equal(b->ops->launch_info(b, id, &y, &err), RB_OK);
        insts += accelsim_compare_files(x.file, y.file);
    }
    a->ops->destroy(a);
    b->ops->destroy(b);
    accelsim_lab_remove(folder);
    return insts;
}

static void bundled_traces_come_back(way_t way)
{
    static const char *const names[] = {"vecadd-sm75",      "matmul-sm70",  "histo-sm75",
                                        "spmv_vector-sm70", "softmax-sm75", "transpose_tiled-sm70"};
    static const accelsim_writer_options_t opts[] = {
        {.packing = ACCELSIM_PLAIN}, {.packing = ACCELSIM_ZSTD}, {.list_addresses = true},
        {.packing = ACCELSIM_PLAIN}, {.packing = ACCELSIM_XZ},   {.packing = ACCELSIM_PLAIN}};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        char path[1024];

        snprintf(path, sizeof(path), RUBATO_ROOT "/traces/%s", names[i]);
        assert_true(comes_back(path, &opts[i], true, way) > 50000);
    }
}

static void bundled_traces_come_back_field_by_field(void **state)
{
    (void)state;
    bundled_traces_come_back(DIRECTLY);
}

static void bundled_traces_come_back_through_native_files(void **state)
{
    (void)state;
    bundled_traces_come_back(THROUGH_RBT);
}

/* Compares the instructions of a folder or file; of a raw trace, whose order differs, only what
 * is read. */
static void other_traces_come_back(way_t way)
{
    static const char *const corpus[] = {"v1_ids.traceg", "v4_lines.traceg", "v5.traceg",
                                         "store_data.traceg", "raw.trace"};
    const char *program = native_trace_as_text("bfs-sm70");

    assert_true(comes_back(program, NULL, true, way) > 100000);
    for (size_t i = 0; i < sizeof(corpus) / sizeof(corpus[0]); i++) {
        char path[1024];

        snprintf(path, sizeof(path), RUBATO_ROOT "/tests/fuzz/corpus/accelsim/%s", corpus[i]);
        comes_back(path, NULL, strstr(path, "raw") == NULL, way);
    }
}

static void other_traces_come_back_field_by_field(void **state)
{
    (void)state;
    other_traces_come_back(DIRECTLY);
}

static void other_traces_come_back_through_native_files(void **state)
{
    (void)state;
    other_traces_come_back(THROUGH_RBT);
}

static void a_macsim_trace_becomes_text_that_reads_the_same(void **state)
{
    const uint64_t wids[] = {0, 65536};
    const size_t counts[] = {3, 3};
    const macsim_record_t r[] = {
        {.opcode = 73,
         .num_dest_regs = 1,
         .dst = {4},
         .active_mask = UINT32_MAX,
         .mem_addr = 0x1000,
         .mem_access_size = 4},
        {.opcode = 0,
         .num_dest_regs = 1,
         .dst = {5},
         .num_read_regs = 2,
         .src = {4, 4},
         .active_mask = 0xffff,
         .inst_addr = 16},
        {.opcode = 139, .active_mask = UINT32_MAX, .inst_addr = 32},
    };
    char folder[256];
    rb_err_t err = {0};

    (void)state;
    macsim_write_lists(wids, counts, 2);
    macsim_write_warp(0, r, 3);
    macsim_write_warp(65536, r, 3);
    trace_source_t *a = macsim_open(temp_path(""), NULL, &err);

    snprintf(folder, sizeof(folder), "%s", temp_path("out"));
    accelsim_lab_write(a, folder, NULL);
    char *before = trace_source_text(a, &err),
         *after = trace_source_text(accelsim_lab_open(folder), &err);

    assert_non_null(strstr(before, "load_lg w4: >4 @ 1000 1004 1008"));
    assert_string_equal(before, after);
    free(before);
    free(after);
}

/* Everything at once: divergence, atomics, shared and local memory, copies, several launches. */
static void a_generated_program_comes_back(void **state)
{
    trace_source_t *a = synth_source(mix_create(1)), *b;
    const memcpy_op_t *ops, *others;
    char folder[256];
    rb_err_t err = {0};
    size_t copies = 0;

    (void)state;
    snprintf(folder, sizeof(folder), "%s", temp_path("out"));
    accelsim_lab_write(a, folder, NULL);
    b = accelsim_lab_open(folder);
    for (uint64_t id = 1; id <= a->ops->n_launches(a) + 1; id++) {
        size_t n = a->ops->copies(a, id, &ops);

        assert_int_equal(b->ops->copies(b, id, &others), n);
        for (size_t i = 0; i < n; i++)
            assert_true(ops[i].addr == others[i].addr && ops[i].bytes == others[i].bytes);
        copies += n;
    }
    assert_true(copies > 0);
    char *before = trace_source_text(a, &err), *after = trace_source_text(b, &err);

    assert_non_null(strstr(before, "launch 5: "));
    assert_string_equal(before, after);
    free(before);
    free(after);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, quiet_folder_create, quiet_folder_remove)
    const struct CMUnitTest tests[] = {
        TEST(bundled_traces_come_back_field_by_field),
        TEST(other_traces_come_back_field_by_field),
        TEST(bundled_traces_come_back_through_native_files),
        TEST(other_traces_come_back_through_native_files),
        TEST(a_macsim_trace_becomes_text_that_reads_the_same),
        TEST(a_generated_program_comes_back),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
