/* Damaged and absurd kernel files: each gives one message that names file and line. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/input/accelsim/accelsim.h"
#include "tests/support/test.h"
#include "tests/support/trace/trace_files.h"

#define ONE_INST "0000 ffffffff 1 R1 MOV 0 0 0 \n"

typedef struct {
    const char *header, *body, *part;
} hostile_case_t;

/* The file must be refused with a message that begins with its name and contains part. */
static void is_refused(const char *text, size_t n, const char *part)
{
    char start[256];

    trace_write_bytes("k.traceg", text, n);
    snprintf(start, sizeof(start), "error %d: %s:", (int)RB_TRACE, trace_path("k.traceg"));
    char *got = trace_text(trace_path("k.traceg"), 0), *error = strstr(got, "error ");

    if (error == NULL || strncmp(error, start, strlen(start)) != 0 || strstr(error, part) == NULL)
        fail_msg("'%s' does not say '%s'", got, part);
    free(got);
}

static void are_refused(const hostile_case_t *cases, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        char text[8192];

        snprintf(text, sizeof(text), "%s%s", trace_header(5, cases[i].header), cases[i].body);
        is_refused(text, strlen(text), cases[i].part);
    }
}

/* Line 13 is the first that a case adds. */
static void absurd_headers_are_refused(void **state)
{
    static const hostile_case_t cases[] = {
        {"-grid dim = (0,1,1)", "", ":13: -grid dim = (0,1,1): each dimension must lie between"},
        {"-grid dim = (2147483648,1,1)", "", ":13:"},
        {"-grid dim = (4294967295,4294967295,4294967295)", "", "must lie between 1 and 2147483647"},
        {"-grid dim = (2147483647,2147483647,2147483647)", "", "no GPU supports this many blocks"},
        {"-grid dim = (1048576,1048577,1)", "", "no GPU supports this many blocks"},
        {"-grid dim = (-1,1,1)", "", "three numbers as in (1,1,1) are expected"},
        {"-grid dim = (1,1)", "", "three numbers"},
        {"-grid dim = 1,1,1", "", "three numbers"},
        {"-grid dim = (1,1,1) x", "", "three numbers"},
        {"-grid dim = (99999999999999999999,1,1)", "", "three numbers"},
        {"-block dim = (0,1,1)", "", "each dimension"},
        {"-block dim = (1025,1,1)", "", "a block has at most 1024 threads"},
        {"-block dim = (33,32,1)", "", "a block has at most 1024 threads"},
        {"-block dim = (2147483647,2147483647,4)", "", "a block has at most 1024 threads"},
        {"-nregs = 21955", "", ":13: -nregs = 21955: a thread has at most 255 registers"},
        {"-nregs = -1", "", "a whole number is expected"},
        {"-nregs = 16 of them", "", "a whole number is expected"},
        {"-shmem = 99999999", "", "no SM has that much shared memory"},
        {"-binary version = 0", "", ":13: -binary version = 0: unsupported architecture"},
        {"-binary version = 61", "", "unsupported architecture"},
        {"-binary version = 120", "", "unsupported architecture"},
        {"-binary version = 18446744073709551616", "", "a whole number is expected"},
        {"-accelsim tracer version = 7", "", "versions 1 to 6 are supported"},
        {"-accelsim tracer version = new", "", "a version number is expected"},
        {"-enable lineinfo = 2", "", "0 or 1 is expected"},
        {"-shmem base_addr = 7f00", "", "an address such as"},
        {"-shmem base_addr = 0x10000000000000000", "", "an address such as"},
        {"-cuda stream id = x", "", "a whole number is expected"},
        {"-nonsense", "", ":13: '-key = value' is expected"},
    };

    (void)state;
    are_refused(cases, sizeof(cases) / sizeof(cases[0]));
}

