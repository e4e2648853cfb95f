/* MacSim traces: what the records of small self-made ones become, and real ones where they are. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "frontend/macsim/macsim.h"
#include "frontend/macsim/macsim_addr.h"
#include "frontend/macsim/macsim_opcode.h"
#include "frontend/run/open_trace.h"
#include "frontend/trace/rbt_source.h"
#include "frontend/trace/rbt_store.h"
#include "sim/isa/isa.h"
#include "tests/support/macsim_files.h"
#include "tests/support/real_traces.h"
#include "tests/support/temp_folder.h"
#include "tests/support/test.h"
#include "tests/support/trace_files.h"

enum {
    FADD = 0,
    FFMA = 4,
    DMUL = 24,
    ISETP = 43,
    SEL = 64,
    SHFL = 66,
    LDG = 73,
    LDS = 75,
    STG = 78,
    ATOMG = 85,
    UIADD3 = 98,
    BRA = 132,
    EXIT = 139,
    BAR = 151,
    LDGSTS = 175,
    FULL = -1,
    PC = 0x7000,
};

static int silence(void **state)
{
    (void)state;
    temp_folder_create();
    trace_capture_stderr();
    return 0;
}

static int unsilence(void **state)
{
    (void)state;
    free(trace_captured());
    temp_folder_remove();
    return 0;
}

/* --- records ---------------------------------------------------------------------------------- */

static macsim_record_t op(unsigned opcode, unsigned pc, uint32_t mask)
{
    return (macsim_record_t){.opcode = (uint8_t)opcode,
                             .inst_addr = 0x7f0000000000 + PC + pc,
                             .size = 16,
                             .mem_access_size = 4,
                             .active_mask = mask};
}

static macsim_record_t with_regs(macsim_record_t r, int dst, unsigned n, const uint16_t *src)
{
    r.num_dest_regs = dst >= 0;
    r.dst[0] = dst >= 0 ? (uint16_t)dst : 0;
    r.num_read_regs = (uint8_t)n;
    for (unsigned i = 0; src != NULL && i < n && i < MACSIM_REGS; i++)
        r.src[i] = src[i];
    return r;
}

static macsim_record_t at(macsim_record_t r, uint64_t addr, unsigned size, bool further)
{
    r.mem_addr = addr;
    r.mem_access_size = (uint8_t)size;
    r.is_fp = further;
    return r;
}

/* Writes one warp of records as launch 1 and returns what is read. */
static char *read_warp(const macsim_record_t *records, size_t n)
{
    const uint64_t wid = 0;
    rb_err_t err = {0};

    macsim_write_lists(&wid, &n, 1);
    macsim_write_warp(0, records, n);
    return trace_source_text(macsim_open(temp_path(""), NULL, &err), &err);
}

static void reads_as(const macsim_record_t *records, size_t n, const char *expected)
{
    static const char head[] = "launch 1: Kernel0\nblock 0: 0,0,0\nwarp 0\n";
    char *got = read_warp(records, n);

    if (strncmp(got, head, strlen(head)) != 0 || strcmp(got + strlen(head), expected) != 0)
        fail_msg("got:\n%sexpected:\n%s", got, expected);
    free(got);
}

/* --- opcodes and registers -------------------------------------------------------------------- */

static void every_opcode_is_one_of_ours(void **state)
{
    (void)state;
    for (unsigned i = 0; i < MACSIM_OPCODES; i++) {
        const char *name = macsim_opcode_name(i);

        if (name == NULL || isa_find(name, strlen(name)) < 0)
            fail_msg("opcode %u (%s)", i, name != NULL ? name : "no name");
    }
    assert_null(macsim_opcode_name(MACSIM_OPCODES));
    assert_string_equal(macsim_opcode_name(0), "FADD");
    assert_string_equal(macsim_opcode_name(60), "MOV");
    assert_string_equal(macsim_opcode_name(100), "UIMAD");
    assert_string_equal(macsim_opcode_name(139), "EXIT");
    assert_string_equal(macsim_opcode_name(162), "VOTE");
    assert_string_equal(macsim_opcode_name(175), "LDGSTS");
    assert_string_equal(macsim_opcode_name(205), "PREEXIT");
}

