/* MacSim traces: launches, their files and messages about them, and a whole program. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/input/macsim/macsim.h"
#include "frontend/input/rbt/read/rbt_source.h"
#include "frontend/input/rbt/write/rbt_store.h"
#include "frontend/tool/library/open_trace.h"
#include "tests/support/input/macsim_files.h"
#include "tests/support/temp_folder.h"
#include "tests/support/test.h"
#include "tests/support/trace/trace_files.h"

enum {
    FADD = 0,
    LDG = 73,
    UIADD3 = 98,
    BAR = 151,
    LDGSTS = 175,
};

/* Two blocks; the warps of the second have the numbers of hardware slots. */
static void warps_are_placed_by_their_ids(void **state)
{
    const uint64_t wids[] = {0, 1, 65536 + 9, 65536 + 17, 3 * 65536};
    const size_t counts[] = {1, 1, 1, 1, 1};
    rb_err_t err = {0};

    (void)state;
    macsim_write_lists(wids, counts, 5);
    for (unsigned i = 0; i < 5; i++) {
        macsim_record_t r = macsim_op(FADD, 16 * i, 1);

        r.inst_addr -= i > 0 ? 16 * i - 16 : 0;
        macsim_write_warp(wids[i], &r, 1);
    }
    char *got = trace_source_text(macsim_open(temp_path("kernel_config.txt"), NULL, &err), &err);

    assert_string_equal(got, "launch 1: Kernel0\n"
                             "block 0: 0,0,0\nwarp 0\n0000 00000001 fp32 w0:\n"
                             "warp 1\n0010 00000001 fp32 w0:\n"
                             "block 1: 1,0,0\nwarp 0\n0010 00000001 fp32 w0:\n"
                             "warp 1\n0010 00000001 fp32 w0:\n"
                             "block 2: 3,0,0\nwarp 0\n0010 00000001 fp32 w0:\n");
    free(got);
}

static void kernel_names_describe_the_launch(void **state)
{
    const uint64_t wids[] = {0, 1, 5 * 65536};
    const size_t counts[] = {1, 1, 1};
    macsim_record_t r = macsim_op(FADD, 0, 1);
    rb_err_t err = {0};
    launch_info_t info;
    trace_launch_t *l;
    trace_block_t *b;

    (void)state;
    macsim_write_lists(wids, counts, 3);
    temp_write("kernel_names.txt",
               "Kernel7 name: other\n  Grid size: (1, 1, 1), Block size: (1, 1, 1)\n"
               "Kernel0 name: my kernel(float *, int)\n"
               "  Grid size: (2, 3, 4), Block size: (33, 1, 1), maxBlockPerCore: 16, # of regs: "
               "40, static shared mem: 1024, dynamic shared mem: 512\n");
    for (unsigned i = 0; i < 3; i++)
        macsim_write_warp(wids[i], &r, 1);
    trace_source_t *s = macsim_open(temp_path(""), NULL, &err);

    assert_non_null(s);
    assert_int_equal(s->ops->n_launches(s), 1);
    assert_int_equal(s->ops->launch_info(s, 1, &info, &err), RB_OK);
    assert_string_equal(info.name, "my kernel(float *, int)");
    assert_int_equal(info.id, 1);
    assert_int_equal(info.trace_id, 0);
    assert_int_equal(info.grid[0], 2);
    assert_int_equal(info.grid[1], 3);
    assert_int_equal(info.grid[2], 4);
    assert_int_equal(info.block[0], 33);
    assert_int_equal(info.regs, 40);
    assert_int_equal(info.shared_bytes, 1536);
    assert_int_equal(info.n_blocks, 24);
    assert_int_equal(s->ops->open(s, 1, &l, &err), RB_OK);
    assert_int_equal(s->ops->get_block(l, 1, &b, &err), RB_OK);
    assert_int_equal(b->id[0], 1); /* block 5 */
    assert_int_equal(b->id[1], 2);
    assert_int_equal(b->id[2], 0);
    assert_int_equal(b->n_warps, 2);
    assert_int_equal(b->warps[1].n_runs, 0);
    s->ops->close(l); /* the block goes with it */
    s->ops->destroy(s);
}

static void without_kernel_names_the_warps_tell_the_shape(void **state)
{
    const uint64_t wids[] = {0, 1, 2, 4 * 65536 + 1};
    const size_t counts[] = {1, 1, 1, 1};
    rb_err_t err = {0};
    launch_info_t info;

    (void)state;
    macsim_write_lists(wids, counts, 4);
    temp_write("kernel_config.txt", "nvbit\n14\n-1\n/home/me/traces/Kernel0/trace.txt\n");
    trace_source_t *s = macsim_open(temp_path(""), NULL, &err);

    assert_int_equal(s->ops->launch_info(s, 1, &info, &err), RB_OK);
    assert_string_equal(info.name, "Kernel0");
    assert_int_equal(info.grid[0], 5);
    assert_int_equal(info.grid[1], 1);
    assert_int_equal(info.block[0], 96);
    assert_int_equal(info.regs, 0);
    assert_int_equal(info.arch, 70);
    s->ops->destroy(s);
}

