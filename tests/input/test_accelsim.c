/* Launches and instructions of Accel-Sim's text, in every version and address mode. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/input/accelsim/accelsim.h"
#include "sim/isa/isa.h"
#include "tests/support/test.h"
#include "tests/support/trace/trace_files.h"

/* The launch is read from text and compared as text (trace_text()). */
static void reads_as(const char *header, const char *body, const char *expected)
{
    char *text = malloc(strlen(header) + strlen(body) + 1), *got;

    strcat(strcpy(text, header), body);
    trace_write("k.traceg", text);
    got = trace_text(trace_path("k.traceg"), 0);
    assert_string_equal(got, expected);
    free(got);
    free(text);
}

#define BLOCK(id, ...) "#BEGIN_TB\n\nthread block = " id "\n\n" __VA_ARGS__ "#END_TB\n\n"
#define WARP(w, n)     "warp = " w "\ninsts = " n "\n"
#define GRID_1         "-grid dim = (1,1,1)\n"

/* --- facts of a launch ----------------------------------------------------------------------- */

static void the_header_becomes_the_launch_info(void **state)
{
    (void)state;
    trace_write("k.traceg", trace_header(5, "-future key = whatever = 3"));
    trace_reading_t r = trace_start("k.traceg");

    assert_int_equal(r.info.id, 1);
    assert_int_equal(r.info.trace_id, 7);
    assert_string_equal(r.info.name, "_Z4testPf");
    assert_string_equal(r.info.file, trace_path("k.traceg"));
    assert_int_equal(r.info.grid[0], 2);
    assert_int_equal(r.info.block[0], 64);
    assert_int_equal(r.info.regs, 16);
    assert_int_equal(r.info.shared_bytes, 256);
    assert_int_equal(r.info.arch, 70);
    assert_int_equal(r.info.stream, 5);
    assert_int_equal(r.info.shared_base, 0x7f5a2e000000);
    assert_int_equal(r.info.local_base, 0x7f5a2c000000);
    assert_int_equal(r.info.n_blocks, 2);
    trace_stop(&r);
}

/* As Accel-Sim reads it. */
static void an_unknown_stream_is_one_of_its_own(void **state)
{
    (void)state;
    trace_write("k.traceg", trace_header(5, "-cuda stream id = -1"));
    trace_reading_t r = trace_start("k.traceg");
    assert_true(r.info.stream == UINT64_MAX);
    trace_stop(&r);
}

static void launches_of_the_same_name_and_architecture_share_their_code_id(void **state)
{
    uint64_t ids[3];
    launch_info_t info;

    (void)state;
    trace_write("kernel-1.traceg", trace_header(5, ""));
    trace_write("kernel-2.traceg", trace_header(3, "-grid dim = (9,1,1)"));
    trace_write("kernel-3.traceg", trace_header(5, "-kernel name = other"));
    trace_write("kernelslist.g", "kernel-1.traceg\nkernel-2.traceg\nkernel-3.traceg\n");
    trace_source_t *s = trace_open("kernelslist.g");

    for (uint64_t i = 0; i < 3; i++) {
        assert_int_equal(s->ops->launch_info(s, i + 1, &info, NULL), RB_OK);
        ids[i] = info.code_id;
    }
    assert_true(ids[0] == ids[1] && ids[0] != ids[2]);
    s->ops->destroy(s);
}

static void names_may_be_long_and_hold_blanks(void **state)
{
    enum { LONG = 60000 };
    char *name = malloc(LONG + 64), *text = malloc(LONG + 8192);

    (void)state;
    memset(name, 'x', LONG);
    memcpy(name, "void f<int, (a = b)>", 20);
    name[LONG] = '\0';
    sprintf(text,
            "-kernel name = %s\n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n"
            "-binary version = 75\n#\n",
            name);
    trace_write("k.traceg", text);
    trace_reading_t r = trace_start("k.traceg");

    assert_string_equal(r.info.name, name);
    trace_stop(&r);
    free(name);
    free(text);
}

/* --- lines ----------------------------------------------------------------------------------- */