/* Dense numbers: predicates from 256, uniform registers from 264. */
static void registers_are_of_the_file_that_the_opcode_asks_for(void **state)
{
    const uint16_t setp[] = {7, 8, 9, 7}, sel[] = {3, 4, 0}, shfl[] = {5, 4, 255},
                   fma[] = {1, 2, 7}, uni[] = {4, 63, 5}, pair[] = {4, 2}, atom[] = {6, 5};
    const macsim_record_t records[] = {
        with_regs(op(ISETP, 0x00, 0xff), 0, 4, setp),
        with_regs(op(SEL, 0x10, 0xff), 0, 3, sel),
        with_regs(op(SHFL, 0x20, 0xff), 7, 3, shfl),
        with_regs(op(FFMA, 0x30, 0xff), 0, 3, fma),
        with_regs(op(UIADD3, 0x40, 0xff), 6, 3, uni),
        with_regs(op(DMUL, 0x50, 0xff), 6, 2, pair),
        with_regs(op(ATOMG, 0x60, 0xff), 7, 2, atom),
        with_regs(op(EXIT, 0x70, 0xff), -1, 255, NULL),
    };

    (void)state;
    reads_as(records, 8,
             "0000 000000ff integer w0: 8 9 >256\n"
             "0010 000000ff move w0: 3 4 256 >0\n"
             "0020 000000ff shfl w0: 4 >5\n"
             "0030 000000ff fp32 w0: 1 2 7 >0\n"
             "0040 000000ff uniform w0: 268 269 >270\n"
             "0050 000000ff fp64 w0: 4 5 2 3 >6 7\n"
             "0060 000000ff atom_lg w0: 5 >6\n"
             "0070 000000ff exit w0:\n");
}

static void an_unknown_opcode_is_named_in_one_warning(void **state)
{
    const macsim_record_t records[] = {op(255, 0, 1), op(255, 16, 1), op(206, 32, 1)};

    (void)state;
    free(trace_captured());
    trace_capture_stderr();
    reads_as(records, 3,
             "0000 00000001 unknown w0:\n0010 00000001 unknown w0:\n"
             "0020 00000001 unknown w0:\n");
    char *said = trace_captured(), *first = strstr(said, "MacSim opcode 255 is unknown");

    trace_capture_stderr();
    assert_non_null(first);
    assert_null(strstr(first + 1, "MacSim opcode 255"));
    assert_non_null(strstr(said, "MacSim opcode 206 is unknown"));
    free(said);
}

/* --- addresses -------------------------------------------------------------------------------- */

static void a_line_is_shared_by_its_lanes(void **state)
{
    const macsim_record_t records[] = {at(op(LDG, 0, 0xf), 0x1000, 4, false),
                                       at(op(STG, 16, 0x3), 0x1080, 8, false),
                                       at(op(LDS, 32, 0x1), 0, 16, false), op(LDG, 48, 0)};

    (void)state;
    reads_as(records, 4,
             "0000 0000000f load_lg w4: @ 1000 1004 1008 100c\n"
             "0010 00000003 store_lg w8: @ 1080 1088\n"
             "0020 00000001 load_sh w16: @ 0\n"
             "0030 00000000 load_lg w4:\n");
}

/* 16 bytes for each of 8 lanes in two lines; 4 lanes in 4 lines; the parent's size is multiplied.
 */
static void further_lines_belong_to_the_instruction_before(void **state)
{
    const macsim_record_t records[] = {
        at(op(LDG, 0, 0xff), 0x1000, 32, false), at(op(LDG, 0, 0xff), 0x1080, 16, true),
        at(op(LDG, 16, 0xf), 0x2000, 16, false), at(op(LDG, 16, 0xf), 0x3000, 16, true),
        at(op(LDG, 16, 0xf), 0x4000, 16, true),  at(op(LDG, 16, 0xf), 0x8000, 16, true),
        at(op(LDG, 16, 0x1), 0x2000, 4, false),
    };

    (void)state;
    reads_as(records, 7,
             "0000 000000ff load_lg w16: @ 1000 1010 1020 1030 10c0 10d0 10e0 10f0\n"
             "0010 0000000f load_lg w4: @ 2000 3004 4008 800c\n"
             "0010 00000001 load_lg w4: @ 2000\n");
}

