/* The static text of instructions that the trace source provides: every field that is static. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/test.h"
#include "tests/support/trace/trace_files.h"

static const char *text_of(trace_reading_t *r, const inst_t *inst)
{
    static char copy[256];
    uint32_t len = 0;
    const char *text = r->source->ops->inst_text(r->launch, inst, &len);

    assert_non_null(text);
    snprintf(copy, sizeof(copy), "%.*s", (int)len, text);
    return copy;
}

/* The only instruction of a file with this header line and this text after the mask. */
static void shows(unsigned version, const char *header, const char *before, const char *behind,
                  const char *expected)
{
    char text[1024];

    snprintf(
        text, sizeof(text),
        "%s#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 1\n%s0010 00000003 %s\n#END_TB\n",
        trace_header(version, header), before, behind);
    trace_write("k.traceg", text);
    trace_reading_t r = trace_start("k.traceg");
    trace_block_t *b = trace_next(&r, 0);

    assert_string_equal(text_of(&r, b->warps[0].runs[0].first), expected);
    r.source->ops->free_block(r.launch, b);
    trace_stop(&r);
}

static void fields_are_kept_and_addresses_left_out(void **state)
{
    (void)state;
    shows(5, "", "", "1 R4 IMAD.WIDE 2 R2 R255 0 -7 ", "1 R4 IMAD.WIDE 2 R2 R255 0 -7");
    shows(5, "", "", "0 EXIT 0 0 0 ", "0 EXIT 0 0 0");
    shows(3, "", "", "0\tEXIT  0  0", "0 EXIT 0 0");
    shows(5, "", "", "1 R4 LDG.E.SYS 1 R2 4 1 0x100 4 0 ", "1 R4 LDG.E.SYS 1 R2 4 @ 0");
    shows(3, "", "", "1 R4 LDG.E.SYS 1 R2 4 2 0x100 -4 ", "1 R4 LDG.E.SYS 1 R2 4 @");
    shows(3, "", "", "1 R4 LDG.E.SYS 1 R2 4 0 0x100 0x200", "1 R4 LDG.E.SYS 1 R2 4 @");
    shows(5, "", "", "0 STS 2 R2 R3 4 1 0x0 4 128 16", "0 STS 2 R2 R3 4 @ 128 16");
}

static void the_source_line_leads(void **state)
{
    (void)state;
    shows(5, "-enable lineinfo = 1", "77 ", "0 EXIT 0 0 0 ", "L77 0 EXIT 0 0 0");
    shows(5, "-enable lineinfo = 1", "0 ", "1 R4 LDS 1 R2 4 1 0x0 4 3 ", "L0 1 R4 LDS 1 R2 4 @ 3");
    shows(2, "-enable lineinfo = 1", "0 0 0 0 5 ", "0 EXIT 0 0 0 ", "L5 0 EXIT 0 0 0");
}

static void of_register_values_only_their_place_is_kept(void **state)
{
    (void)state;
    shows(6, "", "", "1 UR4 UMOV 1 UR63 0 0 0 NoVal ", "1 UR4 UMOV 1 UR63 0 0 0 NoVal");
    shows(6, "", "", "1 R1 MOV 0 0 1 2 Val 1 0xdeadbeef ", "1 R1 MOV 0 0 1 2 NoVal");
    shows(6, "", "", "1 R4 LDG.E 1 R2 4 1 0x100 4 0 0 Val 1 0x5 1 0x6",
          "1 R4 LDG.E 1 R2 4 @ 0 0 NoVal");
    shows(5, "", "",
          "0 STG.E 2 R2 R3 4 1 0x100 4 0 STORE_DATA I32 1 REG0:", "0 STG.E 2 R2 R3 4 @ 0");
    shows(5, "", "", "0 MOV 0 0 STORE_DATA I32", "0 MOV 0 0");
}

static void bulk_copies_lose_their_own_fields(void **state)
{
    (void)state;
    shows(6, "", "", "0 UTMALDG.2D 1 UR8 16 8000 0 64 0 4 7f00 1 0 0 0 NoVal",
          "0 UTMALDG.2D 1 UR8 0 0 0 NoVal");
    shows(5, "", "", "0 UBLKCP 1 R8 16 1 2 3", "0 UBLKCP 1 R8 0 0");
}

static void raw_files_keep_their_source_lines(void **state)
{
    char text[1024];

    (void)state;
    snprintf(text, sizeof(text), "%s%s", trace_header(5, "-enable lineinfo = 1"),
             "1 0 0 0 31 0000 ffffffff 1 R1 MOV 0 0 0 \n"
             "0 0 0 0 30 0000 ffffffff 1 R2 MOV 0 0 0 \n");
    trace_write("k.trace", text);
    trace_reading_t r = trace_start("k.trace");
    trace_block_t *b = trace_next(&r, 0);

    assert_string_equal(text_of(&r, b->warps[0].runs[0].first), "L30 1 R2 MOV 0 0 0");
    r.source->ops->free_block(r.launch, b);
    trace_stop(&r);
}

static void a_foreign_instruction_has_no_text(void **state)
{
    char text[1024];
    inst_t foreign = {0};
    uint32_t len;

    (void)state;
    snprintf(text, sizeof(text),
             "%s#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 1\n0 1 0 EXIT 0 0 0\n#END_TB\n",
             trace_header(5, ""));
    trace_write("k.traceg", text);
    trace_reading_t r = trace_start("k.traceg");
    trace_block_t *b = trace_next(&r, 0);

    assert_null(r.source->ops->inst_text(r.launch, &foreign, &len));
    r.source->ops->free_block(r.launch, b);
    trace_stop(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_are_kept_and_addresses_left_out),
        cmocka_unit_test(the_source_line_leads),
        cmocka_unit_test(of_register_values_only_their_place_is_kept),
        cmocka_unit_test(bulk_copies_lose_their_own_fields),
        cmocka_unit_test(raw_files_keep_their_source_lines),
        cmocka_unit_test(a_foreign_instruction_has_no_text),
    };

    return cmocka_run_group_tests(tests, trace_folder_create, trace_folder_remove);
}