static const char body_of_all_modes[] =
    BLOCK("0,0,0",
          WARP("0", "9") "0000 ffffffff 1 R1 MOV 0 0 0 \n"
                         "0010 ffffffff 1 R2 IMAD.WIDE 2 R0 R1 0 0 \n"
                         "0030 ffffffff 1 R4 LDG.E.SYS 1 R2 4 1 0x7f5a40000000 4 0 \n"
                         "0040 0000000f 1 R5 LDG.E.SYS 1 R2 4 2 0x7f5a40200000 4096 -64 8192 0 \n"
                         "0050 00000103 1 R6 LDG.E.64.SYS 1 R2 8 0 0x00007f5a40200000 "
                         "0x00007f5a40200008 0x00007f5b40200400 0 \n"
                         "0060 00000010 0 STS 2 R0 R4 4 2 0x40 0 \n"
                         "0070 00000000 0 STG.E.SYS 2 R2 R8 4 1 0x0 0 0 \n"
                         "00a0 00000000 0 BRA 0 0 32 \n"
                         "00c0 ffffffff 0 EXIT 0 0 0 \n");

static const char text_of_all_modes[] =
    "launch 1: _Z4testPf\n"
    "block 0: 0,0,0\n"
    "warp 0\n"
    "0000 ffffffff move w0: >1\n"
    "0010 ffffffff imad w0: 0 1 >2 3\n"
    "0030 ffffffff load_lg w4: 2 3 >4 @"
    " 7f5a40000000 7f5a40000004 7f5a40000008 7f5a4000000c 7f5a40000010 7f5a40000014 7f5a40000018"
    " 7f5a4000001c 7f5a40000020 7f5a40000024 7f5a40000028 7f5a4000002c 7f5a40000030 7f5a40000034"
    " 7f5a40000038 7f5a4000003c 7f5a40000040 7f5a40000044 7f5a40000048 7f5a4000004c 7f5a40000050"
    " 7f5a40000054 7f5a40000058 7f5a4000005c 7f5a40000060 7f5a40000064 7f5a40000068 7f5a4000006c"
    " 7f5a40000070 7f5a40000074 7f5a40000078 7f5a4000007c\n"
    "0040 0000000f load_lg w4: 2 3 >5 @ 7f5a40200000 7f5a40201000 7f5a40200fc0 7f5a40202fc0\n"
    "0050 00000103 load_lg w8: 2 3 >6 7 @ 7f5a40200000 7f5a40200008 7f5b40200400\n"
    "0060 00000010 store_sh w4: 0 4 @ 40\n"
    "0070 00000000 store_lg w4: 2 3 8\n"
    "00a0 00000000 branch w0:\n"
    "00c0 ffffffff exit w0:\n";

static void all_address_modes_give_the_same_lanes(void **state)
{
    (void)state;
    reads_as(trace_header(5, GRID_1), body_of_all_modes, text_of_all_modes);
}

static void carriage_returns_are_blanks(void **state)
{
    char *unix_text, *dos = malloc(8192), *to = dos;

    (void)state;
    unix_text = malloc(8192);
    strcat(strcpy(unix_text, trace_header(5, GRID_1)), body_of_all_modes);
    for (const char *p = unix_text; *p != '\0'; p++) {
        if (*p == '\n')
            *to++ = '\r';
        *to++ = *p;
    }
    *to = '\0';
    reads_as(dos, "", text_of_all_modes);
    free(unix_text);
    free(dos);
}

static void a_file_may_end_without_a_newline(void **state)
{
    char body[4096];

    (void)state;
    strcpy(body, body_of_all_modes);
    body[strlen(body) - 2] = '\0';
    reads_as(trace_header(5, GRID_1), body, text_of_all_modes);
}

static const char short_text[] = "launch 1: _Z4testPf\n"
                                 "block 0: 0,0,0\n"
                                 "warp 1\n"
                                 "0000 ffffffff move w0: >1\n"
                                 "0010 00000003 load_lg w4: 2 3 >4 @ 100 104\n";