/* A full warp of doubles does not fit a line: the record has the first lane's address. */
static void old_tracers_give_the_first_lanes_address(void **state)
{
    macsim_record_t records[] = {at(op(LDG, 0, 0xffffffff), 0x1000, 8, false),
                                 at(op(LDG, 16, 0x7), 0x1040, 4, false)};
    char *got = read_warp(records, 2);

    (void)state;
    assert_non_null(strstr(got, "w8: @ 1000 1008 1010 1018"));
    assert_non_null(strstr(got, " 10f0 10f8\n"));
    assert_non_null(strstr(got, "w4: @ 1040 1044 1048\n"));
    free(got);
}

/* Span of 3 lines between 4 lanes: 128 bytes apart. Of 32 records each is a lane's. */
static void old_tracers_fill_the_span_with_lines(void **state)
{
    macsim_record_t records[34];

    (void)state;
    for (unsigned i = 0; i < 3; i++)
        records[i] = at(op(LDG, 0, 0xf0), 0x1010 + i * 128, 4, false);
    reads_as(records, 3, "0000 000000f0 load_lg w4: @ 1010 1090 1110 1190\n");
    for (unsigned i = 0; i < 32; i++)
        records[i] = at(op(LDG, 0, 0xc), i * i * 0x1001, 4, false);
    records[32] = op(FADD, 16, 1);
    reads_as(records, 33, "0000 0000000c load_lg w4: @ 4004 9009\n0010 00000001 fp32 w0:\n");
}

static void widths_survive_the_multiplication(void **state)
{
    static const struct {
        unsigned lines, size, further, width;
    } cases[] = {{1, 8, 0, 8},      {2, 8, 8, 4},      {2, 16, 8, 8}, {4, 64, 16, 16},
                 {32, 128, 128, 4}, {32, 255, 255, 8}, {32, 0, 0, 8}, {16, 255, 16, 16},
                 {3, 7, 7, 4},      {1, 3, 0, 4}};

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        macsim_access_t a = {.first = op(LDG, 0, 1),
                             .n = cases[i].lines,
                             .flagged = true,
                             .further_size = (uint8_t)cases[i].further};

        a.first.mem_access_size = (uint8_t)cases[i].size;
        assert_int_equal(macsim_access_width(&a), cases[i].width);
    }
}

/* Whatever the lines, the lanes touch exactly them as long as there are enough lanes. */
static void lanes_touch_the_lines_that_are_given(void **state)
{
    uint64_t lines[32], addr[32];

    (void)state;
    for (unsigned n = 1; n <= 32; n++)
        for (unsigned lanes = n; lanes <= 32; lanes++)
            for (unsigned width = 1; width <= 16; width *= 2) {
                macsim_access_t a = {.first = op(LDG, 0, (uint32_t)((1ull << lanes) - 1)),
                                     .addrs = lines,
                                     .n = n,
                                     .flagged = true};
                uint64_t seen = 0;

                if (n == 1 && lanes * width > MACSIM_LINE)
                    continue; /* cannot be told from a first lane's address */
                a.first.mem_access_size = (uint8_t)width;
                for (unsigned i = 0; i < n; i++)
                    lines[i] = 0x10000 + i * 4096;
                macsim_access_lanes(&a, width, false, addr);
                for (unsigned k = 0; k < lanes; k++) {
                    assert_int_equal(addr[k] % width, 0);
                    assert_true((addr[k] & 4095) < MACSIM_LINE);
                    seen |= 1ull << ((addr[k] - 0x10000) / 4096);
                }
                assert_int_equal(seen, n == 64 ? ~0ull : (1ull << n) - 1);
            }
}

static void atomics_without_address_have_no_width(void **state)
{
    const macsim_record_t records[] = {op(ATOMG, 0, 1), at(op(ATOMG, 16, 1), 0x1000, 4, false)};

    (void)state;
    reads_as(records, 2, "0000 00000001 atom_lg w0:\n0010 00000001 atom_lg w4: @ 1000\n");
}

/* --- launches --------------------------------------------------------------------------------- */

