/* Raw traces, whose lines interleave blocks, are grouped and then read like grouped traces. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "frontend/input/accelsim/accelsim.h"
#include "tests/support/test.h"
#include "tests/support/trace/trace_files.h"

enum { RAW_BLOCKS = 12, RAW_WARPS = 4, RAW_INSTS = 40 };

static const char raw_header[] = "-grid dim = (3,2,2)\n-block dim = (128,1,1)\n";

static void print_raw_inst(char *to, unsigned block, unsigned warp, unsigned i, bool line)
{
    if (line)
        to += sprintf(to, "%u ", 100 + i);
    if (i % 5 == 4)
        sprintf(to, "%04x ffffffff 1 R4 LDG.E.SYS 1 R2 4 1 0x%x 4 0 \n", i * 16,
                block * 4096 + warp * 128);
    else
        sprintf(to, "%04x ffffffff 1 R%u MOV 0 0 %u \n", i * 16, i, i);
}

/* The same launch grouped and raw; the raw lines interleave warps but keep each warp's order. */
static void write_both(const char *more, unsigned ids, bool line)
{
    char header[256], *grouped = malloc(1 << 20), *raw = malloc(1 << 20), *g = grouped, *r = raw;
    unsigned next[RAW_BLOCKS][RAW_WARPS] = {{0}};
    uint32_t random = 12345;

    snprintf(header, sizeof(header), "%s%s", raw_header, more);
    g += sprintf(g, "%s", trace_header(5, header));
    r += sprintf(r, "%s", trace_header(5, header));
    for (unsigned b = 0; b < RAW_BLOCKS; b++) {
        g += sprintf(g, "#BEGIN_TB\nthread block = %u,%u,%u\n", b % 3, b / 3 % 2, b / 6);
        for (unsigned w = 0; w < RAW_WARPS; w++) {
            g += sprintf(g, "warp = %u\ninsts = %d\n", w, RAW_INSTS);
            for (unsigned i = 0; i < RAW_INSTS; i++) {
                print_raw_inst(g, b, w, i, line);
                g += strlen(g);
            }
        }
        g += sprintf(g, "#END_TB\n");
    }
    for (unsigned left = RAW_BLOCKS * RAW_WARPS * RAW_INSTS; left > 0;) {
        random = random * 1664525 + 1013904223;
        unsigned b = (random >> 8) % RAW_BLOCKS, w = (random >> 20) % RAW_WARPS;

        if (next[b][w] == RAW_INSTS)
            continue;
        r += sprintf(r, "%u %u %u %u ", b % 3, b / 3 % 2, b / 6, w);
        if (ids == 6)
            r += sprintf(r, "%u %u ", b, w + 16);
        print_raw_inst(r, b, w, next[b][w]++, line);
        r += strlen(r);
        left--;
    }
    trace_write("grouped.traceg", grouped);
    trace_write("raw.trace", raw);
    free(grouped);
    free(raw);
}

static void a_raw_trace_reads_as_its_grouped_form(void **state)
{
    static const struct {
        const char *more;
        unsigned ids;
        bool line;
        size_t bytes; /* memory for sorting: many runs that are merged several times, or none */
    } cases[] = {
        {"", 4, false, 0},     {"-enable lineinfo = 1\n", 4, true, 0},
        {"", 6, false, 0},     {"-enable lineinfo = 1\n", 6, true, 20000},
        {"", 4, false, 64000}, {"", 4, false, 2000},
        {"", 4, false, 1},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        write_both(cases[i].more, cases[i].ids, cases[i].line);
        char *expected = trace_text(trace_path("grouped.traceg"), 0);
        char *got = trace_text(trace_path("raw.trace"), cases[i].bytes);

        assert_non_null(strstr(expected, "block 11"));
        assert_null(strstr(expected, "error"));
        assert_string_equal(got, expected);
        free(expected);
        free(got);
    }
}