/* Prefixes, immediates and values that tracer versions put around the same two instructions. */
static void every_version_reads_the_same(void **state)
{
    static const struct {
        unsigned version;
        const char *header, *first, *second;
    } cases[] = {
        {1, "", "0 0 0 1 0000 ffffffff 1 R1 MOV 0 0",
         "0 0 0 1 0010 00000003 1 R4 LDG.E.SYS 1 R2 4 1 0x100 4"},
        {2, "-enable lineinfo = 0", "1 0 0 1 0000 ffffffff 1 R1 MOV 0 0 ",
         "0 0 0 1 0010 00000003 1 R4 LDG.E.SYS 1 R2 4 1 0x100 4 "},
        {3, "", "0000 ffffffff 1 R1 MOV 0 0 ", "0010 00000003 1 R4 LDG.E.SYS 1 R2 4 1 0x100 4 "},
        {3, "", "0000 ffffffff 1 R1 MOV 1 R255 0", "0010 00000003 1 R4 LDG.E.SYS 1 R2 4 2 0x100 4"},
        {4, "-enable lineinfo = 1", "12 0000 ffffffff 1 R1 MOV 0 0 ",
         "7 0010 00000003 1 R4 LDG.E.SYS 1 R2 4 1 0x100 4 "},
        {4, "", "0000 ffffffff 1 R1 MOV 0 0 5 ",
         "0010 00000003 1 R4 LDG.E.SYS 1 R2 4 0 0x0000000000000100 0x104 0 "},
        {5, "", "0000 ffffffff 1 R1 MOV 0 0 -5 7 ",
         "0010 00000003 1 R4 LDG.E.SYS 1 R2 4 1 0x100 4 0 0 "},
        {5, "", "0000 ffffffff 1 R1 MOV 0 0 0 ",
         "0010 00000003 1 R4 LDG.E.SYS 1 R2 4 1 0x100 4 0 STORE_DATA I32 1 REG0:T0:0x00000000 "
         "T1:0x40400000 "},
        {5, "", "0000 ffffffff 1 R1 MOV 0 0 STORE_DATA x",
         "0010 00000003 1 R4 LDG.E.SYS 1 R2 4 2 0x100 4 STORE_DATA I32 1"},
        {6, "", "0000 ffffffff 1 R1 MOV 0 0 0 0 NoVal ",
         "0010 00000003 1 R4 LDG.E.SYS 1 R2 4 1 0x100 4 0 0 NoVal "},
        {6, "", "0000 ffffffff 1 R1 MOV 0 0 0 0 Val 1 0xdeadbeef ",
         "0010 00000003 1 R4 LDG.E.SYS 1 R2 4 1 0x100 4 0 0 Val 1 0x5 1 0x6 "},
        {5, "", "0000  ffffffff  1  R1  MOV  0  0",
         "0010 00000003 1 R4 LDG.E.SYS 1 R2 4 2 0x100  4  0"},
        {5, "", "00000000 FFFFFFFF 1 R1 MOV 0 0 0", "10 3 1 R4 LDG.E.SYS 1 R2 4 2 0x100 4 0"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char body[1024], header[256];

        snprintf(header, sizeof(header), "%s\n" GRID_1, cases[i].header);
        snprintf(body, sizeof(body),
                 "#BEGIN_TB\n\nthread block = 0,0,0\n\nwarp = 1\ninsts = 2\n%s\n%s\n\n#END_TB\n",
                 cases[i].first, cases[i].second);
        reads_as(trace_header(cases[i].version, header), body, short_text);
    }
}

static void values_that_differ_do_not_make_new_code(void **state)
{
    (void)state;
    trace_write("k.traceg", "");
    char text[2048];

    snprintf(text, sizeof(text), "%s%s", trace_header(6, GRID_1),
             BLOCK("0,0,0", WARP("0", "3") "0000 ffffffff 1 R1 MOV 0 0 0 0 Val 1 0x1 \n"
                                           "0000 ffffffff 1 R1 MOV 0 0 0 0 Val 1 0x2 \n"
                                           "0000 ffffffff 1 R2 MOV 0 0 0 0 Val 1 0x2 \n"));
    trace_write("k.traceg", text);
    trace_reading_t r = trace_start("k.traceg");
    trace_block_t *b = trace_next(&r, 0);
    const trace_run_t *run = b->warps[0].runs;

    assert_int_equal(b->warps[0].n_runs, 2); /* one, then one and its neighbour */
    assert_ptr_equal(run[0].first, run[1].first);
    assert_int_equal(run[1].count, 2);
    assert_int_equal(run[1].first[1].dst[0].num, 2); /* the same pc, other text: other code */
    r.source->ops->free_block(r.launch, b);
    trace_stop(&r);
}

static void version_6_fields_of_asynchronous_engines_are_passed_over(void **state)
{
    (void)state;
    reads_as(
        trace_header(6, GRID_1 "-binary version = 90\n"),
        "#BEGIN_TB\nthread block = 0,0,0\ncluster id = 0,0,0\ncluster cta = 0,0,0\ncluster rank = "
        "0\n" WARP("0", "4") "0000 ffffffff 1 R24 HGMMA.64x64x16.F32 2 UR4 UP1 1 0 0 0 NoVal \n"
                             "0010 00000001 0 UTMALDG.2D 2 UR8 UR4 16 0x7f10 1 0x3 4096 0 4 "
                             "0x7f00 2 128 0 0 NoVal \n"
                             "0020 00000001 1 P0 ELECT 1 UP1 0 0 0 NoVal \n"
                             "0030 ffffffff 1 UR4 S2UR 0 0 0 0 NoVal \n#END_TB\n",
        "launch 1: _Z4testPf\nblock 0: 0,0,0\nwarp 0\n"
        "0000 ffffffff hmma w0: 268 329 >24\n"
        "0010 00000001 load_lg w0: 272 268\n"
        "0020 00000001 pred w0: 329 >256\n"
        "0030 ffffffff s2r w0: >268\n");
}

static void addresses_of_an_opcode_without_memory_are_ignored(void **state)
{
    (void)state;
    reads_as(trace_header(5, GRID_1),
             BLOCK("0,0,0", WARP("0", "2") "0000 0000000f 0 CCTL.D 1 R2 4 2 0x100 4 4 4 0 \n"
                                           "0010 ffffffff 1 R1 LDG.E.64.SYS 1 R2 0 0 \n"),
             "launch 1: _Z4testPf\nblock 0: 0,0,0\nwarp 0\n"
             "0000 0000000f membar w0: 2\n"
             "0010 ffffffff load_lg w0: 2 3 >1\n");
}

static void immediates_are_kept(void **state)
{
    char text[2048];

    (void)state;
    snprintf(text, sizeof(text), "%s%s", trace_header(5, GRID_1),
             BLOCK("0,0,0", WARP("0", "2") "0000 ffffffff 0 DEPBAR.LE 0 0 -3 \n"
                                           "0010 ffffffff 0 NOP 0 0 \n"));
    trace_write("k.traceg", text);
    trace_reading_t r = trace_start("k.traceg");
    trace_block_t *b = trace_next(&r, 0);
    const inst_t *in = b->warps[0].runs[0].first;

    assert_int_equal(in[0].imm, -3);
    assert_true(in[0].flags & INST_IMM);
    assert_false(in[1].flags & INST_IMM);
    r.source->ops->free_block(r.launch, b);
    trace_stop(&r);
}

/* --- packing --------------------------------------------------------------------------------- */

static addr_form_t form_of(const char *addresses, unsigned lanes, size_t *words)
{
    char text[4096];

    snprintf(text, sizeof(text),
             "%s" BLOCK("0,0,0", WARP("0", "1") "0000 %08x 1 R1 LDG.E 1 R2 4 %s\n"),
             trace_header(5, GRID_1), (unsigned)((1ull << lanes) - 1), addresses);
    trace_write("k.traceg", text);
    trace_reading_t r = trace_start("k.traceg");
    trace_block_t *b = trace_next(&r, 0);
    addr_form_t form = addr_form(b->warps[0].addrs);

    *words = b->warps[0].n_addr_words;
    assert_int_equal(addr_lanes(b->warps[0].addrs), lanes);
    r.source->ops->free_block(r.launch, b);
    trace_stop(&r);
    return form;
}

static void the_shortest_record_is_chosen(void **state)
{
    static const struct {
        const char *addresses;
        unsigned lanes;
        addr_form_t form;
        size_t words;
    } cases[] = {
        {"1 0x100 4 0", 32, ADDR_AFFINE, 2},
        {"1 0x100 -2147483648 0", 3, ADDR_AFFINE, 2},
        {"1 0x100 2147483648 0", 2, ADDR_LIST, 3}, /* the stride does not fit 32 bits */
        {"2 0x100 0", 1, ADDR_AFFINE, 2},
        {"2 0x100 8 8 8 0", 4, ADDR_AFFINE, 2},
        {"2 0x100 8 8 9 0", 4, ADDR_DELTA, 4},
        {"2 0x100 8 9 0", 3, ADDR_DELTA, 4},
        {"2 0x100 2147483647 -1 0", 3, ADDR_DELTA, 4},
        {"2 0x100 2147483648 -1 0", 3, ADDR_LIST, 4},
        {"2 0xfffffffffffffff0 32 8 0", 3, ADDR_DELTA, 4}, /* wraps around */
        {"0 0x100 0x104 0x108 0", 3, ADDR_AFFINE, 2},
        {"0 0x100 0x104 0x10c 0", 3, ADDR_DELTA, 4},
        {"0 0x100 0x7f0000000000 0", 2, ADDR_LIST, 3},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        size_t words;

        assert_int_equal(form_of(cases[i].addresses, cases[i].lanes, &words), cases[i].form);
        assert_int_equal(words, cases[i].words);
    }
}

static void straight_code_under_one_mask_is_one_run(void **state)
{
    enum { LENGTH = 200000, CODE = 1000 };
    char *text = malloc(LENGTH * 48 + 4096), *to = text;
    uint64_t insts = 0;

    (void)state;
    to += sprintf(to, "%s#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = %d\n",
                  trace_header(5, GRID_1), LENGTH);
    for (unsigned i = 0; i < LENGTH; i++)
        to += sprintf(to, "%04x ffffffff 1 R1 MOV 0 0 %u \n", i % CODE * 16, i % CODE);
    sprintf(to, "#END_TB\n");
    trace_write("k.traceg", text);
    trace_reading_t r = trace_start("k.traceg");
    trace_block_t *b = trace_next(&r, 0);

    /* A loop body of 1000 instructions: one run per iteration, and one more for each page of
     * code. */
    assert_in_range(b->warps[0].n_runs, LENGTH / CODE, 5 * LENGTH / CODE);
    for (uint32_t i = 0; i < b->warps[0].n_runs; i++)
        for (unsigned k = 0; k < b->warps[0].runs[i].count; k++, insts++) {
            assert_int_equal(b->warps[0].runs[i].first[k].pc, insts % CODE * 16);
            assert_int_equal(b->warps[0].runs[i].first[k].imm, (int)(insts % CODE));
        }
    assert_int_equal(insts, LENGTH);
    r.source->ops->free_block(r.launch, b);
    trace_stop(&r);
    free(text);
}

static void a_loop_of_one_instruction_is_not_one_run(void **state)
{
    (void)state;
    reads_as(trace_header(5, GRID_1),
             BLOCK("0,0,0", WARP("0", "3") "0000 ffffffff 0 BRA 0 0 0 \n"
                                           "0000 ffffffff 0 BRA 0 0 0 \n"
                                           "0000 0000ffff 0 BRA 0 0 0 \n"),
             "launch 1: _Z4testPf\nblock 0: 0,0,0\nwarp 0\n0000 ffffffff branch w0:\n"
             "0000 ffffffff branch w0:\n0000 0000ffff branch w0:\n");
}

static void an_unknown_opcode_is_named_in_one_warning(void **state)
{
    (void)state;
    trace_capture_stderr();
    reads_as(trace_header(5, GRID_1),
             BLOCK("0,0,0", WARP("0", "2") "0000 ffffffff 1 R1 QUUX.E.64 1 R2 4 1 0x100 4 0 \n"
                                           "0010 ffffffff 1 R1 QUUX.U8 1 R2 0 0 \n"),
             "launch 1: _Z4testPf\nblock 0: 0,0,0\nwarp 0\n0000 ffffffff unknown w0: 2 >1\n"
             "0010 ffffffff unknown w0: 2 >1\n");
    char *said = trace_captured();
    const char *warning = strstr(said, "opcode QUUX is unknown");

    assert_non_null(warning);
    assert_null(strstr(warning + strlen("opcode QUUX"), "QUUX"));
    free(said);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_header_becomes_the_launch_info),
        cmocka_unit_test(an_unknown_stream_is_one_of_its_own),
        cmocka_unit_test(launches_of_the_same_name_and_architecture_share_their_code_id),
        cmocka_unit_test(names_may_be_long_and_hold_blanks),
        cmocka_unit_test(all_address_modes_give_the_same_lanes),
        cmocka_unit_test(carriage_returns_are_blanks),
        cmocka_unit_test(a_file_may_end_without_a_newline),
        cmocka_unit_test(every_version_reads_the_same),
        cmocka_unit_test(values_that_differ_do_not_make_new_code),
        cmocka_unit_test(version_6_fields_of_asynchronous_engines_are_passed_over),
        cmocka_unit_test(addresses_of_an_opcode_without_memory_are_ignored),
        cmocka_unit_test(immediates_are_kept),
        cmocka_unit_test(the_shortest_record_is_chosen),
        cmocka_unit_test(straight_code_under_one_mask_is_one_run),
        cmocka_unit_test(a_loop_of_one_instruction_is_not_one_run),
        cmocka_unit_test(an_unknown_opcode_is_named_in_one_warning),
    };

    return cmocka_run_group_tests(tests, trace_folder_create, trace_folder_remove);
}
