/* MacSim traces: records of small artificial traces. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/input/macsim/macsim.h"
#include "frontend/input/macsim/macsim_addr.h"
#include "frontend/input/macsim/macsim_opcode.h"
#include "sim/isa/isa.h"
#include "tests/support/input/macsim_files.h"
#include "tests/support/temp_folder.h"
#include "tests/support/test.h"
#include "tests/support/trace/trace_files.h"

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
    EXIT = 139,
};

/* --- records ---------------------------------------------------------------------------------- */

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

/* Writes one warp of records as launch 1 and returns the launch that is read. */
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
        with_regs(macsim_op(ISETP, 0x00, 0xff), 0, 4, setp),
        with_regs(macsim_op(SEL, 0x10, 0xff), 0, 3, sel),
        with_regs(macsim_op(SHFL, 0x20, 0xff), 7, 3, shfl),
        with_regs(macsim_op(FFMA, 0x30, 0xff), 0, 3, fma),
        with_regs(macsim_op(UIADD3, 0x40, 0xff), 6, 3, uni),
        with_regs(macsim_op(DMUL, 0x50, 0xff), 6, 2, pair),
        with_regs(macsim_op(ATOMG, 0x60, 0xff), 7, 2, atom),
        with_regs(macsim_op(EXIT, 0x70, 0xff), -1, 255, NULL),
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
    const macsim_record_t records[] = {macsim_op(255, 0, 1), macsim_op(255, 16, 1),
                                       macsim_op(206, 32, 1)};

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
    const macsim_record_t records[] = {
        at(macsim_op(LDG, 0, 0xf), 0x1000, 4, false), at(macsim_op(STG, 16, 0x3), 0x1080, 8, false),
        at(macsim_op(LDS, 32, 0x1), 0, 16, false), macsim_op(LDG, 48, 0)};

    (void)state;
    reads_as(records, 4,
             "0000 0000000f load_lg w4: @ 1000 1004 1008 100c\n"
             "0010 00000003 store_lg w8: @ 1080 1088\n"
             "0020 00000001 load_sh w16: @ 0\n"
             "0030 00000000 load_lg w4:\n");
}

/* 16 bytes for each of 8 lanes in two lines; 4 lanes in 4 lines; the size of the parent record
 * is multiplied. */
static void further_lines_belong_to_the_instruction_before(void **state)
{
    const macsim_record_t records[] = {
        at(macsim_op(LDG, 0, 0xff), 0x1000, 32, false),
        at(macsim_op(LDG, 0, 0xff), 0x1080, 16, true),
        at(macsim_op(LDG, 16, 0xf), 0x2000, 16, false),
        at(macsim_op(LDG, 16, 0xf), 0x3000, 16, true),
        at(macsim_op(LDG, 16, 0xf), 0x4000, 16, true),
        at(macsim_op(LDG, 16, 0xf), 0x8000, 16, true),
        at(macsim_op(LDG, 16, 0x1), 0x2000, 4, false),
    };

    (void)state;
    reads_as(records, 7,
             "0000 000000ff load_lg w16: @ 1000 1010 1020 1030 10c0 10d0 10e0 10f0\n"
             "0010 0000000f load_lg w4: @ 2000 3004 4008 800c\n"
             "0010 00000001 load_lg w4: @ 2000\n");
}

/* A full warp of doubles does not fit in one line: the record has the address of the first lane. */
static void old_tracers_give_the_first_lanes_address(void **state)
{
    macsim_record_t records[] = {at(macsim_op(LDG, 0, 0xffffffff), 0x1000, 8, false),
                                 at(macsim_op(LDG, 16, 0x7), 0x1040, 4, false)};
    char *got = read_warp(records, 2);

    (void)state;
    assert_non_null(strstr(got, "w8: @ 1000 1008 1010 1018"));
    assert_non_null(strstr(got, " 10f0 10f8\n"));
    assert_non_null(strstr(got, "w4: @ 1040 1044 1048\n"));
    free(got);
}

/* Span of 3 lines between 4 lanes: 128 bytes apart. With 32 records, each is one lane. */
static void old_tracers_fill_the_span_with_lines(void **state)
{
    macsim_record_t records[34];

    (void)state;
    for (unsigned i = 0; i < 3; i++)
        records[i] = at(macsim_op(LDG, 0, 0xf0), 0x1010 + i * 128, 4, false);
    reads_as(records, 3, "0000 000000f0 load_lg w4: @ 1010 1090 1110 1190\n");
    for (unsigned i = 0; i < 32; i++)
        records[i] = at(macsim_op(LDG, 0, 0xc), i * i * 0x1001, 4, false);
    records[32] = macsim_op(FADD, 16, 1);
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
        macsim_access_t a = {.first = macsim_op(LDG, 0, 1),
                             .n = cases[i].lines,
                             .flagged = true,
                             .further_size = (uint8_t)cases[i].further};

        a.first.mem_access_size = (uint8_t)cases[i].size;
        assert_int_equal(macsim_access_width(&a), cases[i].width);
    }
}

/* For any lines, the lanes access exactly these, if there are enough lanes. */
static void lanes_touch_the_lines_that_are_given(void **state)
{
    uint64_t lines[32], addr[32];

    (void)state;
    for (unsigned n = 1; n <= 32; n++)
        for (unsigned lanes = n; lanes <= 32; lanes++)
            for (unsigned width = 1; width <= 16; width *= 2) {
                macsim_access_t a = {.first = macsim_op(LDG, 0, (uint32_t)((1ull << lanes) - 1)),
                                     .addrs = lines,
                                     .n = n,
                                     .flagged = true};
                uint64_t seen = 0;

                if (n == 1 && lanes * width > MACSIM_LINE)
                    continue; /* cannot be distinguished from the address of the first lane */
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
    const macsim_record_t records[] = {macsim_op(ATOMG, 0, 1),
                                       at(macsim_op(ATOMG, 16, 1), 0x1000, 4, false)};

    (void)state;
    reads_as(records, 2, "0000 00000001 atom_lg w0:\n0010 00000001 atom_lg w4: @ 1000\n");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, quiet_folder_create, quiet_folder_remove)
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
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