static void nothing_is_left_in_the_temporary_folder(void **state)
{
    char folder[256];

    (void)state;
    snprintf(folder, sizeof(folder), "%s/tmp", trace_folder());
    assert_int_equal(mkdir(folder, 0700), 0);
    write_both("", 4, false);
    rb_err_t err = {0};
    accelsim_options_t opts = {.tmpdir = folder, .sort_bytes = 2000};
    trace_source_t *s = accelsim_open(trace_path("raw.trace"), &opts, &err);
    trace_launch_t *l;

    assert_int_equal(s->ops->open(s, 1, &l, &err), RB_OK);
    assert_int_equal(rmdir(folder), 0); /* empty even while they are used */
    s->ops->close(l);
    assert_int_equal(s->ops->open(s, 1, &l, &err), RB_IO);
    assert_non_null(strstr(err.text, "No such file or directory while grouping"));
    s->ops->destroy(s);
}

static char *raw_text(const char *more, const char *body)
{
    char text[4096];

    snprintf(text, sizeof(text), "%s%s", trace_header(5, more), body);
    trace_write("raw.trace", text);
    return trace_text(trace_path("raw.trace"), 0);
}

static void of_the_two_lines_of_ldgsts_the_second_counts(void **state)
{
    char *text = raw_text("-binary version = 80\n",
                          "0 0 0 0 0000 00000001 0 LDGSTS.E.128 2 R1 R2 16 2 0x40 0 \n"
                          "0 0 0 1 0000 00000001 0 LDGSTS.E.128 2 R1 R2 16 2 0x44 0 \n"
                          "0 0 0 0 0000 00000001 0 LDGSTS.E.128 2 R1 R2 16 2 0x7000 0 \n"
                          "0 0 0 1 0000 00000001 0 LDGSTS.E.128 2 R1 R2 16 2 0x7044 0 \n"
                          "0 0 0 0 0000 00000001 0 LDGSTS.E.128 2 R1 R2 16 2 0x80 0 \n"
                          "0 0 0 0 0000 00000001 0 LDGSTS.E.128 2 R1 R2 16 2 0x8000 0 \n");

    (void)state;
    assert_string_equal(text, "launch 1: _Z4testPf\nblock 0: 0,0,0\nwarp 0\n"
                              "0000 00000001 load_lg w16: 1 2 3 @ 7000\n"
                              "0000 00000001 load_lg w16: 1 2 3 @ 8000\n"
                              "warp 1\n0000 00000001 load_lg w16: 1 2 3 @ 7044\n");
    free(text);
}

static void errors_of_a_raw_trace_name_its_lines(void **state)
{
    static const struct {
        const char *body, *part;
    } cases[] = {
        {"0 0 0 0 0000 ffffffff 0 NOP 0 0\n0 0 0 0 0010 ffffffff 0 nop 0 0\n",
         "raw.trace:17: 'nop' is not an opcode"},
        {"0 0 0 1 0000 ffffffff 0 NOP 0 x\n0 0 0 0 0000 ffffffff 0 NOP 0 0\n",
         "raw.trace:16: the memory width is missing"},
        {"0 0 0 0 0000 ffffffff 0 NOP 0 0\n2 0 0 0 0010 ffffffff 0 NOP 0 0\n",
         "raw.trace:17: a thread block outside the grid of (2,1,1)"},
        {"0 0 0 2 0000 ffffffff 0 NOP 0 0\n", "raw.trace:16: warp 2: a block has 2 warps"},
        {"0 0 0 0000 ffffffff 0 NOP 0 0\n", "raw.trace:16: an instruction of a raw trace"},
        {"0 0 0 0 0000 ffffffff 0 NOP 0 0\n0 0 x\n", "raw.trace:17: 4 numbers are expected"},
        {"0 0 0 0 0000 ffffffff 0 NOP 0 0\n0 0 0 0 0010 fffff",
         "raw.trace:17: the file is truncated"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char *text = raw_text("", cases[i].body);

        if (strstr(text, cases[i].part) == NULL)
            fail_msg("'%s' does not say '%s'", text, cases[i].part);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_raw_trace_reads_as_its_grouped_form),
        cmocka_unit_test(nothing_is_left_in_the_temporary_folder),
        cmocka_unit_test(of_the_two_lines_of_ldgsts_the_second_counts),
        cmocka_unit_test(errors_of_a_raw_trace_name_its_lines),
    };

    return cmocka_run_group_tests(tests, trace_folder_create, trace_folder_remove);
}