static void one_launch_can_be_opened_alone(void **state)
{
    const uint64_t wid = 0;
    const size_t count = 1;
    macsim_record_t r = macsim_op(FADD, 0, 1);
    rb_err_t err = {0};

    (void)state;
    macsim_write_lists(&wid, &count, 1);
    macsim_write_warp(0, &r, 1);
    assert_true(macsim_detect(temp_path("Kernel0")));
    assert_true(macsim_detect(temp_path("Kernel0/trace.txt")));
    assert_true(macsim_detect(temp_path("kernel_config.txt")));
    assert_true(macsim_detect(temp_path("")));
    assert_false(macsim_detect(temp_path("Kernel0/trace_info.txt")));
    assert_false(macsim_detect(temp_path("nothing")));
    assert_false(macsim_detect(RUBATO_ROOT "/traces"));
    char *got = trace_source_text(macsim_open(temp_path("Kernel0"), NULL, &err), &err);

    assert_string_equal(got, "launch 1: Kernel0\nblock 0: 0,0,0\nwarp 0\n0000 00000001 fp32 w0:\n");
    free(got);
}

static void the_newest_opcode_tells_the_architecture(void **state)
{
    static const struct {
        unsigned opcode, arch;
    } cases[] = {{FADD, 70}, {UIADD3, 75}, {LDGSTS, 80}, {205, 90}};
    const uint64_t wid = 0;
    const size_t count = 2;
    launch_info_t info;

    (void)state;
    macsim_write_lists(&wid, &count, 1);
    for (size_t i = 0; i < 4; i++) {
        const macsim_record_t r[] = {macsim_op(FADD, 0, 1), macsim_op(cases[i].opcode, 16, 1)};
        const macsim_options_t opts = {.arch = 86};
        rb_err_t err = {0};

        macsim_write_warp(0, r, 2);
        trace_source_t *s = macsim_open(temp_path(""), NULL, &err);

        assert_int_equal(s->ops->launch_info(s, 1, &info, &err), RB_OK);
        assert_int_equal(info.arch, cases[i].arch);
        s->ops->destroy(s);
        s = macsim_open(temp_path(""), &opts, &err);
        assert_int_equal(s->ops->launch_info(s, 1, &info, &err), RB_OK);
        assert_int_equal(info.arch, 86);
        s->ops->destroy(s);
    }
}

/* Only of Kernel0, which exists. */
static void weights_survive_conversion(void)
{
    char path[256];
    rb_err_t err = {0};
    rbt_stored_t stored;

    temp_write("kernel_config.txt", "nvbit\n14\n-1\n./Kernel0/trace.txt\n");
    trace_source_t *s = open_trace(temp_path(""), NULL, &err);

    snprintf(path, sizeof(path), "%s", temp_path("trace.rbt"));
    assert_int_equal(rbt_store(s, &(rbt_store_options_t){.path = path}, &stored, &err), RB_OK);
    s->ops->destroy(s);
    s = rbt_open(path, &err);
    assert_non_null(s);
    assert_true(s->ops->weight(s, 1) == 25);
    s->ops->destroy(s);
}

static void sampled_launches_have_weights(void **state)
{
    const uint64_t wid = 0;
    const size_t count = 1;
    macsim_record_t r = macsim_op(FADD, 0, 1);
    rb_err_t err = {0};

    (void)state;
    macsim_write_lists(&wid, &count, 1);
    macsim_write_warp(0, &r, 1);
    temp_write("kernel_config.txt",
               "nvbit\n14\n-1\n./Kernel0/trace.txt\n./Kernel12/trace.txt\n./Kernel3/trace.txt\n");
    temp_write("net_sampled_kernels_info.txt",
               "Kernel sampling information from net.nsys-rep.\nMaximum cluster size: 50\n"
               "100 4 12 0 12 99\n7 1 5\n\n1 1 nonsense\n");
    trace_source_t *s = open_trace(temp_path(""), NULL, &err);

    assert_non_null(s);
    assert_true(s->ops->weight(s, 1) == 25);
    assert_true(s->ops->weight(s, 2) == 50);
    assert_true(s->ops->weight(s, 3) == 1);
    s->ops->destroy(s);
    weights_survive_conversion();
    char *said = trace_captured();

    trace_capture_stderr();
    assert_non_null(strstr(said, "2 of the 4 sampled launches are not in the trace"));
    assert_non_null(
        strstr(said, "net_sampled_kernels_info.txt: totals describe the samples alone"));
    free(said);
}

static void the_losses_are_told_once(void **state)
{
    const uint64_t wid = 0;
    const size_t count = 1;
    macsim_record_t r = macsim_op(FADD, 0, 1);
    rb_err_t err = {0};

    (void)state;
    free(trace_captured());
    trace_capture_stderr();
    macsim_write_lists(&wid, &count, 1);
    macsim_write_warp(0, &r, 1);
    trace_source_t *s = macsim_open(temp_path(""), NULL, &err);

    s->ops->destroy(s);
    char *said = trace_captured(), *first = strstr(said, "128-byte lines for lane addresses");

    trace_capture_stderr();
    assert_non_null(first);
    assert_null(strstr(first + 1, "128-byte lines"));
    assert_non_null(strstr(said, "without kernel_names.txt"));
    free(said);
}