/* Two blocks; the second one's warps have the numbers of hardware slots. */
static void warps_are_placed_by_their_ids(void **state)
{
    const uint64_t wids[] = {0, 1, 65536 + 9, 65536 + 17, 3 * 65536};
    const size_t counts[] = {1, 1, 1, 1, 1};
    rb_err_t err = {0};

    (void)state;
    macsim_write_lists(wids, counts, 5);
    for (unsigned i = 0; i < 5; i++) {
        macsim_record_t r = op(FADD, 16 * i, 1);

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
    macsim_record_t r = op(FADD, 0, 1);
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
    s->ops->close(l); /* takes the block along */
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
    macsim_record_t r = op(FADD, 0, 1);
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
        const macsim_record_t r[] = {op(FADD, 0, 1), op(cases[i].opcode, 16, 1)};
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

/* Of Kernel0 alone, which is there. */
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
    macsim_record_t r = op(FADD, 0, 1);
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
    macsim_record_t r = op(FADD, 0, 1);
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
    const macsim_record_t r[] = {at(op(LDG, 0, 1), 0x100, 8, false), op(BAR, 16, 1)};
    rb_err_t err = {0};
    trace_launch_t *l;
    trace_block_t *b;
    uint32_t len;

    (void)state;
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

static void add_file(void *ctx, const char *path)
{
    char *list = ctx;
    const char *slash = strrchr(path, '/');

    strcat(list, slash + 1);
    strcat(list, " ");
}

static void all_files_are_visited(void **state)
{
    const uint64_t wids[] = {0, 65536};
    const size_t counts[] = {1, 1};
    macsim_record_t r = op(FADD, 0, 1);
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

/* --- real traces ------------------------------------------------------------------------------ */

/* vectormultadd: 2 blocks of 32 warps ... as the files themselves say. */
static void the_real_vectormultadd_is_read_whole(void **state)
{
    rb_err_t err = {0};
    uint64_t insts = 0, sectors = 0, blocks = 0;

    (void)state;
    const char *path = reference_macsim(4096);

    if (path == NULL) {
        print_message("skipped: the reference trace is not here\n");
        skip();
    }
    trace_source_t *s = macsim_open(path, NULL, &err);

    assert_non_null(s);
    assert_int_equal(s->ops->n_launches(s), 3);
    for (uint64_t id = 1; id <= 3; id++) {
        trace_launch_t *l;
        trace_block_t *b;

        if (s->ops->open(s, id, &l, &err) != RB_OK)
            fail_msg("%s", err.text);
        for (uint64_t i = 0; s->ops->get_block(l, i, &b, &err) == RB_OK && b != NULL; i++) {
            blocks++;
            insts += b->n_insts;
            for (unsigned w = 0; w < b->n_warps; w++) {
                const uint64_t *rec = b->warps[w].addrs;

                assert_int_equal(b->warps[w].n_insts, 14);
                for (size_t at_word = 0; at_word < b->warps[w].n_addr_words;
                     at_word += addr_words(rec + at_word)) {
                    assert_int_equal(addr_form(rec + at_word), ADDR_AFFINE);
                    sectors +=
                        addr_lanes(rec + at_word) * (uint64_t)addr_stride(rec + at_word) / 32;
                }
            }
            s->ops->free_block(l, b);
        }
        assert_int_equal(err.code, RB_OK);
        s->ops->close(l);
    }
    assert_int_equal(blocks, 3 * 4);
    assert_int_equal(insts, 3 * 128 * 14);
    assert_int_equal(sectors, 3 * 4096 * 3 * 8 / 32); /* three vectors of doubles a launch */
    s->ops->destroy(s);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, silence, unsilence)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_opcode_is_one_of_ours),
        cmocka_unit_test(widths_survive_the_multiplication),
        cmocka_unit_test(lanes_touch_the_lines_that_are_given),
        TEST(registers_are_of_the_file_that_the_opcode_asks_for),
        TEST(an_unknown_opcode_is_named_in_one_warning),
        TEST(a_line_is_shared_by_its_lanes),
        TEST(further_lines_belong_to_the_instruction_before),
        TEST(old_tracers_give_the_first_lanes_address),
        TEST(old_tracers_fill_the_span_with_lines),
        TEST(atomics_without_address_have_no_width),
        TEST(warps_are_placed_by_their_ids),
        TEST(kernel_names_describe_the_launch),
        TEST(without_kernel_names_the_warps_tell_the_shape),
        TEST(one_launch_can_be_opened_alone),
        TEST(the_newest_opcode_tells_the_architecture),
        TEST(sampled_launches_have_weights),
        TEST(the_losses_are_told_once),
        TEST(mnemonics_are_shown),
        TEST(all_files_are_visited),
        TEST(the_real_vectormultadd_is_read_whole),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