static void incomplete_headers_are_refused(void **state)
{
    static const struct {
        const char *text, *part;
    } cases[] = {
        {"", "k.traceg: the file is empty"},
        {"\n\n", "it ends inside the header"},
        {"-kernel name = x\n", ":2: the file is truncated"},
        {"#\n",
         ":1: this is not a kernel file of an Accel-Sim trace: the header ends here without a "
         "line '-kernel name = ...'"},
        {"-kernel name = x\n#\n", "without a line '-grid dim = ...'"},
        {"-kernel name = x\n-grid dim = (1,1,1)\n#\n", "without a line '-block dim = ...'"},
        {"-kernel name = x\n-grid dim = (1,1,1)\n-block dim = (1,1,1)\n#\n",
         ":4: the header ends here without a line '-binary version = ...'"},
        {"hello\n", "without a line '-kernel name = ...'"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        is_refused(cases[i].text, strlen(cases[i].text), cases[i].part);
}

static void overlong_names_and_lines_are_refused(void **state)
{
    enum { LONG = 2 << 20 };
    char *text = malloc(LONG + 1);

    (void)state;
    memset(text, 'x', LONG);
    memcpy(text, "-kernel name = ", 15);
    is_refused(text, LONG, ":1: this line is longer than 1 MiB");
    text[(64 << 10) + 16] = '\n';
    is_refused(text, LONG, ":1: -kernel name = ");
    is_refused(text, LONG, "the name is longer than 64 KiB");
    memset(text, '\n', LONG);
    is_refused(text, LONG, "the header does not end");
    free(text);
}

/* The body begins at line 16. */
#define BEGIN      "#BEGIN_TB\nthread block = 0,0,0\n"
#define WARP0      "warp = 0\ninsts = 1\n"
#define INST(text) BEGIN WARP0 text "\n#END_TB\n"

static void malformed_blocks_are_refused(void **state)
{
    static const hostile_case_t cases[] = {
        {"", "hello\n", ":16: #BEGIN_TB is expected, not 'hello'"},
        {"", "#END_TB\n", "#BEGIN_TB is expected"},
        {"", "#BEGIN_TB\n", ":17: the file is truncated: it ends at #BEGIN_TB"},
        {"", "#BEGIN_TB\nwarp = 0\n", ":17: 'thread block = x,y,z' is expected"},
        {"", "#BEGIN_TB\nthread block = 0,0\n", "'thread block = x,y,z' is expected"},
        {"", "#BEGIN_TB\nthread block 0,0,0\n", "'thread block = x,y,z' is expected"},
        {"", "#BEGIN_TB\nthread block = 2,0,0\n",
         ":17: a thread block outside the grid of (2,1,1)"},
        {"", BEGIN, ":18: the file is truncated: it ends inside thread block 0,0,0"},
        {"", BEGIN "hello\n", ":18: 'warp = number' or #END_TB is expected, not 'hello'"},
        {"", BEGIN "#BEGIN_TB\n", "or #END_TB is expected, not '#BEGIN_TB'"},
        {"", BEGIN "warp = 2\n", ":19: warp 2: a block has 2 warps"},
        {"", BEGIN "warp = x\n", ":18: 'warp = number' is expected"},
        {"", BEGIN "warp 0\n", "'warp = number' is expected"},
        {"", BEGIN "warp = 0\n" ONE_INST, ":19: 'insts = number' is expected after 'warp = 0'"},
        {"", BEGIN "warp = 0\n", ":19: the file is truncated: it ends inside thread block"},
        {"", BEGIN "warp = 0\ninsts = -1\n", "'insts = number' is expected"},
        {"", BEGIN "warp = 0\ninsts = 1099511627776\n", "1099511627776 instructions is impossible"},
        {"", BEGIN "warp = 0\ninsts = 1099511627775\n" ONE_INST "#END_TB\n",
         ":21: warp 0 of thread block 0,0,0 declares 1099511627775 instructions, but only 1 "
         "follow"},
        {"", BEGIN "warp = 0\ninsts = 2\n" ONE_INST "\n" ONE_INST, ":21: warp 0 of thread block"},
        {"", BEGIN "warp = 0\ninsts = 2\n" ONE_INST "warp = 1\n",
         "declares 2 instructions, but only"},
        {"", BEGIN "warp = 0\ninsts = 2\n" ONE_INST, ":21: the file is truncated"},
        {"", BEGIN WARP0 ONE_INST ONE_INST "#END_TB\n",
         ":21: more than the 1 instructions that warp 0 of thread block 0,0,0 declares"},
        {"", BEGIN WARP0 ONE_INST "\n\n" ONE_INST "#END_TB\n", ":23: more than the 1 instructions"},
        {"", BEGIN WARP0 ONE_INST WARP0 ONE_INST "#END_TB\n",
         ":22: warp 0 of thread block 0,0,0 appears a second time"},
        {"", BEGIN "#END_TB\n" BEGIN "#END_TB\n", ":20: thread block 0,0,0 appears a second time"},
        {"-grid dim = (1,1,1)", BEGIN "#END_TB\n" BEGIN "#END_TB\n",
         ":19: more thread blocks than the grid of (1,1,1) has"},
        {"-grid dim = (1,1,1)", BEGIN "#END_TB\nhello\n",
         ":19: #BEGIN_TB is expected, not 'hello'"},
    };

    (void)state;
    are_refused(cases, sizeof(cases) / sizeof(cases[0]));
}

static void malformed_instructions_are_refused(void **state)
{
    static const hostile_case_t cases[] = {
        {"", INST("0000"), ":20: an instruction is expected, beginning with its pc"},
        {"", INST("00000000g ffffffff 0 NOP 0 0"), "beginning with its pc"},
        {"", INST("100000000 ffffffff 0 NOP 0 0"), "beginning with its pc"},
        {"", INST("0000 1ffffffff 0 NOP 0 0"), "the active mask is missing or malformed"},
        {"", INST("0000 xyz 0 NOP 0 0"), "the active mask is missing or malformed"},
        {"", INST("0000 ffffffff"), "the active mask is missing or malformed"},
        {"", INST("0000 ffffffff "), "the number of destination registers is missing"},
        {"", INST("0000 ffffffff 4 R1 R2 R3 R4 NOP 0 0"), "4 destination registers: at most 3"},
        {"", INST("0000 ffffffff 1 NOP 0 0"), "'NOP' is not a destination register"},
        {"", INST("0000 ffffffff 1 R256 NOP 0 0"), "'R256' is not a destination register"},
        {"", INST("0000 ffffffff 1 UR64 NOP 0 0"), "'UR64' is not a destination register"},
        {"", INST("0000 ffffffff 1 P8 NOP 0 0"), "'P8' is not a destination register"},
        {"", INST("0000 ffffffff 1 R1x NOP 0 0"), "'R1x' is not a destination register"},
        {"", INST("0000 ffffffff 0"), "'' is not an opcode"},
        {"", INST("0000 ffffffff 0 nop 0 0"), "'nop' is not an opcode"},
        {"", INST("0000 ffffffff 0 N\001P 0 0"), "is not an opcode"},
        {"", INST("0000 ffffffff 0 NOP"), "the number of source registers is missing"},
        {"", INST("0000 ffffffff 0 NOP 9 R1 R1 R1 R1 R1 R1 R1 R1 R1 0"),
         "9 source registers: at most 8"},
        {"", INST("0000 ffffffff 0 NOP 2 R1 0 0"), "'0' is not a source register"},
        {"", INST("0000 ffffffff 0 NOP 0"), "the memory width is missing"},
        {"", INST("0000 ffffffff 0 NOP 0 0x"), "the memory width is missing"},
        {"", INST("0000 ffffffff 0 NOP 0 2000 1 0x0 0"), "a memory width of 2000 bytes"},
        {"", INST("0000 ffffffff 0 NOP 0 0 5x"), "malformed immediate"},
        {"", INST("0000 ffffffff 0 NOP 0 0 1234567890123456789"), "malformed immediate"},
        {"", INST("0000 ffffffff 0 NOP 0 0 1 2 3"), "unexpected '3' behind the instruction"},
        {"", INST("0000 ffffffff 0 NOP 0 0 garbage"), "unexpected 'garbage'"},
        {"-enable lineinfo = 1", INST("0000 ffffffff 0 NOP 0 0"), "registers is missing"},
        {"-enable lineinfo = 1", INST("abcd ffffffff 0 NOP 0 0"), "1 numbers are expected before"},
        {"-accelsim tracer version = 2", INST("0 0 x 0 0000 ffffffff 0 NOP 0 0"),
         "4 numbers are expected before the pc"},
    };

    (void)state;
    are_refused(cases, sizeof(cases) / sizeof(cases[0]));
}

#define LOAD(mask, text) INST("0000 " mask " 1 R4 LDG.E 1 R2 4" text)

static void malformed_addresses_are_refused(void **state)
{
    static const hostile_case_t cases[] = {
        {"", LOAD("ffffffff", ""), ":20: the addresses are missing"},
        {"", LOAD("ffffffff", " 3 0x100 4 0"), "the address mode is not 0, 1 or 2"},
        {"", LOAD("ffffffff", " 0x100 4 0"), "the address mode is not 0, 1 or 2"},
        {"", LOAD("ffffffff", " 1"), "the address mode is not 0, 1 or 2"},
        {"", LOAD("ffffffff", " 1 100 4 0"), "the base address is missing or malformed"},
        {"", LOAD("ffffffff", " 1 0x10000000000000000 4 0"), "the base address is missing"},
        {"", LOAD("ffffffff", " 1 0x100"), "the stride is missing or malformed"},
        {"", LOAD("ffffffff", " 1 0x100 x"), "the stride is missing or malformed"},
        {"", LOAD("ffffffff", " 1 0x100 4z 0"), "an address is malformed"},
        {"", LOAD("ffffffff", " 1 0x100 4 0 0 0"), "unexpected text behind the addresses"},
        {"", LOAD("ffffffff", " 1 0x100 4 5z"), "an immediate is malformed"},
        {"", LOAD("ffffffff", " 1 0x100 4 hello"), "unexpected text behind the addresses"},
        {"", LOAD("0000000f", " 2 0x100 4 4"), "an address difference is missing or malformed"},
        {"", LOAD("0000000f", " 2 0x100 4 4 x"), "an address difference is missing or malformed"},
        {"", LOAD("0000000f", " 2 0x100 4 4 9999999999999999999"), "an address difference"},
        {"", LOAD("0000000f", " 2 0x100 4 4 - 4"), "an address difference"},
        {"", LOAD("00000003", " 0 0x100"), "one for each active lane is needed"},
        {"", LOAD("00000003", " 0 0x100 104"), "one for each active lane is needed"},
        {"", LOAD("00000001", " 0 0x100g"), "an address is malformed"},
    };

    (void)state;
    are_refused(cases, sizeof(cases) / sizeof(cases[0]));
}

static void after_an_error_the_launch_stays_failed(void **state)
{
    char text[4096];
    trace_block_t *b;

    (void)state;
    snprintf(text, sizeof(text),
             "%s" BEGIN "hello\n#END_TB\n#BEGIN_TB\nthread block = 1,0,0\n#END_TB\n",
             trace_header(5, ""));
    trace_write("k.traceg", text);
    trace_reading_t r = trace_start("k.traceg");

    for (uint64_t k = 0; k < 2; k++) {
        rb_err_t err = {0};

        assert_int_equal(r.source->ops->get_block(r.launch, k, &b, &err), RB_TRACE);
        assert_non_null(strstr(err.text, ":18: 'warp = number'"));
        assert_null(b);
    }
    trace_stop(&r);
}

static void skipped_blocks_are_not_parsed_but_must_end(void **state)
{
    char text[4096];
    trace_block_t *b;
    rb_err_t err = {0};

    (void)state;
    snprintf(text, sizeof(text),
             "%s" BEGIN "hello\n#END_TB\n#BEGIN_TB\nthread block = 1,0,0\nwarp = 0\ninsts = 1\n",
             trace_header(5, ""));
    trace_write("k.traceg", text);
    trace_reading_t r = trace_start("k.traceg");

    assert_int_equal(r.source->ops->get_block(r.launch, 1, &b, &err), RB_TRACE);
    assert_non_null(
        strstr(err.text, ":24: the file is truncated: it ends inside thread block 1,0,0"));
    trace_stop(&r);
    r = trace_start("k.traceg");
    err = (rb_err_t){0};
    assert_int_equal(r.source->ops->get_block(r.launch, 2, &b, &err), RB_TRACE);
    assert_non_null(strstr(err.text, ":24: the file is truncated: it ends inside a thread block"));
    trace_stop(&r);
}

/* Also among skipped blocks, anywhere in a large grid. */
static void a_block_that_stands_twice_is_found_among_many(void **state)
{
    enum { BLOCKS = 3000, TEXT = 64 * BLOCKS };
    static const struct {
        const char *dim;
        unsigned step; /* distance between block numbers in the grid */
    } grids[] = {{"(40,30,40)", 1}, {"(40,30,40)", 16}, {"(10000,1000,1000)", 3333331}};
    char *text = malloc(TEXT), more[64];
    trace_block_t *b;

    (void)state;
    for (size_t g = 0; g < sizeof(grids) / sizeof(grids[0]); g++) {
        unsigned x, y, z, twice = 1234;
        int n;

        snprintf(more, sizeof(more), "-grid dim = %s", grids[g].dim);
        n = snprintf(text, TEXT, "%s", trace_header(5, more));
        sscanf(grids[g].dim, "(%u,%u,%u)", &x, &y, &z);
        for (unsigned i = 0; i <= BLOCKS; i++) {
            unsigned long long at = (unsigned long long)(i < BLOCKS ? i : twice) * grids[g].step;

            n += snprintf(text + n, (size_t)(TEXT - n),
                          "#BEGIN_TB\nthread block = %llu,%llu,%llu\n#END_TB\n", at % x, at / x % y,
                          at / x / y);
        }
        trace_write("k.traceg", text);
        for (uint64_t first = 0; first <= BLOCKS; first += BLOCKS) {
            trace_reading_t r = trace_start("k.traceg");
            rb_code_t code = RB_OK;
            rb_err_t err = {0};
            uint64_t k = first;

            for (; code == RB_OK && k <= BLOCKS; k++) {
                code = r.source->ops->get_block(r.launch, k, &b, &err);
                r.source->ops->free_block(r.launch, b);
            }
            assert_int_equal(code, RB_TRACE);
            assert_int_equal(k, BLOCKS + 1);
            assert_non_null(strstr(err.text, ":9017: thread block "));
            assert_non_null(strstr(err.text, " appears a second time"));
            trace_stop(&r);
        }
    }
    free(text);
}

/* A file that is cut anywhere gives an error or a prefix of its blocks; zero bytes there do not
 * matter. */
static void a_truncated_trace_is_refused_or_shorter(void **state)
{
    char text[4096], *whole;

    (void)state;
    snprintf(text, sizeof(text),
             "%s" BEGIN WARP0
             "0000 0000000f 1 R5 LDG.E.SYS 1 R2 4 2 0x7f5a40200000 4096 -64 8192 0 \n"
             "warp = 1\ninsts = 2\n" ONE_INST "0010 ffffffff 0 EXIT 0 0 0 \n#END_TB\n\n"
             "#BEGIN_TB\n\nthread block = 1,0,0\n" WARP0 ONE_INST "#END_TB\n",
             trace_header(5, ""));
    trace_write("k.traceg", text);
    whole = trace_text(trace_path("k.traceg"), 0);
    assert_null(strstr(whole, "error"));
    trace_capture_stderr();
    unsigned refused = 0, shorter = 0;

    for (size_t n = 0; n < strlen(text); n++) {
        trace_write_bytes("k.traceg", text, n);
        char *got = trace_text(trace_path("k.traceg"), 0), *error = strstr(got, "error 3: ");

        if (error != NULL) {
            *error = '\0';
            refused++;
        } else {
            shorter++;
        }
        if (strncmp(whole, got, strlen(got)) != 0)
            fail_msg("cut at %zu: '%s'", n, got);
        free(got);
    }
    free(trace_captured());
    assert_true(refused > strlen(text) * 9 / 10 && shorter > 0);
    free(whole);
}

static void bytes_of_zero_are_no_text(void **state)
{
    char text[4096];

    (void)state;
    int n = snprintf(text, sizeof(text), "%s" INST("0000 ffffffff 0 NOP 0 0"), trace_header(5, ""));

    for (int at = 0; at < n; at++) {
        char kept = text[at];

        text[at] = '\0';
        trace_write_bytes("k.traceg", text, (size_t)n);
        free(trace_text(trace_path("k.traceg"), 0));
        text[at] = kept;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(absurd_headers_are_refused),
        cmocka_unit_test(incomplete_headers_are_refused),
        cmocka_unit_test(overlong_names_and_lines_are_refused),
        cmocka_unit_test(malformed_blocks_are_refused),
        cmocka_unit_test(malformed_instructions_are_refused),
        cmocka_unit_test(malformed_addresses_are_refused),
        cmocka_unit_test(after_an_error_the_launch_stays_failed),
        cmocka_unit_test(skipped_blocks_are_not_parsed_but_must_end),
        cmocka_unit_test(a_block_that_stands_twice_is_found_among_many),
        cmocka_unit_test(a_truncated_trace_is_refused_or_shorter),
        cmocka_unit_test(bytes_of_zero_are_no_text),
    };

    return cmocka_run_group_tests(tests, trace_folder_create, trace_folder_remove);
}