static void mnemonics_are_shown(void **state)
{
    const uint64_t wid = 0;
    const size_t count = 2;
    macsim_record_t r[] = {macsim_op(LDG, 0, 1), macsim_op(BAR, 16, 1)};
    rb_err_t err = {0};
    trace_launch_t *l;
    trace_block_t *b;
    uint32_t len;

    (void)state;
    r[0].mem_addr = 0x100;
    r[0].mem_access_size = 8;
    macsim_write_lists(&wid, &count, 1);
    macsim_write_warp(0, r, 2);
    trace_source_t *s = macsim_open(temp_path(""), NULL, &err);

    assert_int_equal(s->ops->open(s, 1, &l, &err), RB_OK);
    assert_int_equal(s->ops->get_block(l, 0, &b, &err), RB_OK);
    assert_string_equal(s->ops->inst_text(l, b->warps[0].runs[0].first, &len), "LDG.E.64");
    assert_int_equal(len, 8);
    assert_string_equal(s->ops->inst_text(l, b->warps[0].runs[0].first + 1, &len), "BAR");
    s->ops->free_block(l, b);
    s->ops->close(l);
    s->ops->destroy(s);
}

static void add_file(void *ctx, const char *path, bool opened)
{
    (void)opened;
    char *list = ctx;
    const char *slash = strrchr(path, '/');

    strcat(list, slash + 1);
    strcat(list, " ");
}

static void all_files_are_visited(void **state)
{
    const uint64_t wids[] = {0, 65536};
    const size_t counts[] = {1, 1};
    macsim_record_t r = macsim_op(FADD, 0, 1);
    rb_err_t err = {0};
    char list[512] = "";
    uint64_t done, total;

    (void)state;
    macsim_write_lists(wids, counts, 2);
    temp_write("x_sampled_kernels_info.txt", "a\nb\n");
    macsim_write_warp(0, &r, 1);
    macsim_write_warp(65536, &r, 1);
    trace_source_t *s = macsim_open(temp_path(""), NULL, &err);

    macsim_files(s, add_file, list);
    assert_string_equal(list, "kernel_config.txt x_sampled_kernels_info.txt trace.txt "
                              "trace_info.txt trace_0.raw trace_65536.raw ");
    s->ops->progress(s, &done, &total);
    assert_int_equal(done, 0);
    free(trace_source_text(s, &err));
}

/* --- a whole program ------------------------------------------------------------------------- */

static void check_warp(const warp_stream_t *warp, uint64_t *sectors)
{
    const uint64_t *rec = warp->addrs;

    assert_int_equal(warp->n_insts, 14);
    for (size_t at = 0; at < warp->n_addr_words; at += addr_words(rec + at)) {
        assert_int_equal(addr_form(rec + at), ADDR_AFFINE);
        *sectors += addr_lanes(rec + at) * (uint64_t)addr_stride(rec + at) / 32;
    }
}

static void a_vector_add_is_read_whole(void **state)
{
    enum { BLOCKS = 8, WARPS = 16 };
    rb_err_t err = {0};
    uint64_t insts = 0, sectors = 0, blocks = 0;
    trace_launch_t *l;
    trace_block_t *b;

    (void)state;
    trace_source_t *s = macsim_open(macsim_write_vector_add(BLOCKS, WARPS), NULL, &err);

    assert_non_null(s);
    assert_int_equal(s->ops->n_launches(s), 1);
    if (s->ops->open(s, 1, &l, &err) != RB_OK)
        fail_msg("%s", err.text);
    for (; s->ops->get_block(l, blocks, &b, &err) == RB_OK && b != NULL; blocks++) {
        assert_int_equal(b->n_warps, WARPS);
        insts += b->n_insts;
        for (unsigned w = 0; w < b->n_warps; w++)
            check_warp(&b->warps[w], &sectors);
        s->ops->free_block(l, b);
    }
    assert_int_equal(err.code, RB_OK);
    s->ops->close(l);
    s->ops->destroy(s);
    assert_int_equal(blocks, BLOCKS);
    assert_int_equal(insts, BLOCKS * WARPS * 14);
    assert_int_equal(sectors, BLOCKS * WARPS * 3 * 32 * 8 / 32); /* three vectors of doubles */
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, quiet_folder_create, quiet_folder_remove)
    const struct CMUnitTest tests[] = {
        TEST(warps_are_placed_by_their_ids),
        TEST(kernel_names_describe_the_launch),
        TEST(without_kernel_names_the_warps_tell_the_shape),
        TEST(one_launch_can_be_opened_alone),
        TEST(the_newest_opcode_tells_the_architecture),
        TEST(sampled_launches_have_weights),
        TEST(the_losses_are_told_once),
        TEST(mnemonics_are_shown),
        TEST(all_files_are_visited),
        TEST(a_vector_add_is_read_whole),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
